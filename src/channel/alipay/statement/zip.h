// Reader for the ZIP archives (PKWARE's APPNOTE) of statements. Supports stored and deflated files in archives below
// 4 GiB that are neither encrypted nor split. The input is untrusted, so the reader checks every length. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "channel/parsing/byte_sink.h"

namespace finality::alipay {

struct ZipEntry {
  std::string_view name;  // in an unknown charset
  std::string_view packed;
  bool is_deflated = false;
  std::size_t size = 0;     // number of unpacked bytes
  std::uint32_t crc32 = 0;  // checksum of the unpacked bytes
};

/// Returns the entries of the central directory, as views into `archive`. Returns an error if the archive is malformed
/// or a file in it is encrypted or compressed with an unsupported method.
Result<std::vector<ZipEntry>> list_zip(std::string_view archive);

/// Whether the bytes begin like a ZIP archive.
bool is_zip(std::string_view bytes);

/// Unpacks a file and passes its content to `sink`. Returns an error if size or checksum differ from `entry`, or the
/// size exceeds `bytes_max`. The error is returned after the bytes before it were passed to `sink`.
Result<void> unpack(const ZipEntry& entry, std::size_t bytes_max, const ByteSink& sink);

}  // namespace finality::alipay
