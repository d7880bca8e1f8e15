// What an archive says of itself, beside its lines: its name, what it holds, and how far it has come.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "store/archive/line.h"

namespace finality::store {

struct Manifest {
  std::string archive;  // its name: the directory's, and the first digits of the SHA-256
  Time before;
  Time made_at;
  std::string sha256;  // of its lines
  Totals totals;
  bool done = false;          // what it holds has been removed from the store
  std::vector<OrderId> left;  // not its own: changed before they could be removed, or archived elsewhere
};

inline constexpr const char* kLinesFile = "orders.jsonl";
inline constexpr const char* kManifestFile = "manifest.json";

/// Replaces the one that is there.
Result<void> write_manifest(const std::filesystem::path& directory, const Manifest& manifest);
/// All but the totals: those are for comparing, see has_totals().
Result<Manifest> read_manifest(const std::filesystem::path& directory);
/// Whether the manifest in the directory holds these totals.
Result<bool> has_totals(const std::filesystem::path& directory, const Totals& totals);

}  // namespace finality::store
