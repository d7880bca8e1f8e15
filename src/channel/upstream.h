// What adapters exchange with a channel over HTTP.
#pragma once

#include <optional>
#include <string>

#include "base/net/http_message.h"

namespace finality {

/// A request to the channel, ready to be sent.
struct UpstreamRequest {
  std::string url;
  net::HttpRequest http;  // method, headers, body
};

/// What came back: empty when nothing did before the deadline.
struct UpstreamResponse {
  std::optional<net::HttpResponse> http;
  std::string failure;  // why nothing came
};

}  // namespace finality
