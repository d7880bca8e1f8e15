#include "http/pages/checkout_methods.h"

#include <gtest/gtest.h>

namespace finality::http {
namespace {

constexpr MerchantId kShop{7};

class CheckoutMethods : public testing::Test {
 protected:
  CheckoutMethods() {
    policy_.channels["alipay"] = {
        .methods = {"page", "wap", "app", "qr"},
        .page_methods = {{"page", PageMethod::website}, {"wap", PageMethod::phone}, {"qr", PageMethod::scan}},
        .currency = parse_currency("CNY"),
        .amount_max = 10'000,
        .authorization = AuthorizationTerms{.methods = {"qr", "app"}},
        .payer_app = PayerApp::alipay};
    policy_.channels["wechatpay"] = {
        .methods = {"native", "jsapi", "h5"},
        .payer_field = {{"jsapi", "openid"}, {"h5", "client_ip"}},
        .page_methods = {{"native", PageMethod::scan}, {"h5", PageMethod::phone}, {"jsapi", PageMethod::phone}},
        .payer_app = PayerApp::wechat};
    order_.merchant_id = kShop;
    order_.amount = 500;
    order_.currency = *parse_currency("CNY");
  }

  // Adds the channel's account, which serves the merchants in the list; all if it is empty.
  void add_account(const std::string& channel, const std::string& kind, const std::string& merchants) {
    ChannelAccount account;
    account.channel = channel;
    account.kind = kind;
    account.merchants = merchants;
    policy_.accounts[channel] = account;
  }

  std::string payable() const {
    return text_of(payable_methods(order_, policy_, [this](std::string_view channel) { return channel == down_; }));
  }
  std::string on(Device device) const { return text_of(methods_for(device, payable_methods(order_, policy_, {}))); }
  static std::string text_of(const std::vector<OfferedMethod>& methods) {
    std::string text;
    for (const OfferedMethod& one : methods) text += one.channel + '/' + one.method + ' ';
    return text;
  }

  Policy policy_;
  Order order_;
  std::string down_;
};

TEST_F(CheckoutMethods, AreThoseThatThePageCanStart) {
  EXPECT_EQ(payable(), "alipay/page alipay/wap alipay/qr wechatpay/native wechatpay/h5 ");
}

TEST_F(CheckoutMethods, SuitTheDevice) {
  EXPECT_EQ(on(Device::computer), "alipay/page alipay/qr wechatpay/native ");
  EXPECT_EQ(on(Device::phone), "alipay/wap wechatpay/h5 ");
  order_.methods = "alipay/qr";
  EXPECT_EQ(on(Device::phone), "alipay/qr ") << "a code is better than nothing";
}

TEST_F(CheckoutMethods, AcceptTheMoneyOfTheOrder) {
  order_.amount = 10'001;
  EXPECT_EQ(payable(), "wechatpay/native wechatpay/h5 ");
  order_.amount = 500;
  order_.currency = *parse_currency("USD");
  EXPECT_EQ(payable(), "wechatpay/native wechatpay/h5 ");
}

TEST_F(CheckoutMethods, OfAnOrderWithManualCaptureAreThoseOfAuthorizations) {
  order_.capture_method = CaptureMethod::manual;
  EXPECT_EQ(payable(), "alipay/qr ");
}

TEST_F(CheckoutMethods, HaveTheOrderOfTheMerchant) {
  order_.methods = "wechatpay/native alipay/qr gone/web";
  EXPECT_EQ(payable(), "wechatpay/native alipay/qr ");
}

TEST_F(CheckoutMethods, AreThoseOfUsableChannels) {
  add_account("alipay", "alipay", "mer_0000000000008");
  EXPECT_EQ(payable(), "wechatpay/native wechatpay/h5 ");
}

TEST_F(CheckoutMethods, ThatLookAlikeAreOfferedOnceAndOverAnAvailableChannel) {
  policy_.channels["alipay2"] = policy_.channels["alipay"];
  order_.methods = "alipay/qr alipay2/qr";
  EXPECT_EQ(payable(), "alipay/qr ");
  down_ = "alipay";
  EXPECT_EQ(payable(), "alipay2/qr ");
  order_.methods = "alipay/qr";
  EXPECT_EQ(payable(), "alipay/qr ") << "the only method is offered although its channel is unavailable";
}

TEST_F(CheckoutMethods, OfAKindAreThoseOfItsChannels) {
  policy_.channels["shop_alipay"] = policy_.channels["alipay"];
  policy_.channels.erase("alipay");
  add_account("shop_alipay", "alipay", to_text(kShop));
  order_.methods = "alipay/qr";
  EXPECT_EQ(payable(), "shop_alipay/qr ");
}

TEST(CheckoutDevice, IsThatOfTheRequestHeaders) {
  struct Row {
    const char* name;
    const char* value;
    Device device;
  };
  const Row rows[] = {
      {"User-Agent", "Mozilla/5.0 (X11; Linux x86_64) Chrome/120", Device::computer},
      {"User-Agent", "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) Mobile/15E148", Device::phone},
      {"User-Agent", "Mozilla/5.0 (Linux; Android 14) MicroMessenger/8.0", Device::phone},
      {"Sec-CH-UA-Mobile", "?1", Device::phone},
      {"Sec-CH-UA-Mobile", "?0", Device::computer},
      {"Accept", "*/*", Device::computer}};
  for (const Row& row : rows) {
    net::Headers headers;
    headers.add(row.name, row.value);
    EXPECT_EQ(device_of(headers), row.device) << row.value;
  }
}

}  // namespace
}  // namespace finality::http
