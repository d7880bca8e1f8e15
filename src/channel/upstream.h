// HTTP request to a channel, and its response.
#pragma once

#include <optional>
#include <string>

#include "base/net/http_message.h"

namespace finality {

/// A complete request to the channel.
struct UpstreamRequest {
  std::string url;
  net::HttpRequest http;  // method, headers, body
};

/// The channel's response. `http` is empty when no response arrived before the deadline.
struct UpstreamResponse {
  std::optional<net::HttpResponse> http;
  std::string failure;  // why there is no response
};

}  // namespace finality
