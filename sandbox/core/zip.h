// ZIP archives, as bills are delivered in. By zlib. Pure.
#pragma once

#include <span>
#include <string>

namespace finality::sandbox {

struct ZipEntry {
  std::string name;  // bytes, written as they are; no flag says what encoding they are in
  std::string content;
};

/// An archive of these files, deflated, without times. REQUIRES: each file is below 4 GB, the whole too.
std::string zip_of(std::span<const ZipEntry> entries);

}  // namespace finality::sandbox
