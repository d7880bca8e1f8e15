#include "channel/wechatpay/client_action.h"

#include <gtest/gtest.h>

#include "channel/wechatpay/testing/test_vectors.h"
#include "channel/wechatpay/testing/test_wechatpay.h"

namespace finality::wechatpay {
namespace {

using namespace wechatpay_test;

// Merchant and time are those of the examples on WeChat's pages. The nonce differs from the examples, so the tests
// verify the signature instead of comparing it with the examples.
class WechatpayClientAction : public testing::Test {
 protected:
  ClientAction action(const std::string& method, const json::object& body) {
    call_.payment.method = method;
    const auto action = client_action_of(call_, body, signer_, appid_, now_);
    EXPECT_TRUE(action) << action.error().message;
    return action.value_or(ClientAction{});
  }
  static std::string text(const json::object& object, const char* name) {
    return std::string(object.at(name).as_string());
  }
  void expect_signed(const std::string& lines, const std::string& signature) const {
    EXPECT_TRUE(signer_.key.public_key().verifies(lines, *from_base64(signature))) << lines;
  }

  ChannelCall call_{.kind = ChannelCallKind::send_payment};
  Signer signer_{vector_text("/wechat_doc/mchid"), vector_text("/wechat_doc/serial_no"),
                 *RsaPrivateKey::parse(Secret(vector_text("/wechat_doc/private_key_pem")))};
  std::string appid_ = "wx2421b1c4370ec43b";
  std::string prepay_id_ = "wx201410272009395522657a690389285100";
  Time now_{1'554'208'460'123};
};

TEST_F(WechatpayClientAction, NativeIsAQrCode) {
  const ClientAction shown = action("native", {{"code_url", "weixin://wxpay/bizpayurl?pr=p4lpSuKzz"}});
  EXPECT_EQ(shown.type, ActionType::qr_code);
  EXPECT_EQ(shown.code, "weixin://wxpay/bizpayurl?pr=p4lpSuKzz");
}

TEST_F(WechatpayClientAction, H5RedirectsThePayerAndBack) {
  const std::string url = "https://wx.tenpay.com/cgi-bin/checkmweb?prepay_id=wx1";
  EXPECT_EQ(action("h5", {{"h5_url", url}}).url, url);
  call_.return_url = "https://pay.example/return/t?a=b&c";
  const ClientAction there = action("h5", {{"h5_url", url}});
  EXPECT_EQ(there.type, ActionType::redirect);
  EXPECT_EQ(there.url, url + "&redirect_url=https%3A%2F%2Fpay.example%2Freturn%2Ft%3Fa%3Db%26c");
  EXPECT_TRUE(action("h5", {{"h5_url", "https://a/b"}}).url.starts_with("https://a/b?redirect_url="));
}

TEST_F(WechatpayClientAction, JsapiIsSignedOverThePackage) {
  const ClientAction form = action("jsapi", {{"prepay_id", prepay_id_}});
  EXPECT_EQ(form.type, ActionType::form);
  const json::object code = json::parse(form.code).as_object();
  EXPECT_EQ(code.size(), 6U);
  EXPECT_EQ(text(code, "appId"), appid_);
  EXPECT_EQ(text(code, "timeStamp"), "1554208460");
  EXPECT_EQ(text(code, "nonceStr").size(), 32U);
  EXPECT_EQ(text(code, "package"), "prepay_id=" + prepay_id_);
  EXPECT_EQ(text(code, "signType"), "RSA");
  expect_signed(appid_ + "\n1554208460\n" + text(code, "nonceStr") + "\nprepay_id=" + prepay_id_ + "\n",
                text(code, "paySign"));
}

TEST_F(WechatpayClientAction, AppIsSignedOverThePrepayIdAlone) {
  const ClientAction form = action("app", {{"prepay_id", prepay_id_}});
  EXPECT_EQ(form.type, ActionType::form);
  const json::object code = json::parse(form.code).as_object();
  EXPECT_EQ(code.size(), 7U);
  EXPECT_EQ(text(code, "appid"), appid_);
  EXPECT_EQ(text(code, "partnerid"), "1900007291");
  EXPECT_EQ(text(code, "prepayid"), prepay_id_);
  EXPECT_EQ(text(code, "package"), "Sign=WXPay");
  EXPECT_EQ(text(code, "timestamp"), "1554208460");
  expect_signed(appid_ + "\n1554208460\n" + text(code, "noncestr") + "\n" + prepay_id_ + "\n", text(code, "sign"));
}

}  // namespace
}  // namespace finality::wechatpay
