// Gateway of the simple channels `sandbox` and `sandbox2`: trades, refunds and authorizations over signed HTTP.
// sandbox/README.md defines the protocol.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/secret.h"
#include "sandbox/core/gateway.h"
#include "sandbox/simple/authorizations.h"

namespace finality::sandbox {

/// All public methods are thread safe.
class SimpleGateway final : public Gateway {
 public:
  SimpleGateway(GatewayParts parts, Secret secret)
      : parts_(std::move(parts)), secret_(std::move(secret)), authorizations_(parts_) {}

  bool has_channel(std::string_view channel) const override;
  bool answers(const Segments& path) const override { return has_channel(path[0]); }
  /// Signs every response, including refusals.
  void handle(const net::HttpRequest& request, const Segments& path, net::Respond respond) override;

  std::optional<net::Call> request_of(const Notification& notification, Time now) const override;
  bool is_acknowledgement(const net::HttpResponse& response) const override;
  std::optional<Duration> retry_delay(const Notification& notification, std::int64_t attempts) const override;

 private:
  net::Respond signing(net::Respond respond) const;
  void sign(const Notification& notification, Time now, net::Call& call) const;
  void create_trade(std::string_view channel, const std::string& body, net::Respond respond);
  void query_trade(std::string_view channel, std::string_view out_trade_no, net::Respond respond);
  void close_trade(std::string_view channel, std::string_view out_trade_no, net::Respond respond);
  void create_refund(std::string_view channel, const std::string& body, net::Respond respond);
  void send_statement(std::string_view channel, const net::HttpRequest& request, net::Respond respond);
  void query_refund(std::string_view channel, std::string_view out_refund_no, net::Respond respond);

  GatewayParts parts_;
  Secret secret_;
  SimpleAuthorizations authorizations_;
};

}  // namespace finality::sandbox
