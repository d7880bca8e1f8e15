// Writer for ZIP archives, the format of bill downloads. Uses zlib. Pure.
#pragma once

#include <span>
#include <string>

namespace finality::sandbox {

struct ZipEntry {
  std::string name;  // raw bytes; the archive does not state their encoding
  std::string content;
};

/// An archive of these files, deflated, without timestamps. REQUIRES: every file and the archive are below 4 GB.
std::string zip_of(std::span<const ZipEntry> entries);

}  // namespace finality::sandbox
