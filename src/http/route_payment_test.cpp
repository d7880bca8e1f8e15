#include "http/route_payment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace finality::http {
namespace {

const Currency kCny = *parse_currency("CNY");
const Currency kUsd = *parse_currency("USD");

// alipay: page, qr · wechatpay: native, jsapi (needs payer.openid) · sandbox: web (takes a scenario)
Policy policy_with(std::vector<Route> routes) {
  Policy policy;
  policy.channels["alipay"] = {.methods = {"page", "qr"}};
  policy.channels["wechatpay"] = {.methods = {"native", "jsapi"}, .payer_field = {{"jsapi", "openid"}}};
  policy.channels["sandbox"] = {.methods = {"web"}, .takes_scenario = true};
  policy.routes = std::move(routes);
  return policy;
}

std::string chosen(const Policy& policy, std::string_view method, Currency currency, MinorUnits amount,
                   const std::vector<std::string_view>& down = {}) {
  const auto is_down = [&](std::string_view channel) { return std::ranges::find(down, channel) != down.end(); };
  const auto target = choose_target(policy, method, currency, amount, is_down, [](const auto&) { return true; });
  return target ? target->channel + ':' + target->method : "none";
}

TEST(ChooseTarget, GoesByMethodCurrencyAmountAndWhoAnswers) {
  const Policy policy = policy_with({
      {.targets = {{"alipay", "qr"}, {"wechatpay", "native"}}, .method = "scan", .currency = {}},
      {.targets = {{"alipay", ""}, {"wechatpay", ""}}, .method = "", .currency = kCny, .amount_max = 1000},
      {.targets = {{"wechatpay", ""}}, .method = "", .currency = kCny, .amount_min = 1001, .amount_max = 2000},
  });
  using Down = std::vector<std::string_view>;
  const struct {
    std::string_view method;
    Currency currency;
    MinorUnits amount;
    Down down;
    std::string_view expected;
  } rows[] = {
      // the first route that fits decides
      {"scan", kCny, 5, {}, "alipay:qr"},
      {"scan", kUsd, 999'999, {}, "alipay:qr"},
      {"", kCny, 5, {}, "alipay:page"},
      // amounts, both ends included
      {"", kCny, 1, {}, "alipay:page"},
      {"", kCny, 1000, {}, "alipay:page"},
      {"", kCny, 1001, {}, "wechatpay:native"},
      {"", kCny, 2000, {}, "wechatpay:native"},
      {"", kCny, 2001, {}, "none"},
      // currency
      {"", kUsd, 5, {}, "none"},
      // a method that was asked for, among those the channels have
      {"qr", kCny, 5, {}, "alipay:qr"},
      {"jsapi", kCny, 5, {}, "wechatpay:jsapi"},
      {"jsapi", kCny, 1500, {}, "wechatpay:jsapi"},
      {"fax", kCny, 5, {}, "none"},
      // who does not answer is passed over, unless nobody does
      {"scan", kCny, 5, {"alipay"}, "wechatpay:native"},
      {"scan", kCny, 5, {"wechatpay"}, "alipay:qr"},
      {"scan", kCny, 5, {"alipay", "wechatpay"}, "alipay:qr"},
      {"", kCny, 5, {"alipay"}, "wechatpay:native"},
      {"qr", kCny, 5, {"alipay"}, "alipay:qr"},
      {"", kCny, 1500, {"wechatpay"}, "wechatpay:native"},
  };
  for (const auto& row : rows)
    EXPECT_EQ(chosen(policy, row.method, row.currency, row.amount, row.down), row.expected)
        << row.method << ' ' << row.currency.text() << ' ' << row.amount;
}

TEST(ChooseTarget, PassesOverAChannelThatDoesNotTakeTheMoney) {
  Policy policy = policy_with({{.targets = {{"alipay", ""}, {"wechatpay", "native"}}, .method = "", .currency = {}},
                               {.targets = {{"sandbox", ""}}, .method = "", .currency = {}}});
  policy.channels["alipay"].currency = kCny;
  policy.channels["alipay"].amount_max = 100;
  policy.channels["wechatpay"].currency = kCny;
  EXPECT_EQ(chosen(policy, "", kCny, 100), "alipay:page");
  EXPECT_EQ(chosen(policy, "", kCny, 101), "wechatpay:native");
  EXPECT_EQ(chosen(policy, "", kUsd, 5), "sandbox:web") << "and the next route";
}

TEST(ChooseTarget, WithoutRoutesThereIsNone) { EXPECT_EQ(chosen(policy_with({}), "", kCny, 5), "none"); }

TEST(ChooseTarget, ARouteThatLeadsNowhereIsPassedOver) {
  const Policy policy = policy_with({{.targets = {{"gone", ""}, {"alipay", "fax"}}, .method = "", .currency = {}},
                                     {.targets = {{"sandbox", ""}}, .method = "", .currency = {}}});
  EXPECT_EQ(chosen(policy, "", kCny, 5), "sandbox:web");
}

TEST(RoutePayment, FillsInWhatTheClientLeftOpenAndRemembersThatItDid) {
  const Policy policy = policy_with({{.targets = {{"alipay", "qr"}}, .method = "scan", .currency = {}},
                                     {.targets = {{"wechatpay", ""}}, .method = "", .currency = {}, .amount_max = 10}});
  const auto none = [](std::string_view) { return false; };
  const struct {
    std::string_view channel, method;
    MinorUnits amount;
    std::string_view to_channel, to_method;
    bool channel_routed, method_routed;
  } rows[] = {
      {"sandbox", "web", 5, "sandbox", "web", false, false},  // named: stays as it is
      {"", "", 5, "wechatpay", "native", true, true},        {"", "jsapi", 5, "wechatpay", "jsapi", true, false},
      {"", "scan", 5, "alipay", "qr", true, true},           {"", "", 11, "", "", true, true},
  };
  for (const auto& row : rows) {
    PaymentFields payment{.channel = std::string(row.channel), .method = std::string(row.method)};
    route_payment(payment, policy, kCny, row.amount, none);
    EXPECT_EQ(payment.channel, row.to_channel);
    EXPECT_EQ(payment.method, row.to_method);
    EXPECT_EQ(payment.channel_routed, row.channel_routed);
    EXPECT_EQ(payment.method_routed, row.method_routed);
  }
}

TEST(RoutePayment, PrefersWhatTakesThePaymentAsItIs) {
  const Policy policy =
      policy_with({{.targets = {{"wechatpay", "jsapi"}, {"alipay", "qr"}}, .method = "", .currency = {}}});
  const auto channel_of = [&](const std::string& payer, const std::vector<std::string_view>& down) {
    PaymentFields payment{.payer = payer};
    route_payment(payment, policy, kCny, 5,
                  [&](std::string_view channel) { return std::ranges::find(down, channel) != down.end(); });
    return payment.channel;
  };
  const std::string openid = R"({"openid":"o"})";
  EXPECT_EQ(channel_of(openid, {}), "wechatpay");
  EXPECT_EQ(channel_of(openid, {"wechatpay"}), "alipay");
  EXPECT_EQ(channel_of("", {}), "alipay");
  EXPECT_EQ(channel_of("", {"alipay"}), "alipay") << "a repetition of what went to it is no mistake of the client's";
}

TEST(RoutePayment, LeadsToTheFirstWhereNoneTakesIt) {
  const Policy policy =
      policy_with({{.targets = {{"alipay", "qr"}, {"wechatpay", "jsapi"}}, .method = "", .currency = {}}});
  for (const std::string_view down : {"", "alipay"}) {
    PaymentFields payment{.scenario = "pays"};
    route_payment(payment, policy, kCny, 5, [&](std::string_view channel) { return channel == down; });
    EXPECT_EQ(payment.channel, "alipay") << "and misfit_of says what is wrong";
  }
}

TEST(Misfit, IsAFieldThatTheChannelDoesNotTakeOrCannotDoWithout) {
  const Policy policy = policy_with({});
  const auto field = [&](PaymentFields payment) {
    const auto misfit = misfit_of(payment, policy);
    return misfit ? misfit->field : "";
  };
  EXPECT_EQ(field({.channel = "alipay", .method = "qr"}), "");
  EXPECT_EQ(field({.channel = "alipay", .method = "qr", .scenario = "pays"}), "scenario");
  EXPECT_EQ(field({.channel = "sandbox", .method = "web", .scenario = "pays"}), "");
  EXPECT_EQ(field({.channel = "wechatpay", .method = "jsapi"}), "payer.openid");
  EXPECT_EQ(field({.channel = "wechatpay", .method = "jsapi", .payer = R"({"client_ip":"192.0.2.1"})"}),
            "payer.openid");
  EXPECT_EQ(field({.channel = "wechatpay", .method = "jsapi", .payer = R"({"openid":"o"})"}), "");
  EXPECT_EQ(field({.channel = "", .method = "jsapi", .scenario = "pays"}), "");
}

}  // namespace
}  // namespace finality::http
