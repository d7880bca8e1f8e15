// Reader for the ZIP archives (PKWARE's APPNOTE) of statements. Supports stored and deflated files in archives below
// 4 GiB that are neither encrypted nor split. The input is untrusted, so the reader checks every length, and it checks
// the whole directory before it unpacks a byte. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/parse_budget.h"
#include "base/result.h"
#include "channel/parsing/byte_sink.h"

namespace finality::alipay {

struct ZipEntry {
  std::string_view name;  // in an unknown charset
  std::string_view packed;
  std::size_t at = 0;  // offset of the local header, which precedes `packed`
  bool is_deflated = false;
  std::size_t size = 0;     // number of unpacked bytes
  std::uint32_t crc32 = 0;  // checksum of the unpacked bytes
};

/// Returns the entries of the central directory, as views into `archive`. Returns an error if the archive is malformed,
/// has more than limits::kZipEntriesMax files, or its files would together unpack to more than the output limit of the
/// budget; if two files overlap, or a file and the directory, which a bomb uses to unpack the same bytes many times; or
/// if a file is encrypted, is an archive, or is compressed with an unsupported method.
Result<std::vector<ZipEntry>> list_zip(std::string_view archive, ParseBudget& budget);

/// Whether the bytes begin like a ZIP archive.
bool is_zip(std::string_view bytes);

/// Unpacks a file and passes its content to `sink`. Returns an error if size or checksum differ from `entry`, or if it
/// exceeds the budget. The error is returned after the bytes before it were passed to `sink`.
Result<void> unpack(const ZipEntry& entry, ParseBudget& budget, const ByteSink& sink);

}  // namespace finality::alipay
