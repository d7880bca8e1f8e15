// Tests of payments for which the client sends no channel, with HTTP requests.
#include "http/testing/test_server.h"

namespace finality::http {
namespace {

class RoutedPayments : public Server {
 protected:
  RoutedPayments() {  // order 100 has the amount 12.34 CNY
    policy_.channels["bank"] = {.methods = {"card"}, .payer_field = {{"card", "openid"}}};
    policy_.routes = {{.targets = {{"sandbox", ""}}, .method = "", .currency = {}, .amount_max = 1234},
                      {.targets = {{"bank", ""}}, .method = "", .currency = {}, .amount_max = 5000}};
  }
  PaymentFields started(const std::string& body) {
    auto answer = send("POST", "/v1/orders/" + to_text(OrderId{100}) + "/payments", "sk_shop", body);
    Request request = engine_.take();
    const PaymentFields fields = std::get<StartPayment>(request.command).fields;
    request.reply({.status = 201, .body = "{}"});
    answer.get();
    return fields;
  }
  CreateOrder created(std::int64_t amount, const std::string& payment) {
    auto answer = send("POST", "/v1/orders", "sk_shop", order_body(amount, payment));
    Request request = engine_.take();
    CreateOrder order = std::get<CreateOrder>(request.command);
    request.reply({.status = 201, .body = "{}"});
    answer.get();
    return order;
  }
  static std::string order_body(std::int64_t amount, const std::string& payment) {
    return R"({"merchant_order_no":"A-7","currency":"CNY","subject":"Tea","amount":)" + std::to_string(amount) +
           R"(,"payment":)" + payment + '}';
  }
};

TEST_F(RoutedPayments, AreRoutedByTheAmountOfTheOrder) {
  EXPECT_EQ(started("{}").channel, "sandbox");
  EXPECT_EQ(created(1234, "{}").payment->channel, "sandbox");
  EXPECT_EQ(created(1235, R"({"payer":{"openid":"o"}})").payment->channel, "bank");
  EXPECT_EQ(created(5001, "{}").payment->channel, "") << "the engine refuses it, after idempotency";
  store_.rows.orders.at(OrderId{100}).order.amount = 2000;
  EXPECT_EQ(started(R"({"payer":{"openid":"o"}})").channel, "bank");
}

TEST_F(RoutedPayments, KeepTheFingerprintOfTheRequest) {
  const Hash16 before = created(1000, "{}").fingerprint;
  policy_.routes[0].targets = {{"bank", ""}};
  const CreateOrder other_route = created(1000, R"({"payer":{"openid":"o"}})");
  EXPECT_EQ(other_route.payment->channel, "bank");
  policy_.channels["bank"].payer_field.clear();
  EXPECT_EQ(created(1000, "{}").fingerprint, before);
}

TEST_F(RoutedPayments, AreRefusedWithoutFieldsThatTheChannelRequires) {
  store_.rows.orders.at(OrderId{100}).order.amount = 2000;
  const std::string path = "/v1/orders/" + to_text(OrderId{100}) + "/payments";
  const auto param = [](const net::HttpResponse& response) {
    EXPECT_EQ(code_of(response), "invalid_request");
    return std::string(boost::json::parse(response.body).at("param").as_string());
  };
  EXPECT_EQ(param(fetch("POST", path, "sk_shop", "{}")), "payer.openid");
  EXPECT_EQ(param(fetch("POST", path, "sk_shop", R"({"scenario":"pays"})")), "scenario");
  EXPECT_EQ(param(fetch("POST", "/v1/orders", "sk_shop", order_body(2000, "{}"))), "payment.payer.openid");
  EXPECT_TRUE(engine_.empty());
}

TEST_F(RoutedPayments, CanNameAKindOfChannels) {
  policy_.channels["bank-b"] = {.methods = {"card"}};
  policy_.accounts["bank-b"] = {.channel = "bank-b", .kind = "bank-kind"};
  policy_.channels["bank-c"] = {.methods = {"card"}};
  policy_.accounts["bank-c"] = {.channel = "bank-c", .kind = "bank-kind", .merchants = to_text(kShop)};
  const std::string body = R"({"channel":"bank-kind"})";
  EXPECT_EQ(started(body).channel, "bank-c");
  const CreateOrder first = created(1000, body);
  EXPECT_EQ(first.payment->channel, "bank-c");
  down_ = "bank-c";
  const CreateOrder again = created(1000, body);
  EXPECT_EQ(again.payment->channel, "bank-b");
  EXPECT_EQ(again.fingerprint, first.fingerprint) << "the fingerprint contains the requested kind";
}

// Routing selects the sandbox for the first request. The sandbox is unavailable when the request is repeated.
TEST_F(RoutedPayments, RepeatedRequestsReachTheEngineIfAChannelIsDown) {
  policy_.routes[0].targets = {{"sandbox", ""}, {"bank", ""}};
  down_ = "sandbox";
  EXPECT_EQ(created(1000, "{}").payment->channel, "sandbox");
  EXPECT_EQ(started("{}").channel, "sandbox");
  EXPECT_EQ(created(1000, R"({"payer":{"openid":"o"}})").payment->channel, "bank");
}

TEST_F(RoutedPayments, OfAnUnknownOrderAreRefusedByTheEngine) {
  auto answer = send("POST", "/v1/orders/" + to_text(OrderId{999}) + "/payments", "sk_shop", "{}");
  Request request = engine_.take();
  EXPECT_EQ(std::get<StartPayment>(request.command).fields.channel, "");
  request.reply({.status = 404, .body = "{}", .refusal = Refusal{RefusalCode::not_found, "", {}, {}}});
  EXPECT_EQ(answer.get().status, 404);
}

}  // namespace
}  // namespace finality::http
