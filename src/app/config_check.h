// Checks of a configuration without starting a server: `finality serve --check`.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "app/node.h"

namespace finality::app {

/// The result of check_config(). All texts are for operators and contain no secrets.
struct ConfigReport {
  std::vector<std::pair<std::string, std::string>> facts;  // name and value
  std::vector<std::string> warnings;                       // the server starts
  std::vector<std::string> errors;                         // the server does not start
};

/// Checks what read_config() cannot check in the files: that the routes lead to channels, that the store can be opened
/// with its schema, that its channel accounts are those of the configuration, dates of certificates, and the modes of
/// files with secrets. Opens the store read-only; a server may be using it. Sends nothing to channels, and opens no
/// ports. Blocks while it reads the store. REQUIRES: `options` came from read_config().
ConfigReport check_config(NodeOptions options);

}  // namespace finality::app
