// Configures the channels of the demo: the gateways of the sandbox, with accounts and keys created by the sandbox.
#pragma once

#include <boost/json/object.hpp>

#include <string>

#include "app/node.h"

namespace finality::app {

/// The data directory of the demo, the directory of the sandbox's keys, and the URL of the sandbox.
struct DemoPlaces {
  std::string directory;
  std::string keys;
  std::string sandbox_url;
};

/// Adds the demo channels of every kind (ChannelKind::demo) and their bank account `bank` to `node`, and the data that
/// an SDK needs for the same gateways to `shown` (demo.json). The error names the file that cannot be read. REQUIRES:
/// the sandbox has started and created its keys.
Result<void> add_demo_channels(const DemoPlaces& places, NodeOptions& node, boost::json::object& shown);

}  // namespace finality::app
