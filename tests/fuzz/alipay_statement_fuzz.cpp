// Fuzzes the reader of a statement's ZIP file.
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "channel/alipay/statement.h"
#include "channel/alipay/zip.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace finality;
  constexpr std::size_t kBytesMax = 1 << 20;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto files = alipay::list_zip(bytes);
  if (!files) return 0;
  for (const alipay::ZipEntry& file : *files) {
    const auto unpacked = alipay::unpack(file, kBytesMax);
    FINALITY_CHECK(!unpacked || unpacked->size() == file.size, "the unpacked size differs from the directory entry");
  }
  return 0;
}
