// Reads the configuration file and the files that its setting `include` names, and joins their tables.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "app/config/settings.h"
#include "base/result.h"

namespace finality::app {

/// Bytes of all files together. Protects the memory of the program; the numbers of sections are limited by count.
inline constexpr std::size_t kConfigBytesMax = 4 << 20;
/// Bytes of one line. With TOML_MAX_NESTED_VALUES, this limits the depth of the tables, because the parser and the
/// destructors of its tables are recursive.
inline constexpr std::size_t kConfigLineBytesMax = 8 << 10;
inline constexpr std::size_t kIncludedFilesMax = 1000;

/// The configuration as one table. The source of each node names its file and line.
struct ConfigFiles {
  toml::table settings;               // of all files, without `include`
  std::string include;                // the pattern as written; empty without the setting
  std::vector<std::string> included;  // paths of the included files, sorted
};

/// Reads the file `path` and the files that match its setting `include`, a pattern of glob(7) that is relative to the
/// directory of `path`. An included file contains only sections with names, [bank_accounts.NAME] and [channels.NAME],
/// and includes no further files. A name can be defined once in all files. Errors name file and line.
Result<ConfigFiles> read_config_files(const std::string& path);

}  // namespace finality::app
