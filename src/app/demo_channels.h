// The demo's Alipay and WeChat Pay: channels over the sandbox's gateways, with the keys that the sandbox has made.
#pragma once

#include <boost/json/object.hpp>

#include <string>

#include "app/node.h"

namespace finality::app {

/// Adds the channels alipay and wechatpay to `node`, and what an SDK needs to speak to the same gateways to `shown`
/// (demo.json). REQUIRES: the sandbox on `sandbox_url` is up, so its keys are below `keys`. An error names the file
/// that cannot be read.
Result<void> add_demo_channels(const std::string& keys, const std::string& sandbox_url, NodeOptions& node,
                               boost::json::object& shown);

}  // namespace finality::app
