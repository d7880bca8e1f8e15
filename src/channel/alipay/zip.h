// The files of a ZIP archive (PKWARE's APPNOTE), as far as statements use it: stored or deflated, neither encrypted nor
// split, below 4 GiB. Hostile until unpacked: every length is checked. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace finality::alipay {

struct ZipEntry {
  std::string_view name;  // bytes in whatever charset
  std::string_view packed;
  bool is_deflated = false;
  std::size_t size = 0;     // unpacked
  std::uint32_t crc32 = 0;  // of the unpacked bytes
};

/// What the directory at the archive's end lists; views into `archive`.
Result<std::vector<ZipEntry>> list_zip(std::string_view archive);

/// An error when it is not what the directory promised, or holds more than `bytes_max`.
Result<std::string> unpack(const ZipEntry& entry, std::size_t bytes_max);

}  // namespace finality::alipay
