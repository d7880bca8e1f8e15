#include <gtest/gtest.h>

#include "http/pages/checkout_page.h"
#include "http/testing/test_server.h"
#include "model/payer_link.h"

namespace finality::http {
namespace {

using namespace std::chrono_literals;

class CheckoutPage : public Server {
 protected:
  CheckoutPage() {
    policy_.channels["alipay"] = {.methods = {"page"}, .payer_app = PayerApp::alipay};
    policy_.channels["wechatpay"] = {.methods = {"native"}, .payer_app = PayerApp::wechat};
    policy_.channels["rehearsal"] = {.methods = {"native"}, .takes_scenario = true, .payer_app = PayerApp::wechat};
    order().expires_at = clock_.now() + 90min;
  }

  Order& order() { return store_.rows.orders.at(OrderId{100}).order; }
  // Adds a pending payment: it waits for an action of the payer.
  Payment& pending(const std::string& channel, ActionType action) {
    std::vector<Payment>& payments = store_.rows.orders.at(OrderId{100}).payments;
    Payment& payment = payments.emplace_back();
    payment.id = PaymentId{static_cast<std::int64_t>(100 + payments.size())};
    payment.channel = channel;
    payment.state = PaymentState::pending;
    payment.action_type = action;
    return payment;
  }
  Payment& code(const std::string& channel, const std::string& text) {
    Payment& payment = pending(channel, ActionType::qr_code);
    payment.action_code = text;
    return payment;
  }
  Payment& redirect(const std::string& url) {
    Payment& payment = pending("alipay", ActionType::redirect);
    payment.action_url = url;
    return payment;
  }
  static void succeed(Order& order) {
    order.state = OrderState::succeeded;
    order.paid_amount = order.amount;
  }
  std::string link() const { return checkout_url("", store_.rows.merchants.at(kShop), OrderId{100}); }
  net::HttpResponse open(const std::string& target, const std::string& languages = "") {
    net::Headers headers;
    if (!languages.empty()) headers.add("Accept-Language", languages);
    return fetch("GET", target, "", "", std::move(headers));
  }
  std::string page(const std::string& languages = "") {
    const net::HttpResponse response = open(link(), languages);
    EXPECT_EQ(response.status, 200);
    return response.body;
  }
  // Returns true if the page reloads itself, both with and without scripts.
  static bool loads_itself_again(const std::string& page) {
    EXPECT_EQ(page.contains(" data-open>"), page.contains("<noscript><meta http-equiv=\"refresh\" content=\""));
    return page.contains(" data-open>");
  }
  static std::string version_of(const std::string& page) {
    const std::size_t at = page.find("data-version=\"") + 14;
    return page.substr(at, page.find('"', at) - at);
  }
  static bool offers_to_pay(const std::string& page) {
    return page.contains("id=\"code\"") || page.contains("id=\"pay\"") || page.contains("id=\"open\"");
  }
};

TEST_F(CheckoutPage, ShowsAmountSubjectAndShop) {
  const std::string shown = page();
  for (const char* text : {"The corner shop", "Two coffees", "¥12.34", "A-1", "90 min"})
    EXPECT_TRUE(shown.contains(text)) << text;
}

TEST_F(CheckoutPage, LoadsTheOrderOnlyForAValidSignature) {
  std::string forged = link();
  forged.back() = forged.back() == '0' ? '1' : '0';
  EXPECT_EQ(open(forged).status, 404);
  EXPECT_EQ(open(forged.replace(forged.find("checkout"), 8, "return")).status, 404);
  EXPECT_EQ(store_.rows.order_reads, 0);
  EXPECT_EQ(open(link()).status, 200);
  EXPECT_EQ(store_.rows.order_reads, 1);
}

TEST_F(CheckoutPage, DrawsTheCodeAndNamesTheAppThatScansIt) {
  code("wechatpay", "weixin://wxpay/bizpayurl?pr=abc");
  const std::string shown = page();
  EXPECT_TRUE(shown.contains("<svg ")) << shown;
  EXPECT_TRUE(shown.contains("Scan the code with WeChat."));
  EXPECT_TRUE(shown.contains("status-waiting"));
  EXPECT_TRUE(loads_itself_again(shown));
  EXPECT_FALSE(shown.contains("weixin://")) << "browsers cannot open this URL";
}

TEST_F(CheckoutPage, OpensTheAppOnAPhoneIfTheCodeIsAWebUrl) {
  code("alipay", "https://qr.alipay.com/bax1");
  const std::string alipay = page();
  EXPECT_TRUE(
      alipay.contains(R"(<a id="app" class="button on-phone" href="https://qr.alipay.com/bax1">Open Alipay</a>)"));
  EXPECT_TRUE(alipay.contains(R"(class="quiet advice off-phone">Scan the code with Alipay.)")) << alipay;
  code("wechatpay", "weixin://wxpay/bizpayurl?pr=abc");
  const std::string wechat = page();
  EXPECT_FALSE(wechat.contains("id=\"app\""));
  EXPECT_TRUE(wechat.contains(R"(class="quiet advice on-phone">WeChat must scan this code with a camera.)")) << wechat;
}

TEST_F(CheckoutPage, LinksTheTextOfTheCodeInASandboxOnly) {
  code("alipay", "https://qr.alipay.com/bax1");
  EXPECT_FALSE(page().contains("id=\"open\""));
  EXPECT_TRUE(page().contains("Scan the code with Alipay."));
  code("rehearsal", "http://127.0.0.1:8090/wallet/1?a=1&b=2");
  EXPECT_TRUE(page().contains(R"(href="http://127.0.0.1:8090/wallet/1?a=1&amp;b=2")")) << page();
  code("rehearsal", "javascript:alert(1)");
  EXPECT_TRUE(page().contains("<svg "));
  EXPECT_FALSE(page().contains("javascript"));
}

TEST_F(CheckoutPage, LinksToTheChannelsPage) {
  redirect("https://openapi.alipay.com/gateway.do?a=1&b=2");
  const std::string shown = page();
  EXPECT_TRUE(shown.contains(R"(href="https://openapi.alipay.com/gateway.do?a=1&amp;b=2">Pay with Alipay</a>)"))
      << shown;
  EXPECT_TRUE(shown.contains("referrerpolicy=\"origin\""));
}

TEST_F(CheckoutPage, LinksOnlyWebUrls) {
  for (const char* url : {"javascript:alert(1)", "data:text/html,x", "", "//shop.example"}) {
    redirect(url);
    EXPECT_FALSE(page().contains("id=\"pay\"")) << url;
    order().return_url = url;
    succeed(order());
    EXPECT_FALSE(page().contains("id=\"return\"")) << url;
    order().state = OrderState::pending;
  }
}

TEST_F(CheckoutPage, OffersTheNewestOpenPayment) {
  code("wechatpay", "weixin://one");
  redirect("https://two.example/");
  EXPECT_TRUE(page().contains("two.example"));
  redirect("https://three.example/").close_pending = true;
  redirect("https://four.example/").state = PaymentState::failed;
  EXPECT_TRUE(page().contains("two.example"));
}

TEST_F(CheckoutPage, ExplainsHowToContinueAPaymentWithoutALink) {
  pending("wechatpay", ActionType::form).action_code = "{\"paySign\":\"secret\"}";
  EXPECT_TRUE(page().contains("Continue the payment in the shop&#39;s app"));
  EXPECT_FALSE(page().contains("paySign"));
  pending("alipay", ActionType::none);
  EXPECT_TRUE(page().contains("Confirm the payment in Alipay on your phone."));
  pending("gone", ActionType::none);
  EXPECT_TRUE(page().contains("Confirm the payment on your phone."));
}

TEST_F(CheckoutPage, ShowsNoBrokenImageForACodeThatIsTooLong) {
  code("wechatpay", std::string(5000, 'x'));
  EXPECT_FALSE(page().contains("<svg "));
  EXPECT_TRUE(page().contains("Continue the payment in the shop&#39;s app"));
}

TEST_F(CheckoutPage, OffersNoPaymentWhenTheOrderIsEndedOrUncertain) {
  struct Row {
    const char* name;
    void (*change)(Order& order);
    bool is_final;
  };
  const Row rows[] = {
      {"status-paid", succeed, true},
      {"status-failed", [](Order& order) { order.state = OrderState::failed; }, true},
      {"status-expired",
       [](Order& order) {
         order.state = OrderState::closed;
         order.close_reason = ClosedReason::expired;
       },
       true},
      {"status-cancelled",
       [](Order& order) {
         order.state = OrderState::closed;
         order.close_reason = ClosedReason::cancelled;
       },
       true},
      {"status-ending", [](Order& order) { order.close_requested = true; }, false},
      {"status-ending", [](Order& order) { order.expires_at = {1'800'000'000'000}; }, false},
      {"status-confirming", [](Order& order) { order.state = OrderState::processing; }, false},
      {"status-confirming", [](Order& order) { order.parked = true; }, false},
  };
  code("rehearsal", "http://127.0.0.1:8090/wallet/1");
  ASSERT_TRUE(offers_to_pay(page()));
  const Order before = order();
  for (const Row& row : rows) {
    order() = before;
    row.change(order());
    const std::string shown = page();
    EXPECT_TRUE(shown.contains(fmt::format("class=\"{}\"", row.name))) << row.name;
    EXPECT_FALSE(offers_to_pay(shown)) << row.name;
    EXPECT_EQ(loads_itself_again(shown), !row.is_final) << row.name;
    EXPECT_FALSE(shown.contains("Time left")) << row.name;
  }
}

TEST_F(CheckoutPage, SendsThePayerToTheShopWithoutAnOpenPayment) {
  EXPECT_TRUE(page().contains("class=\"status-unstarted\""));
  EXPECT_TRUE(page().contains("Return to The corner shop and choose a payment method."));
  redirect("https://one.example/").state = PaymentState::failed;
  EXPECT_TRUE(page().contains("class=\"status-declined\""));
  EXPECT_FALSE(page().contains("id=\"return\""));
  order().return_url = "https://shop.example/cart";
  EXPECT_TRUE(page().contains("state=pending\">Back to the shop</a>")) << page();
}

TEST_F(CheckoutPage, ChangesItsVersionOnlyWithItsContent) {
  code("alipay", "https://qr.alipay.com/bax1");
  const std::string version = version_of(page());
  clock_.advance(1min);
  EXPECT_EQ(version_of(page()), version) << "only the time left has changed";
  code("alipay", "https://qr.alipay.com/bax2");
  EXPECT_NE(version_of(page()), version);
}

TEST_F(CheckoutPage, ReloadsLessOftenTheLongerThePayerWaits) {
  code("alipay", "https://qr.alipay.com/bax1").created_at = clock_.now();
  EXPECT_TRUE(page().contains("content=\"2\""));
  clock_.advance(2min);
  EXPECT_TRUE(page().contains("content=\"5\""));
  clock_.advance(4min);
  EXPECT_TRUE(page().contains("content=\"15\""));
}

TEST_F(CheckoutPage, ShowsTimeMethodAndTransactionNumberOfThePayment) {
  succeed(order());
  store_.rows.orders.at(OrderId{100}).receipts.push_back({.id = ReceiptId{300}, .order_id = OrderId{100}});
  Receipt& receipt = store_.rows.orders.at(OrderId{100}).receipts.front();
  receipt.state = ReceiptState::accepted;
  receipt.channel = "wechatpay";
  receipt.channel_trade_no = "4200001";
  receipt.paid_at = Time{1'800'000'000'000};
  const std::string paid = page();
  EXPECT_TRUE(paid.contains(R"(<time datetime="2027-01-15T08:00:00.000Z">)")) << paid;
  EXPECT_TRUE(paid.contains("<dt>Payment method</dt><dd>WeChat Pay</dd>"));
  EXPECT_TRUE(paid.contains("<dt>Transaction number</dt><dd>4200001</dd>"));
  receipt.channel = "sandbox";
  EXPECT_TRUE(page().contains("<dt>Payment method</dt><dd>sandbox</dd>"));
}

// Adds an authorization that holds 15.00 CNY of the order.
Authorization& hold_on(OrderAggregate& order, Time capture_before) {
  order.order.capture_method = CaptureMethod::manual;
  order.order.state = OrderState::authorized;
  Authorization& row = order.authorizations.emplace_back();
  row.id = AuthorizationId{300};
  row.channel = "alipay";
  row.state = AuthorizationState::authorized;
  row.authorized_amount = 1500;
  row.currency = order.order.currency;
  row.capture_before = capture_before;
  return row;
}

TEST_F(CheckoutPage, ShowsTheReservedAmountAndItsDeadline) {
  OrderAggregate& aggregate = store_.rows.orders.at(OrderId{100});
  aggregate.payments.clear();
  hold_on(aggregate, clock_.now() + 24h);
  order().expires_at = clock_.now() - 1min;  // ends only the payer's window
  const std::string shown = page();
  EXPECT_TRUE(shown.contains("status-authorized")) << shown;
  EXPECT_TRUE(shown.contains("<dt>Reserved amount</dt><dd>¥15.00</dd>")) << shown;
  EXPECT_TRUE(shown.contains("<dt>Reserved until</dt><dd><time datetime=\"" + to_rfc3339(clock_.now() + 24h))) << shown;
  EXPECT_FALSE(offers_to_pay(shown));
  EXPECT_TRUE(loads_itself_again(shown));
  EXPECT_TRUE(page("zh-CN").contains("金额已冻结"));
}

TEST_F(CheckoutPage, ShowsEachCapture) {
  OrderAggregate& aggregate = store_.rows.orders.at(OrderId{100});
  aggregate.payments.clear();
  hold_on(aggregate, clock_.now() + 24h);
  for (const MinorUnits amount : {200, 300}) {
    Receipt& receipt = aggregate.receipts.emplace_back();
    receipt.channel = "alipay";
    receipt.channel_trade_no = "T" + std::to_string(amount);
    receipt.amount = amount;
    receipt.currency = order().currency;
    receipt.state = ReceiptState::accepted;
    receipt.paid_at = clock_.now();
  }
  const std::string shown = page();
  for (const char* text : {"<dd>¥2.00</dd>", "<dd>T200</dd>", "<dd>¥3.00</dd>", "<dd>T300</dd>", "Alipay"})
    EXPECT_TRUE(shown.contains(text)) << text;
}

TEST_F(CheckoutPage, OffersAnAuthorizationThatWaitsForThePayer) {
  OrderAggregate& aggregate = store_.rows.orders.at(OrderId{100});
  aggregate.payments.clear();
  Authorization& row = hold_on(aggregate, clock_.now() + 24h);
  order().state = OrderState::pending;
  row.state = AuthorizationState::pending;
  row.action_type = ActionType::redirect;
  row.action_url = "https://pay.example/1";
  EXPECT_TRUE(page().contains("href=\"https://pay.example/1\">Pay with Alipay</a>"));
  row.state = AuthorizationState::failed;
  EXPECT_TRUE(page().contains("status-declined"));
}

TEST_F(CheckoutPage, ShowsAFullRefund) {
  succeed(order());
  order().refunded_amount = 1233;
  EXPECT_TRUE(page().contains("class=\"status-paid\""));
  order().refunded_amount = 1234;
  EXPECT_TRUE(page().contains("class=\"status-refunded\">Refunded<"));
  EXPECT_TRUE(page().contains("<dt>Refunded</dt><dd>¥12.34</dd>"));
}

// The payer has already paid an amount that is neither accepted nor refunded. A second payment would be a duplicate.
TEST_F(CheckoutPage, AsksForNoSecondPaymentWhileMoneyIsInSuspense) {
  code("rehearsal", "http://127.0.0.1:8090/wallet/1");
  store_.rows.orders.at(OrderId{100}).receipts.push_back({.id = ReceiptId{300}, .order_id = OrderId{100}});
  Receipt& receipt = store_.rows.orders.at(OrderId{100}).receipts.front();
  receipt.state = ReceiptState::suspense;
  const std::string shown = page();
  EXPECT_TRUE(shown.contains("class=\"status-questioned\"")) << shown;
  EXPECT_TRUE(shown.contains("Please don&#39;t pay again")) << shown;
  EXPECT_FALSE(offers_to_pay(shown)) << shown;
  EXPECT_TRUE(loads_itself_again(shown));
  receipt.state = ReceiptState::returned;
  EXPECT_TRUE(offers_to_pay(page()));
}

TEST_F(CheckoutPage, LinksBackToTheShopOnceTheOrderIsFinal) {
  order().return_url = "https://shop.example/thanks?cart=1";
  code("wechatpay", "weixin://one");
  EXPECT_FALSE(page().contains("shop.example"));
  succeed(order());
  order().refunded_amount = 200;
  EXPECT_TRUE(page().contains("href=\"https://shop.example/thanks?cart=1&amp;order=" + to_text(OrderId{100}) +
                              "&amp;state=succeeded\">Back to the shop</a>"))
      << page();
  EXPECT_TRUE(page().contains("<dt>Refunded</dt><dd>¥2.00</dd>"));
}

TEST_F(CheckoutPage, EscapesTextsOfTheShop) {
  order().subject = "<script>alert('1')</script>";
  order().merchant_order_no = "\"><script>";
  store_.rows.merchants.at(kShop).name = "<script>";
  const std::string shown = page();
  EXPECT_EQ(shown.find("<script"), shown.rfind("<script")) << "only the script of the page: " << shown;
  EXPECT_TRUE(shown.contains("&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;"));
}

TEST_F(CheckoutPage, ShowsNoDataOfThePayerAndNoInternalIds) {
  Payment& payment = code("wechatpay", "weixin://one");
  payment.payer = R"({"openid":"o-secret"})";
  payment.out_trade_no = "trade-secret";
  payment.channel_trade_no = "upstream-secret";
  order().metadata = R"({"note":"meta-secret"})";
  const std::string shown = page();
  for (const std::string& text : {std::string("secret"), to_text(OrderId{100}), to_text(payment.id), to_text(kShop)})
    EXPECT_FALSE(shown.contains(text)) << text;
}

TEST_F(CheckoutPage, RunsOnlyItsOwnScriptAndIsNotCached) {
  const net::HttpResponse response = open(link());
  EXPECT_EQ(response.headers.get("Content-Type"), "text/html; charset=utf-8");
  EXPECT_EQ(response.headers.get("Cache-Control"), "no-store");
  EXPECT_EQ(response.headers.get("Referrer-Policy"), "same-origin");
  EXPECT_EQ(response.headers.get("X-Frame-Options"), "DENY");
  const std::string_view policy = response.headers.get("Content-Security-Policy");
  EXPECT_TRUE(policy.starts_with("default-src 'none'; style-src 'sha256-")) << policy;
  EXPECT_TRUE(policy.contains("; script-src 'sha256-")) << policy;
  EXPECT_FALSE(policy.contains("unsafe"));
  EXPECT_FALSE(response.body.contains("style=\"")) << "the policy blocks inline styles";
}

TEST_F(CheckoutPage, UsesTheBrowsersLanguage) {
  code("wechatpay", "weixin://one");
  const std::string chinese = page("zh-CN,zh;q=0.9,en;q=0.8");
  EXPECT_TRUE(chinese.contains("<html lang=\"zh-CN\">"));
  EXPECT_TRUE(chinese.contains("等待付款"));
  EXPECT_TRUE(chinese.contains("请用微信扫码付款。"));
  EXPECT_TRUE(page("en-US,en;q=0.9,zh;q=0.8").contains("<html lang=\"en\">"));
  EXPECT_TRUE(open("/checkout/x", "zh").body.contains("页面不存在"));
}

TEST_F(CheckoutPage, RequiresTheExactLink) {
  store_.rows.merchants.at(kOtherShop).link_secret = Secret("another");
  const std::string others = checkout_url("", store_.rows.merchants.at(kShop), OrderId{200});
  const std::string unknown = checkout_url("", store_.rows.merchants.at(kShop), OrderId{300});
  for (const std::string& target :
       {others, unknown, link() + "0", link().substr(0, link().size() - 1), std::string("/checkout/x"),
        return_url("", store_.rows.merchants.at(kShop), PaymentId{100}).replace(1, 6, "checkout")}) {
    const net::HttpResponse response = open(target);
    EXPECT_EQ(response.status, 404) << target;
    EXPECT_TRUE(response.body.contains("class=\"status-missing\"")) << target;
    EXPECT_FALSE(response.body.contains("Two coffees")) << target;
    EXPECT_FALSE(loads_itself_again(response.body));
  }
}

TEST_F(CheckoutPage, ReloadsItselfWhenTheStoreIsUnavailable) {
  store_.rows.broken = true;
  const net::HttpResponse response = open(link());
  EXPECT_EQ(response.status, 503);
  EXPECT_EQ(response.headers.get("Retry-After"), "1");
  EXPECT_TRUE(response.body.contains("class=\"status-unreadable\""));
  EXPECT_TRUE(loads_itself_again(response.body));
  EXPECT_FALSE(response.body.contains("disk"));
}

TEST(CheckoutLanguage, IsTheSupportedLanguageWithTheHighestWeight) {
  struct Row {
    const char* header;
    Language language;
  };
  const Row rows[] = {{"", Language::english},
                      {"zh", Language::chinese},
                      {"zh-Hant-TW", Language::chinese},
                      {"ZH-cn", Language::chinese},
                      {"en,zh", Language::english},
                      {"fr,zh;q=0.5", Language::chinese},
                      {"fr-FR,de;q=0.5,*;q=0.1", Language::english},
                      {"en;q=0.4, zh;q=0.6", Language::chinese},
                      {"zh;q=0", Language::english},
                      {"zh;q=x,,;q=;", Language::english},
                      {"zhx", Language::english}};
  for (const Row& row : rows) EXPECT_EQ(language_of(row.header), row.language) << row.header;
}

TEST(CheckoutWords, FormatDurationsInTheLargestUnitOfAtLeastTwo) {
  const Words& words = words_of(Language::english);
  EXPECT_EQ(words.duration(1'999ms), "1 s");
  EXPECT_EQ(words.duration(119'999ms), "119 s");
  EXPECT_EQ(words.duration(2min), "2 min");
  EXPECT_EQ(words.duration(119min + 59s), "119 min");
  EXPECT_EQ(words.duration(47h + 59min), "47 h");
  EXPECT_EQ(words.duration(30 * 24h), "30 days");
  EXPECT_EQ(words_of(Language::chinese).duration(5min), "5 分钟");
}

TEST(CheckoutWords, ExistForEveryStatusInEveryLanguage) {
  for (const Language language : {Language::english, Language::chinese}) {
    const Words& words = words_of(language);
    for (const StatusWords& status : words.statuses) EXPECT_FALSE(status.title.empty());
    for (std::size_t i = 0; i < kStatuses; ++i)
      EXPECT_EQ(words.statuses[i].advice.empty(), CheckoutStatus(i) == CheckoutStatus::waiting)
          << "while waiting, the way to pay is the advice";
    for (const AppWords& app : words.apps) {
      EXPECT_FALSE(app.scan.empty() || app.go.empty() || app.confirm.empty());
      EXPECT_NE(app.open.empty(), app.on_phone.empty()) << "either a link that opens the app, or advice";
    }
  }
}

}  // namespace
}  // namespace finality::http
