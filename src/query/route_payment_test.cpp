#include "query/route_payment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>
#include <vector>

namespace finality::query {
namespace {

const Currency kCny = *parse_currency("CNY");
const Currency kUsd = *parse_currency("USD");
constexpr MerchantId kShop{7};
constexpr MerchantId kOther{8};

// Methods of the channels. alipay: page, qr. wechatpay: native, jsapi (requires payer.openid). sandbox: web (accepts
// `scenario`).
Policy policy_with(std::vector<PaymentRoute> routes) {
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
  const auto target =
      choose_target(policy, {kShop, method, currency, amount}, is_down, [](const auto&) { return true; });
  return target ? target->channel + ':' + target->method : "none";
}

TEST(ChooseTarget, DependsOnMethodCurrencyAmountAndAvailability) {
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
      // the first matching route applies
      {"scan", kCny, 5, {}, "alipay:qr"},
      {"scan", kUsd, 999'999, {}, "alipay:qr"},
      {"", kCny, 5, {}, "alipay:page"},
      // a route applies to amounts between its limits, which are inclusive
      {"", kCny, 1, {}, "alipay:page"},
      {"", kCny, 1000, {}, "alipay:page"},
      {"", kCny, 1001, {}, "wechatpay:native"},
      {"", kCny, 2000, {}, "wechatpay:native"},
      {"", kCny, 2001, {}, "none"},
      // no route applies to the currency
      {"", kUsd, 5, {}, "none"},
      // a request for a method that a channel supports
      {"qr", kCny, 5, {}, "alipay:qr"},
      {"jsapi", kCny, 5, {}, "wechatpay:jsapi"},
      {"jsapi", kCny, 1500, {}, "wechatpay:jsapi"},
      {"fax", kCny, 5, {}, "none"},
      // unavailable channels are skipped, unless all channels of the route are unavailable
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

TEST(ChooseTarget, SkipsAChannelThatDoesNotAcceptCurrencyOrAmount) {
  Policy policy = policy_with({{.targets = {{"alipay", ""}, {"wechatpay", "native"}}, .method = "", .currency = {}},
                               {.targets = {{"sandbox", ""}}, .method = "", .currency = {}}});
  policy.channels["alipay"].currency = kCny;
  policy.channels["alipay"].amount_max = 100;
  policy.channels["wechatpay"].currency = kCny;
  EXPECT_EQ(chosen(policy, "", kCny, 100), "alipay:page");
  EXPECT_EQ(chosen(policy, "", kCny, 101), "wechatpay:native");
  EXPECT_EQ(chosen(policy, "", kUsd, 5), "sandbox:web") << "the next route";
}

TEST(ChooseTarget, IsEmptyWithoutRoutes) { EXPECT_EQ(chosen(policy_with({}), "", kCny, 5), "none"); }

TEST(ChooseTarget, SkipsARouteWithoutUsableTargets) {
  const Policy policy = policy_with({{.targets = {{"gone", ""}, {"alipay", "fax"}}, .method = "", .currency = {}},
                                     {.targets = {{"sandbox", ""}}, .method = "", .currency = {}}});
  EXPECT_EQ(chosen(policy, "", kCny, 5), "sandbox:web");
}

TEST(RoutePayment, FillsInOmittedFieldsAndRecordsThem) {
  const Policy policy = policy_with({{.targets = {{"alipay", "qr"}}, .method = "scan", .currency = {}},
                                     {.targets = {{"wechatpay", ""}}, .method = "", .currency = {}, .amount_max = 10}});
  const auto none = [](std::string_view) { return false; };
  const struct {
    std::string_view channel, method;
    MinorUnits amount;
    std::string_view to_channel, to_method;
    bool channel_routed, method_routed;
  } rows[] = {
      {"sandbox", "web", 5, "sandbox", "web", false, false},  // a named channel does not change
      {"", "", 5, "wechatpay", "native", true, true},        {"", "jsapi", 5, "wechatpay", "jsapi", true, false},
      {"", "scan", 5, "alipay", "qr", true, true},           {"", "", 11, "", "", true, true},
  };
  for (const auto& row : rows) {
    PaymentFields payment{.channel = std::string(row.channel), .method = std::string(row.method)};
    route_payment(payment, policy, {.merchant = kShop, .currency = kCny, .amount = row.amount}, none);
    EXPECT_EQ(payment.channel, row.to_channel);
    EXPECT_EQ(payment.method, row.to_method);
    EXPECT_EQ(payment.channel_routed, row.channel_routed);
    EXPECT_EQ(payment.method_routed, row.method_routed);
  }
}

TEST(RoutePayment, OfAnAuthorizationSkipsChannelsAndMethodsWithoutAuthorizations) {
  Policy policy =
      policy_with({{.targets = {{"wechatpay", ""}, {"alipay", "page"}, {"alipay", ""}}, .method = "", .currency = {}}});
  policy.channels["alipay"].authorization = AuthorizationTerms{.methods = {"qr"}};
  const auto routed = [&](bool authorizes) {
    PaymentFields payment;
    const RoutingRequest request{.merchant = kShop, .currency = kCny, .amount = 5, .authorizes = authorizes};
    route_payment(payment, policy, request, [](std::string_view) { return false; });
    return payment.channel + ':' + payment.method;
  };
  EXPECT_EQ(routed(false), "wechatpay:native");
  EXPECT_EQ(routed(true), "alipay:qr");
  policy.channels["alipay"].authorization.reset();
  EXPECT_EQ(routed(true), ":") << "no channel of the route has authorizations";
}

TEST(RoutePayment, PrefersATargetThatAcceptsTheFieldsOfThePayment) {
  const Policy policy =
      policy_with({{.targets = {{"wechatpay", "jsapi"}, {"alipay", "qr"}}, .method = "", .currency = {}}});
  const auto channel_of = [&](const std::string& payer, const std::vector<std::string_view>& down) {
    PaymentFields payment{.payer = payer};
    route_payment(payment, policy, {.merchant = kShop, .currency = kCny, .amount = 5},
                  [&](std::string_view channel) { return std::ranges::find(down, channel) != down.end(); });
    return payment.channel;
  };
  const std::string openid = R"({"openid":"o"})";
  EXPECT_EQ(channel_of(openid, {}), "wechatpay");
  EXPECT_EQ(channel_of(openid, {"wechatpay"}), "alipay");
  EXPECT_EQ(channel_of("", {}), "alipay");
  EXPECT_EQ(channel_of("", {"alipay"}), "alipay") << "a repeated request is not an error of the client";
}

TEST(RoutePayment, SelectsTheFirstTargetIfNoneIsSuitable) {
  const Policy policy =
      policy_with({{.targets = {{"alipay", "qr"}, {"wechatpay", "jsapi"}}, .method = "", .currency = {}}});
  for (const std::string_view down : {"", "alipay"}) {
    PaymentFields payment{.scenario = "pays"};
    route_payment(payment, policy, {.merchant = kShop, .currency = kCny, .amount = 5},
                  [&](std::string_view channel) { return channel == down; });
    EXPECT_EQ(payment.channel, "alipay") << "invalid_field_of() then returns the invalid field";
  }
}

// Three channels of the kind wechatpay: wechat-all serves all merchants, wechat-other only the other merchant, and
// wechat-shop only the shop. The channel bank has another kind.
Policy two_kinds() {
  Policy policy;
  for (const char* name : {"wechat-all", "wechat-other", "wechat-shop"})
    policy.channels[name] = {.methods = {"native", "jsapi"}, .payer_field = {{"jsapi", "openid"}}, .currency = kCny};
  policy.channels["bank"] = {.methods = {"transfer"}};
  for (const auto& [name, kind, merchants] :
       {std::tuple("wechat-all", "wechatpay", std::string()), std::tuple("wechat-other", "wechatpay", to_text(kOther)),
        std::tuple("wechat-shop", "wechatpay", to_text(kShop)), std::tuple("bank", "giro", std::string())})
    policy.accounts[name] = {.channel = name, .kind = kind, .merchants = merchants};
  return policy;
}

TEST(RoutePayment, OfAKindUsesTheMerchantsChannels) {
  using Names = std::vector<std::string_view>;
  const struct {
    MerchantId merchant;
    std::string_view requested_channel;
    std::string_view method;
    Currency currency;
    Names down;
    Names disabled;
    std::string_view expected;
  } rows[] = {
      {kShop, "wechatpay", "native", kCny, {}, {}, "wechat-shop"},
      {kOther, "wechatpay", "native", kCny, {}, {}, "wechat-other"},
      {MerchantId{9}, "wechatpay", "native", kCny, {}, {}, "wechat-all"},
      {kShop, "wechatpay", "native", kCny, {"wechat-shop"}, {}, "wechat-all"},
      {kShop, "wechatpay", "native", kCny, {"wechat-shop", "wechat-all"}, {}, "wechat-shop"},
      {kShop, "wechatpay", "native", kCny, {}, {"wechat-shop"}, "wechat-all"},
      {kShop, "wechatpay", "native", kCny, {}, {"wechat-shop", "wechat-all"}, ""},
      {kShop, "wechatpay", "native", kUsd, {}, {}, ""},
      {kShop, "wechatpay", "fax", kCny, {}, {}, ""},
      {kShop, "wechat-other", "native", kCny, {}, {}, ""},  // serves another merchant only
      {kShop, "nowhere", "", kCny, {}, {}, ""},
  };
  for (const auto& row : rows) {
    Policy policy = two_kinds();
    for (const std::string_view name : row.disabled)
      policy.accounts.find(name)->second.state = ChannelAccountState::disabled;
    PaymentFields payment{.requested_channel = std::string(row.requested_channel), .method = std::string(row.method)};
    route_payment(payment, policy, {.merchant = row.merchant, .currency = row.currency, .amount = 5},
                  [&](std::string_view channel) { return std::ranges::find(row.down, channel) != row.down.end(); });
    EXPECT_EQ(payment.channel, row.expected)
        << to_text(row.merchant) << ' ' << row.requested_channel << ' ' << row.method;
    EXPECT_EQ(payment.requested_channel, row.requested_channel);
    EXPECT_EQ(payment.method, row.method);
    EXPECT_FALSE(payment.method_routed);
  }
}

TEST(RoutePayment, ATargetCanBeAKindAndIsResolvedForEachMerchant) {
  Policy policy = two_kinds();
  policy.routes = {
      {.targets = {{"wechat-other", ""}, {"wechatpay", "jsapi"}, {"bank", ""}}, .method = "", .currency = {}}};
  const auto chosen_for = [&](MerchantId merchant, const std::string& payer, Currency currency = kCny) {
    PaymentFields payment{.payer = payer};
    route_payment(payment, policy, {.merchant = merchant, .currency = currency, .amount = 5},
                  [](std::string_view) { return false; });
    return payment.channel + ':' + payment.method;
  };
  const std::string openid = R"({"openid":"o"})";
  EXPECT_EQ(chosen_for(kShop, openid), "wechat-shop:jsapi");
  EXPECT_EQ(chosen_for(kOther, openid), "wechat-other:native");
  EXPECT_EQ(chosen_for(MerchantId{9}, openid), "wechat-all:jsapi");
  EXPECT_EQ(chosen_for(kShop, ""), "bank:transfer") << "no channel of the kind accepts a payment without openid";
  EXPECT_EQ(chosen_for(kShop, openid, kUsd), "bank:transfer");
}

TEST(InvalidField, IsAFieldThatTheChannelDoesNotAcceptOrRequires) {
  const Policy policy = policy_with({});
  const auto field = [&](PaymentFields payment) {
    const auto invalid = invalid_field_of(payment, policy);
    return invalid ? invalid->field : "";
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

TEST(InvalidField, IsAnUnknownScenario) {
  Policy policy = policy_with({});
  const PaymentFields mistyped{.channel = "sandbox", .method = "web", .scenario = "pay"};
  EXPECT_FALSE(invalid_field_of(mistyped, policy)) << "without a list of scenarios";
  policy.scenarios = {"declines", "pays"};
  const auto invalid = invalid_field_of(mistyped, policy);
  ASSERT_TRUE(invalid);
  EXPECT_EQ(invalid->field, "scenario");
  EXPECT_EQ(invalid->why, "must be one of declines, pays");
  EXPECT_FALSE(invalid_field_of({.channel = "sandbox", .method = "web", .scenario = "pays"}, policy));
}

}  // namespace
}  // namespace finality::query
