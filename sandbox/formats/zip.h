// Writer for ZIP archives, the format of bill downloads. Uses zlib. Pure.
#pragma once

#include <span>
#include <string>

namespace finality::sandbox {

struct ZipEntry {
  std::string name;  // file name, stored as raw bytes; the archive does not state the encoding
  std::string content;
};

/// Returns a ZIP archive of the files, compressed with deflate, without timestamps. REQUIRES: every file and the
/// archive are smaller than 4 GB.
std::string zip_of(std::span<const ZipEntry> entries);

}  // namespace finality::sandbox
