// Reader for the ZIP archives (PKWARE's APPNOTE) that statements use: stored or deflated, neither encrypted nor split,
// below 4 GiB. The input is untrusted: every length is checked. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace finality::alipay {

struct ZipEntry {
  std::string_view name;  // bytes, charset unknown
  std::string_view packed;
  bool is_deflated = false;
  std::size_t size = 0;     // bytes when unpacked
  std::uint32_t crc32 = 0;  // of the unpacked bytes
};

/// The entries of the central directory; views into `archive`.
Result<std::vector<ZipEntry>> list_zip(std::string_view archive);

/// The unpacked bytes of a file. An error when they differ from the directory entry or exceed `bytes_max`.
Result<std::string> unpack(const ZipEntry& entry, std::size_t bytes_max);

}  // namespace finality::alipay
