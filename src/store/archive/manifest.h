// Manifest of an archive: name, totals and progress. Stored as JSON in the archive's directory, beside the file of
// lines.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "store/archive/line.h"

namespace finality::store {

struct Manifest {
  std::string archive;  // the archive's name: the directory's name, "-", and the first 8 digits of the SHA-256
  Time before;
  Time made_at;
  std::string sha256;  // SHA-256 of the file of lines, in hexadecimal
  Totals totals;
  bool done = false;          // the removal of the archive's orders from the store has finished
  std::vector<OrderId> left;  // in the archive, but not removed: changed since the export, or in another archive
};

inline constexpr const char* kLinesFile = "orders.jsonl";
inline constexpr const char* kManifestFile = "manifest.json";

/// Writes the manifest to the directory and replaces an existing manifest.
Result<void> write_manifest(const std::filesystem::path& directory, const Manifest& manifest);
/// Reads the manifest in the directory, without its totals; has_totals() compares the totals. Fails if the directory
/// has no valid manifest.
Result<Manifest> read_manifest(const std::filesystem::path& directory);
/// Whether the totals recorded in the directory's manifest equal `totals`.
Result<bool> has_totals(const std::filesystem::path& directory, const Totals& totals);

}  // namespace finality::store
