// Route table: maps method and path to a handler and its access rule.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/objects/api_key.h"

namespace finality::http {

class HttpExchange;

/// Callers allowed on a route. `open`: any client, without a key. `merchant`: a merchant key, or an operator key with
/// the merchant in Finality-Merchant. `operators`: only an operator key with Finality-Merchant. `platform`: an operator
/// key; the route concerns no merchant. `shared`: an operator key, which sees all objects, or a merchant key, which
/// sees the objects of that merchant.
enum class Access : std::uint8_t { open, merchant, operators, platform, shared };

inline constexpr std::size_t kPathParametersMax = 2;

struct HttpRoute {
  std::string method;
  std::string pattern;  // "/v1/orders/{id}/close"
  Access access = Access::merchant;
  Role role = Role::viewer;  // lowest role allowed for operators
  std::function<void(std::shared_ptr<HttpExchange>)> handler;
};

struct Match {
  const HttpRoute* route = nullptr;
  std::array<std::string_view, kPathParametersMax> parameters;  // views of the matched path
  std::string allow;  // if route is null: methods of this path; empty if the path is unknown
};

/// Thread safe for reads once all routes have been added.
class Router {
 public:
  /// REQUIRES: method and pattern are unique; the pattern has at most kPathParametersMax placeholders.
  void add(HttpRoute route);
  /// Returns the route for the request, or the methods allowed on its path. HEAD matches the route for GET. A pattern
  /// without placeholders takes precedence over patterns with placeholders, for all methods. The pointers are valid as
  /// long as the router.
  Match match(std::string_view method, std::string_view path) const;
  /// All routes. The pointers are valid as long as the router.
  std::vector<const HttpRoute*> routes() const;

 private:
  struct Entry {
    std::unique_ptr<HttpRoute> route;
    std::vector<std::string> segments;  // empty: a placeholder
  };
  std::vector<Entry> entries_;
};

}  // namespace finality::http
