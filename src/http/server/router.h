// Route table: maps method and path to a handler and its access rule.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.h"
#include "model/objects/api_key.h"

namespace finality::http {

class HttpExchange;

/// Callers allowed on a route.
///   open       any client, without a key
///   merchant   a merchant key, or an operator key with the merchant in the header Finality-Merchant
///   operators  only an operator key with the merchant in the header Finality-Merchant
///   platform   only an operator key, without a merchant
///   shared     an operator key, which can read all objects, or a merchant key, which can read the merchant's objects
enum class Access : std::uint8_t { open, merchant, operators, platform, shared };

/// The rate limits of a route (rate_limits.h).
///   requests       those of reads and writes
///   notifications  that of notifications: a flood of other requests from the address of a channel, which can be that
///                  of a proxy, must not delay evidence
///   unlimited      none
enum class Traffic : std::uint8_t { requests, notifications, unlimited };

inline constexpr std::size_t kPathParametersMax = 2;

struct HttpRoute {
  std::string method;
  std::string pattern;  // path with placeholders: "/v1/orders/{id}/close"
  Access access = Access::merchant;
  Role role = Role::viewer;  // lowest operator role allowed on the route
  std::function<void(std::shared_ptr<HttpExchange>)> handler;
  /// Whether the handler reads the query, with QueryParams. If not, the server refuses every query parameter, except on
  /// open routes: channels, browsers and probes can add parameters, which are ignored.
  bool reads_query = false;
  std::size_t body_bytes_max = limits::kBodyBytesMax;  // above that: only for callers that may use the route
  Traffic traffic = Traffic::requests;
};

struct Match {
  const HttpRoute* route = nullptr;
  std::array<std::string_view, kPathParametersMax> parameters;  // views of the matched path
  std::string allow;  // methods of the path if `route` is null; empty for an unknown path
};

/// match() and routes() are thread safe once all routes have been added.
class Router {
 public:
  /// Adds a route. REQUIRES: no route has the same method and pattern; the pattern has at most kPathParametersMax
  /// placeholders.
  void add(HttpRoute route);
  /// Returns the route for the request, or the methods allowed on its path. HEAD matches the route for GET. A pattern
  /// without placeholders takes precedence over patterns with placeholders, for all methods. `route` is valid as long
  /// as the router, `parameters` as long as `path`.
  Match match(std::string_view method, std::string_view path) const;
  /// Returns all routes. The pointers are valid as long as the router.
  std::vector<const HttpRoute*> routes() const;

 private:
  struct Entry {
    std::unique_ptr<HttpRoute> route;
    std::vector<std::string> segments;  // an empty segment is a placeholder
  };
  std::vector<Entry> entries_;
};

}  // namespace finality::http
