// The checkout that contains the test program, for tests that read its files.
#pragma once

#include <filesystem>
#include <string>

#include "base/check.h"

namespace finality {

/// Returns the nearest folder above the running program that contains CMakePresets.json. A compile definition with the
/// path would prevent that two checkouts share cached objects. REQUIRES: the build directory is in the checkout.
inline std::string source_dir() {
  std::filesystem::path at = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  while (!exists(at / "CMakePresets.json")) {
    FINALITY_CHECK(at != at.root_path(), "the test program is not in a checkout");
    at = at.parent_path();
  }
  return at.string();
}

}  // namespace finality
