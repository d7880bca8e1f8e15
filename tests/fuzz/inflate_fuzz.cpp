// Arbitrary bytes as compressed data: unpacked within the limit, or rejected.
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "channel/parsing/inflate.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace finality;
  constexpr std::size_t kBytesMax = 10'000;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const auto inflate : {inflate_gzip, inflate_raw, unpack_gzip_or_plain}) {
    std::size_t unpacked = 0;
    ParseBudget budget({.input_bytes = size, .output_bytes_max = kBytesMax, .work_max = size + kBytesMax});
    (void)inflate(bytes, budget, [&](std::string_view part) -> Result<void> {
      unpacked += part.size();
      FINALITY_CHECK(unpacked <= kBytesMax, "the unpacked size exceeds the limit");
      return {};
    });
    FINALITY_CHECK(budget.work() <= size + kBytesMax, "more work than bytes read and written");
  }
  return 0;
}
