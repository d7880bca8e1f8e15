// Fixture for tests with HTTP requests: an ApiServer on a local port, with a fake engine and a fake store.
#pragma once

#include <gtest/gtest.h>
#include <boost/json/parse.hpp>

#include <filesystem>
#include <future>

#include "base/net/http_client.h"
#include "http/server/server.h"
#include "query/testing/fakes.h"
#include "worker/restore/order_restorer.h"

namespace finality::http {

using query::FakeEngine;
using query::FakeReader;
using query::FakeRows;
using query::FakeStore;
using query::kNow;

inline constexpr MerchantId kShop{7};
inline constexpr MerchantId kOtherShop{8};

/// Channel stub. A notification is authentic if its header Word is "sesame"; its body is the out_trade_no.
class ChannelStub final : public Channel {
 public:
  const std::string& name() const override { return name_; }
  const Capabilities& capabilities() const override { return capabilities_; }
  UpstreamRequest request_of(const ChannelCall&, Time) const override { return {}; }
  Evidence evidence_of(const ChannelCall&, const UpstreamResponse&, Time) const override { return {}; }
  Result<Notification> verify(const net::HttpRequest& raw, Time) const override {
    if (raw.headers.get("Word") != "sesame") return fail("the header Word is not \"sesame\"");
    Evidence evidence;
    evidence.kind = EvidenceKind::paid;
    if (const std::string_view trade = raw.headers.get("Trade"); !trade.empty()) {
      evidence.channel_trade_no = std::string(trade);
      evidence.amount = 500;
      evidence.currency = *parse_currency("CNY");
    }
    return Notification{raw.body, evidence};
  }
  net::HttpResponse acknowledgement() const override { return {.status = 200, .headers = {}, .body = "success"}; }
  net::HttpResponse negative_acknowledgement(int status) const override {
    return {.status = status, .headers = {}, .body = "fail"};
  }

 private:
  std::string name_ = "sandbox";
  Capabilities capabilities_{.methods = {"default"}, .takes_scenario = true};
};

class Server : public testing::Test {
 protected:
  /// `archives`: directory of archives from which the server restores orders; empty: it restores none. `adjust` changes
  /// the services before the server starts.
  explicit Server(const std::filesystem::path& archives = {}, const std::function<void(Services&)>& adjust = {}) {
    FakeRows& rows = store_.rows;
    rows.add_merchant(kShop);
    rows.add_merchant(kOtherShop);
    rows.add_key("sk_shop", Role::merchant, kShop);
    rows.add_key("op_viewer", Role::viewer, {});
    rows.add_key("op_operator", Role::operator_, {});
    rows.add_key("op_admin", Role::admin, {});
    rows.add_order(OrderId{100}, kShop);
    rows.add_order(OrderId{200}, kOtherShop);
    channels_.push_back(std::make_unique<ChannelStub>());
    policy_.channels["sandbox"] = channels_.front()->capabilities();
    Services services{engine_, store_, channels_, policy_,
                      clock_,  io_,    registry_, [this](std::string_view channel) { return channel == down_; }};
    if (!archives.empty()) restorer_ = std::make_unique<OrderRestorer>(engine_, archives);
    services.restorer = restorer_.get();
    // Tests read them right after a change.
    services.metrics_kept = Duration(0);
    services.readiness_kept = Duration(0);
    if (adjust) adjust(services);
    server_ = std::move(*ApiServer::start(services, {}, net::ServerOptions()));
  }

  std::future<net::HttpResponse> send(std::string method, const std::string& target, std::string key = "sk_shop",
                                      std::string body = "", net::Headers headers = {}) {
    return send_to(server_->port(), std::move(method), target, std::move(key), std::move(body), std::move(headers));
  }
  std::future<net::HttpResponse> send_to(std::uint16_t port, std::string method, const std::string& target,
                                         std::string key = "", std::string body = "", net::Headers headers = {}) {
    if (!key.empty()) headers.add("Authorization", "Bearer " + key);
    auto answer = std::make_shared<std::promise<net::HttpResponse>>();
    client_->call({.url = "http://127.0.0.1:" + std::to_string(port) + target,
                   .method = std::move(method),
                   .headers = std::move(headers),
                   .body = std::move(body)},
                  [answer](net::CallResult outcome) {
                    EXPECT_TRUE(outcome.answered) << outcome.failure;
                    EXPECT_FALSE(outcome.response.headers.get("Request-Id").empty());
                    answer->set_value(std::move(outcome.response));
                  });
    return answer->get_future();
  }
  net::HttpResponse fetch(std::string method, const std::string& target, std::string key = "sk_shop",
                          std::string body = "", net::Headers headers = {}) {
    return send(std::move(method), target, std::move(key), std::move(body), std::move(headers)).get();
  }
  static net::Headers naming(MerchantId merchant) {
    net::Headers headers;
    headers.add("Finality-Merchant", to_text(merchant));
    return headers;
  }
  static std::string code_of(const net::HttpResponse& response) {
    EXPECT_EQ(response.headers.get("Content-Type"), "application/problem+json") << response.body;
    return std::string(boost::json::parse(response.body).as_object().at("code").as_string());
  }

  FakeStore store_;
  FakeEngine engine_;
  TestClock clock_{kNow};
  Policy policy_;
  std::unique_ptr<OrderRestorer> restorer_;  // null without archives
  std::string down_;                         // name of the unavailable channel
  Channels channels_;
  prometheus::Registry registry_;
  net::IoPool io_{1};
  std::unique_ptr<net::HttpClient> client_ = net::HttpClient::create(io_);
  std::unique_ptr<ApiServer> server_;
};

}  // namespace finality::http
