// Arbitrary bytes as compressed data: unpacked within the limit, or rejected.
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "channel/parsing/inflate.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kBytesMax = 10'000;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const auto& unpacked : {finality::inflate_gzip(bytes, kBytesMax), finality::inflate_raw(bytes, kBytesMax)})
    FINALITY_CHECK(!unpacked || unpacked->size() <= kBytesMax, "the unpacked size exceeds the limit");
  return 0;
}
