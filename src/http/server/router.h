// The table of routes: which handler takes a method and a path, and who may ask.
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

/// Who may call a route. `open`: any client, without a key. `merchant`: a merchant's key, or an operator's key that
/// names the merchant in Finality-Merchant. `operators`: only such an operator's key. `platform`: an operator's key;
/// the route is about no merchant. `shared`: an operator's key, which sees all, or a merchant's key, which sees what is
/// for that merchant.
enum class Access : std::uint8_t { open, merchant, operators, platform, shared };

inline constexpr std::size_t kPathParametersMax = 2;

struct HttpRoute {
  std::string method;
  std::string pattern;  // "/v1/orders/{id}/close"
  Access access = Access::merchant;
  Role role = Role::viewer;  // the smallest an operator needs
  std::function<void(std::shared_ptr<HttpExchange>)> handler;
};

struct Match {
  const HttpRoute* route = nullptr;
  std::array<std::string_view, kPathParametersMax> parameters;  // into the path that was matched
  std::string allow;  // without a route: the methods this path takes; empty when there is no such path
};

/// Filled once, then read by any thread.
class Router {
 public:
  /// REQUIRES: not two routes of one method and pattern; at most kPathParametersMax placeholders.
  void add(HttpRoute route);
  /// A HEAD is served by the route for GET. A path that a pattern spells out is none of those with a placeholder there.
  /// The pointers hold as long as the router.
  Match match(std::string_view method, std::string_view path) const;
  std::vector<const HttpRoute*> routes() const;

 private:
  struct Entry {
    std::unique_ptr<HttpRoute> route;
    std::vector<std::string> segments;  // empty: a placeholder
  };
  std::vector<Entry> entries_;
};

}  // namespace finality::http
