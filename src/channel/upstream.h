// HTTP request from this server to a channel, and its response.
#pragma once

#include <optional>
#include <string>

#include "base/net/http_message.h"

namespace finality {

/// A complete, signed request to a channel.
struct UpstreamRequest {
  std::string url;
  net::HttpRequest http;  // method, target, headers and body
};

/// The response of a channel. `http` is empty if no response arrived before the deadline.
struct UpstreamResponse {
  std::optional<net::HttpResponse> http;
  std::string failure;  // message for operators if `http` is empty
};

}  // namespace finality
