// Manifest of an archive, stored beside its lines: name, totals and progress.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "store/archive/line.h"

namespace finality::store {

struct Manifest {
  std::string archive;  // name: the directory's name and the first digits of the SHA-256
  Time before;
  Time made_at;
  std::string sha256;  // of the lines file
  Totals totals;
  bool done = false;          // its orders have been removed from the store
  std::vector<OrderId> left;  // not removed: changed meanwhile, or archived elsewhere
};

inline constexpr const char* kLinesFile = "orders.jsonl";
inline constexpr const char* kManifestFile = "manifest.json";

/// Replaces an existing manifest.
Result<void> write_manifest(const std::filesystem::path& directory, const Manifest& manifest);
/// Reads everything except the totals; has_totals() compares the totals.
Result<Manifest> read_manifest(const std::filesystem::path& directory);
/// Whether the manifest in the directory records these totals.
Result<bool> has_totals(const std::filesystem::path& directory, const Totals& totals);

}  // namespace finality::store
