// POST /checkout/{token}, and what the checkout page shows of the merchant.
#include <gtest/gtest.h>

#include "base/crypto/encoding.h"
#include "http/testing/test_server.h"
#include "model/payer_link.h"

namespace finality::http {
namespace {

using namespace std::chrono_literals;

// A PNG of 1 x 1 pixel.
const std::string kPixel =
    *from_base64("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==");

class CheckoutChoice : public Server {
 protected:
  CheckoutChoice() {
    policy_.channels.erase("sandbox");
    policy_.channels["alipay"] = {.methods = {"page", "qr"},
                                  .page_methods = {{"page", PageMethod::website}, {"qr", PageMethod::scan}},
                                  .payer_app = PayerApp::alipay};
    policy_.channels["wechatpay"] = {.methods = {"h5"},
                                     .payer_field = {{"h5", "client_ip"}},
                                     .page_methods = {{"h5", PageMethod::phone}},
                                     .payer_app = PayerApp::wechat};
    aggregate().order.expires_at = clock_.now() + 1h;
    aggregate().payments.clear();
  }

  OrderAggregate& aggregate() { return store_.rows.orders.at(OrderId{100}); }
  Merchant& merchant() { return store_.rows.merchants.at(kShop); }
  std::string link() { return checkout_url("", merchant(), OrderId{100}); }
  std::string page() { return fetch("GET", link(), "").body; }
  static net::Headers from(const std::string& site) {
    net::Headers headers;
    headers.add("Sec-Fetch-Site", site);
    return headers;
  }
  std::future<net::HttpResponse> choose(const std::string& form, net::Headers headers = from("same-origin")) {
    return send("POST", link(), "", form, std::move(headers));
  }
};

TEST_F(CheckoutChoice, StartsThePaymentAndReturnsToThePage) {
  EXPECT_TRUE(page().contains(R"(<button class="choice" name="method" value="alipay/qr">Alipay<span class="way">QR)"));
  auto answer = choose("attempts=0&method=alipay%2Fqr");
  const Request request = engine_.take();
  const auto& command = std::get<StartPayment>(request.command);
  EXPECT_EQ(request.merchant_id, kShop);
  EXPECT_EQ(command.order_id, OrderId{100});
  EXPECT_EQ(command.fields.channel, "alipay");
  EXPECT_EQ(command.fields.method, "qr");
  EXPECT_EQ(command.fields.payer, "");
  EXPECT_EQ(command.attempts_seen, 0);
  EXPECT_TRUE(request.await_answer);
  request.reply({.status = 201});
  const net::HttpResponse response = answer.get();
  EXPECT_EQ(response.status, 303);
  EXPECT_EQ("/checkout/" + std::string(response.headers.get("Location")), link());
}

TEST_F(CheckoutChoice, IsNotInterruptedByAReloadWithoutScripts) {
  EXPECT_TRUE(page().contains("<noscript><meta http-equiv=\"refresh\" content=\"60\"></noscript>"));
}

TEST_F(CheckoutChoice, SendsThePayersAddressOnlyToMethodsThatNeedIt) {
  auto answer = choose("attempts=0&method=wechatpay%2Fh5");
  const Request request = engine_.take();
  EXPECT_EQ(std::get<StartPayment>(request.command).fields.payer, R"({"client_ip":"127.0.0.1"})");
  request.reply({.status = 201});
  answer.get();
}

TEST_F(CheckoutChoice, StartsAnAuthorizationOfAnOrderWithManualCapture) {
  policy_.channels["alipay"].authorization = AuthorizationTerms{.methods = {"qr"}};
  aggregate().order.capture_method = CaptureMethod::manual;
  auto answer = choose("attempts=0&method=alipay%2Fqr");
  const Request request = engine_.take();
  EXPECT_EQ(std::get<StartAuthorization>(request.command).attempts_seen, 0);
  request.reply({.status = 409, .refusal = Refusal{RefusalCode::payment_in_progress, "", {}, {}}});
  EXPECT_EQ(answer.get().status, 303) << "the page shows why nothing was started";
}

TEST_F(CheckoutChoice, IsAcceptedOnlyFromThePage) {
  struct Row {
    const char* name;
    std::string value;
    bool accepted;
  };
  const std::string host = "127.0.0.1:" + std::to_string(server_->port());
  policy_.public_url = "https://pay.example";
  const Row rows[] = {{"Sec-Fetch-Site", "same-origin", true},
                      {"Sec-Fetch-Site", "cross-site", false},
                      {"Sec-Fetch-Site", "same-site", false},
                      {"Sec-Fetch-Site", "none", false},
                      {"Origin", "http://" + host, true},
                      {"Origin", "https://pay.example", true},
                      {"Origin", "https://pay.example.evil", false},
                      {"Origin", "null", false},
                      {"Accept", "*/*", false}};
  for (const Row& row : rows) {
    net::Headers headers;
    headers.add(row.name, row.value);
    auto answer = choose("attempts=0&method=alipay%2Fqr", headers);
    if (row.accepted) engine_.take().reply({.status = 201});
    const net::HttpResponse response = answer.get();
    EXPECT_EQ(response.status, row.accepted ? 303 : 403) << row.name << row.value;
    if (!row.accepted) EXPECT_TRUE(response.body.contains("class=\"status-rejected\""));
  }
  EXPECT_TRUE(engine_.empty());
}

TEST_F(CheckoutChoice, OfAMalformedFormIsRejected) {
  for (const char* form : {"", "method=alipay%2Fqr", "attempts=0", "attempts=x&method=alipay%2Fqr",
                           "attempts=0&method=alipay", "attempts=1e3&method=alipay%2Fqr", "%zz"})
    EXPECT_EQ(choose(form).get().status, 400) << form;
  EXPECT_TRUE(engine_.empty());
}

TEST_F(CheckoutChoice, OfAMethodThatIsNotOfferedStartsNothing) {
  aggregate().order.methods = "alipay/page";
  for (const char* method : {"alipay%2Fqr", "wallet%2Fbalance", "wechatpay%2Fjsapi", "gone%2Fx"})
    EXPECT_EQ(choose(std::string("attempts=0&method=") + method).get().status, 303) << method;
  aggregate().order.expires_at = clock_.now();
  EXPECT_EQ(choose("attempts=0&method=alipay%2Fpage").get().status, 303);
  EXPECT_TRUE(engine_.empty());
}

TEST_F(CheckoutChoice, RequiresTheLinkOfTheOrder) {
  std::string forged = link();
  forged.back() = forged.back() == '0' ? '1' : '0';
  EXPECT_EQ(fetch("POST", forged, "", "attempts=0&method=alipay%2Fqr", from("same-origin")).status, 404);
  EXPECT_TRUE(engine_.empty());
}

TEST_F(CheckoutChoice, ShowsAnErrorPageWhileWritesAreRefused) {
  auto answer = choose("attempts=0&method=alipay%2Fqr");
  engine_.take().reply({.status = 503, .refusal = Refusal{RefusalCode::busy, "", {}, {}}});
  const net::HttpResponse response = answer.get();
  EXPECT_EQ(response.status, 503);
  EXPECT_TRUE(response.body.contains("class=\"status-unreadable\""));
}

TEST_F(CheckoutChoice, IsPossibleAgainAfterADecline) {
  Payment& payment = aggregate().payments.emplace_back();
  payment.channel = "alipay";
  payment.method = "qr";
  payment.state = PaymentState::failed;
  const std::string declined = page();
  EXPECT_TRUE(declined.contains("class=\"status-declined\""));
  EXPECT_TRUE(declined.contains("Try again, or choose another payment method."));
  EXPECT_TRUE(declined.contains(R"(name="attempts" value="1")"));
  EXPECT_TRUE(declined.contains(R"(value="alipay/qr")"));
  aggregate().order.attempts = 1;
  EXPECT_FALSE(page().contains("id=\"methods\""));
}

TEST_F(CheckoutChoice, OffersTheOtherMethodsWhileAPaymentWaits) {
  Payment& payment = aggregate().payments.emplace_back();
  payment.channel = "alipay";
  payment.method = "qr";
  payment.state = PaymentState::pending;
  payment.action_type = ActionType::qr_code;
  payment.action_code = "https://qr.example/1";
  const std::string waiting = page();
  EXPECT_TRUE(waiting.contains("<details id=\"other\">"));
  EXPECT_TRUE(waiting.contains(R"(value="alipay/page")"));
  EXPECT_FALSE(waiting.contains(R"(value="alipay/qr")"));
  aggregate().order.state = OrderState::processing;
  EXPECT_FALSE(page().contains("id=\"methods\"")) << "a result is outstanding";
}

TEST_F(CheckoutChoice, AnOrderWithoutAReturnUrlTellsThePayerWhatToDo) {
  aggregate().order.state = OrderState::succeeded;
  aggregate().order.paid_amount = aggregate().order.amount;
  EXPECT_TRUE(page().contains("The corner shop has been informed. You can close this page."));
  aggregate().order.state = OrderState::failed;
  EXPECT_TRUE(page().contains("order again in the shop."));
  aggregate().order.return_url = "https://shop.example/";
  EXPECT_FALSE(page().contains("id=\"close\""));
}

TEST_F(CheckoutChoice, ALongAmountHasNoSpaceAtWhichItBreaks) {
  aggregate().order.amount = 1'234'567'890'123;
  aggregate().order.currency = *parse_currency("CHF");
  EXPECT_TRUE(page().contains("<p id=\"amount\" class=\"longest\">12,345,678,901.23\u00a0CHF</p>")) << page();
}

TEST_F(CheckoutChoice, ThePageShowsTheBrandingEscapedAndItsPolicyAllowsOnlyItsStyle) {
  merchant().brand_name = "<b>Tea</b>";
  merchant().brand_support = "021 \"5555\"";
  merchant().brand_color = "#ffd700";
  const net::HttpResponse response = fetch("GET", link(), "");
  EXPECT_TRUE(response.body.contains("Pay to &lt;b&gt;Tea&lt;/b&gt;</p>"));
  EXPECT_FALSE(response.body.contains("The corner shop"));
  EXPECT_TRUE(response.body.contains("Questions? 021 &quot;5555&quot;</p>"));
  const std::size_t at = response.body.rfind("<style>") + 7;
  const std::string style = response.body.substr(at, response.body.find("</style>", at) - at);
  EXPECT_TRUE(style.contains("#ffd700")) << style;
  EXPECT_TRUE(response.headers.get("Content-Security-Policy").contains("'sha256-" + to_base64(sha256(style)) + "'"));
  EXPECT_FALSE(response.body.contains("id=\"logo\""));
}

TEST_F(CheckoutChoice, TheLogoComesFromThisServerWithAnEtag) {
  EXPECT_EQ(fetch("GET", link() + "/logo", "").status, 404);
  merchant().brand_logo = Bytes(kPixel);
  EXPECT_TRUE(page().contains("<img id=\"logo\" src=\"" + link().substr(10) + "/logo?v="));
  const net::HttpResponse logo = fetch("GET", link() + "/logo", "");
  EXPECT_EQ(logo.status, 200);
  EXPECT_EQ(logo.body, kPixel);
  EXPECT_EQ(logo.headers.get("Content-Type"), "image/png");
  EXPECT_EQ(logo.headers.get("X-Content-Type-Options"), "nosniff");
  net::Headers known;
  known.add("If-None-Match", std::string(logo.headers.get("ETag")));
  const net::HttpResponse same = fetch("GET", link() + "/logo", "", "", known);
  EXPECT_EQ(same.status, 304);
  EXPECT_TRUE(same.body.empty());
  EXPECT_EQ(fetch("GET", link() + "0/logo", "").status, 404);
}

class MerchantBranding : public Server {
 protected:
  std::string path() const { return "/v1/merchants/" + to_text(kShop); }
  std::string refused(const std::string& branding) {
    const net::HttpResponse response = fetch("PATCH", path(), "op_admin", R"({"branding":)" + branding + "}");
    EXPECT_EQ(response.status, 400) << branding;
    return response.body;
  }
};

TEST_F(MerchantBranding, IsChangedByAdmins) {
  auto answer =
      send("PATCH", path(), "op_admin",
           R"({"branding":{"name":"Tea","support":null,"color":"#1A56DB","logo":")" + to_base64(kPixel) + "\"}}");
  const Request request = engine_.take();
  EXPECT_FALSE(request.refuse_with);
  const auto& command = std::get<SetBranding>(request.command);
  EXPECT_EQ(command.merchant_id, kShop);
  EXPECT_EQ(command.name, std::optional<std::string>("Tea"));
  ASSERT_TRUE(command.support);
  EXPECT_FALSE(command.support->has_value());
  EXPECT_EQ(command.color, std::optional<std::string>("#1a56db"));
  EXPECT_EQ((*command.logo)->data(), kPixel);
  request.reply({.status = 200, .body = "{}"});
  EXPECT_EQ(answer.get().status, 200);
}

TEST_F(MerchantBranding, IsRefusedToOtherRoles) {
  for (const char* key : {"op_operator", "op_viewer", "sk_shop"}) {
    auto answer = send("PATCH", path(), key, R"({"branding":{"name":"Tea"}})");
    const Request request = engine_.take();
    ASSERT_TRUE(request.refuse_with) << key;
    EXPECT_EQ(request.refuse_with->code, RefusalCode::forbidden) << key;
    request.reply({.status = 403, .body = "{}", .refusal = request.refuse_with});
    EXPECT_EQ(answer.get().status, 403) << key;
  }
}

TEST_F(MerchantBranding, ATruncatedLogoIsRefused) {
  for (std::size_t size = 0; size < kPixel.size(); ++size)
    refused("{\"logo\":\"" + to_base64(std::string_view(kPixel).substr(0, size)) + "\"}");
}

TEST_F(MerchantBranding, HasLimitsThatTheErrorNames) {
  EXPECT_TRUE(refused("{\"name\":\"" + std::string(65, 'x') + "\"}").contains("branding.name must be text of 1 to 64"));
  EXPECT_TRUE(refused(R"({"color":"red"})").contains("branding.color must be a color of six hexadecimal digits"));
  for (const char* color : {R"({"color":"#12345g"})", R"({"color":123})"})
    EXPECT_TRUE(refused(color).contains("branding.color must be a color of six")) << color;
  const std::string logo_rule = "branding.logo must be a PNG, JPEG or WebP image of at most 32768 bytes";
  EXPECT_TRUE(refused(R"({"logo":"PHN2Zy8+"})").contains(logo_rule)) << "SVG";
  EXPECT_TRUE(refused(R"({"logo":"?"})").contains(logo_rule));
  EXPECT_TRUE(refused(R"({"logo":"https://cdn.example/logo.png"})").contains(logo_rule));
  EXPECT_TRUE(refused("{\"logo\":\"" + std::string(43'693, 'A') + "\"}").contains(logo_rule));
  EXPECT_TRUE(refused(R"({"url":"x"})").contains("branding.url is not a field"));
  EXPECT_TRUE(fetch("PATCH", path(), "op_admin", "{}").body.contains("branding is required"));
}

}  // namespace
}  // namespace finality::http
