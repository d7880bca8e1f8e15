// Authorizations and captures of the simple channels. sandbox/README.md defines the protocol.
#pragma once

#include <string>
#include <string_view>

#include "sandbox/core/gateway.h"

namespace finality::sandbox {

/// A request about the authorizations of one channel.
struct AuthorizationRequest {
  std::string channel;
  bool shares_trade_no = false;  // captures have the trade number of their authorization
  std::string number;            // segment of the path: out_order_no or auth_no, or the out_trade_no of a capture
  std::string body;
};

/// Part of the SimpleGateway, which checks and adds the signatures. All methods are thread safe.
class SimpleAuthorizations {
 public:
  explicit SimpleAuthorizations(const GatewayParts& parts) : parts_(parts) {}

  struct Route;
  /// Returns the endpoint with this path, or null. The path begins with the channel.
  static const Route* find_route(const Segments& path);
  /// Returns the only method that the endpoint supports.
  static std::string_view method_of(const Route& route);
  /// Handles a request with the endpoint's method and calls `respond` once, possibly later and on another thread.
  void handle(const Route& route, AuthorizationRequest request, net::Respond respond) const;

 private:
  void create(AuthorizationRequest request, net::Respond respond) const;
  void query(AuthorizationRequest request, net::Respond respond) const;
  void close(AuthorizationRequest request, net::Respond respond) const;
  void release(AuthorizationRequest request, net::Respond respond) const;
  void capture(AuthorizationRequest request, net::Respond respond) const;
  void query_capture(AuthorizationRequest request, net::Respond respond) const;
  template <class Work>
  void answer_about(AuthorizationRequest request, Work work, net::Respond respond) const;

  GatewayParts parts_;
};

}  // namespace finality::sandbox
