// Arbitrary bytes as statements of Alipay: ZIP archives and CSV files, trades and funds.
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "channel/alipay/statement/zip.h"
#include "channel/alipay/testing/test_gateway.h"
#include "channel/testing/statement_check.h"

namespace {

using namespace finality;

void check_archive(std::string_view bytes) {
  constexpr std::size_t kBytesMax = 1 << 20;
  ParseBudget listing(bytes.size());
  const auto files = alipay::list_zip(bytes, listing);
  FINALITY_CHECK(listing.work() <= bytes.size(), "the directory was read more than once");
  if (!files) return;
  FINALITY_CHECK(files->size() <= limits::kZipEntriesMax, "more files than the limit");
  for (const alipay::ZipEntry& file : *files) {
    std::size_t size = 0;
    ParseBudget budget({.input_bytes = bytes.size(), .output_bytes_max = kBytesMax, .work_max = 2 * kBytesMax});
    const auto unpacked = alipay::unpack(file, budget, [&](std::string_view part) -> Result<void> {
      size += part.size();
      FINALITY_CHECK(size <= kBytesMax, "the unpacked size exceeds the limit");
      return {};
    });
    FINALITY_CHECK(!unpacked || size == file.size, "the unpacked size differs from the directory entry");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace finality::alipay_test;
  static const auto channel = *make_alipay_channel(options_for(Mode::public_key));
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  check_archive(bytes);
  check_statement(*channel, bytes);
  return 0;
}
