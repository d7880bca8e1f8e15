// The demo's channels: those over the sandbox's gateways, with the accounts and keys that the sandbox has made.
#pragma once

#include <boost/json/object.hpp>

#include <string>

#include "app/node.h"

namespace finality::app {

/// Where the demo and its sandbox keep their files, and where the sandbox listens.
struct DemoPlaces {
  std::string directory;
  std::string keys;
  std::string sandbox_url;
};

/// Adds the demo's channels of every kind (ChannelKind::demo) to `node`, and what an SDK needs to speak to the same
/// gateways to `shown` (demo.json). REQUIRES: the sandbox is up, so its keys are there. An error names the file that
/// cannot be read.
Result<void> add_demo_channels(const DemoPlaces& places, NodeOptions& node, boost::json::object& shown);

}  // namespace finality::app
