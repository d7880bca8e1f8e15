// Manifest of an archive: name, totals and progress. Stored as JSON in the archive's directory, beside the file of
// lines.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/archive/line.h"

namespace finality::store {

/// Hexadecimal digits of the SHA-256 in the name of an archive: 128 bits. The store records the name with every
/// archived order, so a file whose digest has these digits is the file that was archived.
inline constexpr std::size_t kAnchorDigits = 32;
/// The digits in the names of archives of earlier versions. 32 bits do not exclude another file.
inline constexpr std::size_t kWeakAnchorDigits = 8;

/// The parts of an archive's name, which is "DIRECTORY-ANCHOR".
struct ArchiveName {
  std::string directory;  // name of the directory
  std::string anchor;     // first digits of the SHA-256 of the file of lines
  bool is_weak() const { return anchor.size() < kAnchorDigits; }
};

/// Returns the parts of the name; empty if the text is not the name of an archive.
std::optional<ArchiveName> parse_archive_name(std::string_view archive);
/// Returns the name of a new archive.
std::string name_of_archive(const std::string& directory, const std::string& sha256);

struct Manifest {
  std::string archive;  // the archive's name (ArchiveName)
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
