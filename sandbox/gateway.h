// The simple channel's side towards the merchant: trades and refunds over signed HTTP. README.md has the protocol.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/net/http_server.h"
#include "base/secret.h"
#include "sandbox/bookkeeper.h"

namespace finality::sandbox {

/// Whether there is a channel of that name. Each has its own trades.
bool is_channel(std::string_view name);

/// Thread safe.
class Gateway {
 public:
  /// `public_url`: under which people reach the payer's pages.
  Gateway(net::IoPool& io, std::shared_ptr<Bookkeeper> bookkeeper, Secret secret, std::string public_url);

  /// Answers a request to a channel. `segments`: its path, cut at the slashes; the first one is the channel.
  /// Every answer is signed, refusals too.
  void handle(const net::HttpRequest& request, const std::vector<std::string_view>& segments, net::Respond respond);

 private:
  struct Created {
    net::HttpResponse response;
    Duration answer_after{0};
  };

  net::Respond signing(net::Respond respond) const;
  void create_trade(std::string_view channel, const std::string& body, net::Respond respond);
  Created enter(Books& books, const Trade& order) const;
  net::HttpResponse trade_with_action(const Trade& trade) const;
  void query_trade(std::string_view channel, std::string_view out_trade_no, net::Respond respond);
  void close_trade(std::string_view channel, std::string_view out_trade_no, net::Respond respond);
  void create_refund(std::string_view channel, const std::string& body, net::Respond respond);
  void query_refund(std::string_view channel, std::string_view out_refund_no, net::Respond respond);

  net::IoPool& io_;
  std::shared_ptr<Bookkeeper> bookkeeper_;
  Secret secret_;
  std::string public_url_;
};

}  // namespace finality::sandbox
