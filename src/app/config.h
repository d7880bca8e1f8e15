// The server's configuration file (TOML). An unknown key, a wrong type or a missing value is an error that names it.
#pragma once

#include <string>

#include "app/node.h"

namespace finality::app {

/// Reads `path`. Secrets come from files or the environment (`secret_file`, `secret_env`), never from this file.
Result<NodeOptions> read_config(const std::string& path);

}  // namespace finality::app
