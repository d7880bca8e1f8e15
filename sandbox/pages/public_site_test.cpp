#include "sandbox/pages/public_site.h"

#include "sandbox/pages/payer_page.h"
#include "sandbox/testing/test_world.h"

namespace finality::sandbox {
namespace {

using PublicSiteTest = TestWorld;

constexpr const char* kBrowser = "text/html,application/xhtml+xml,*/*;q=0.8";

bool holds(const SandboxReply& page, std::string_view text) {
  return page.response.body.find(text) != std::string::npos;
}

TEST(PayerPageTest, FormatsAmountsByTheirCurrency) {
  EXPECT_EQ(format_amount(1234, "CNY"), "12.34 CNY");
  EXPECT_EQ(format_amount(1234, "JPY"), "1234 JPY");
  EXPECT_EQ(format_amount(1234, "KWD"), "1.234 KWD");
  EXPECT_EQ(format_amount(1234, "QQQ"), "1234 QQQ");
}

TEST(PayerPageTest, EscapesEveryValue) {
  Trade trade;
  for (std::string* field : {&trade.trade_no, &trade.channel, &trade.out_trade_no, &trade.currency, &trade.payer,
                             &trade.subject, &trade.scenario})
    *field = "<img \"'&>";
  trade.state = TradeState::paid;
  trade.return_url = "http://shop/?a=\"><img";
  for (const std::string& page : {payer_page(trade, trade.return_url), index_page({trade}, {}, {})})
    EXPECT_EQ(page.find("<img"), std::string::npos);
}

TEST_F(PublicSiteTest, ThePayerSeesSubjectAmountAndState) {
  const SandboxReply made = create(order("order-1"));
  const SandboxReply page = visit("GET", "/wallet/" + made.trade_no(), kBrowser);
  EXPECT_EQ(page.status, 200);
  EXPECT_TRUE(page.response.headers.get("Content-Type").starts_with("text/html"));
  for (const char* part :
       {"id=\"pay\"", "id=\"decline\"", "id=\"state\"", ">waiting<", "12.34 CNY", "Tea &amp; &lt;biscuits&gt;"})
    EXPECT_TRUE(holds(page, part)) << part;
  EXPECT_FALSE(holds(page, "Return to the shop"));
  EXPECT_EQ(visit("GET", "/wallet/" + made.trade_no()).json, made.json.at("trade"));
}

TEST_F(PublicSiteTest, TheFormsRedirectToThePage) {
  auto body = order("order-1");
  body["return_url"] = "https://shop.example/thanks?a=1&b=2";
  const std::string wallet = "/wallet/" + create(body).trade_no();
  const SandboxReply paid = visit("POST", wallet + "/pay", kBrowser);
  EXPECT_EQ(paid.status, 303);
  EXPECT_EQ(paid.response.headers.get("Location"), wallet);
  const SandboxReply page = visit("GET", wallet, kBrowser);
  EXPECT_TRUE(holds(page, ">paid<"));
  EXPECT_TRUE(holds(page, "href=\"https://shop.example/thanks?a=1&amp;b=2\">Return to the shop"));
  EXPECT_FALSE(holds(page, "id=\"pay\""));
  EXPECT_EQ(visit("POST", wallet + "/pay", kBrowser).status, 409);
  EXPECT_EQ(boost::json::parse(receiver_.wait_for(1)[0].body).at("type"), "trade.paid");
}

TEST_F(PublicSiteTest, AProgramPaysAndDeclinesInJson) {
  const std::string first = create(order("order-1")).trade_no();
  const std::string second = create(order("order-2")).trade_no();
  const SandboxReply paid = visit("POST", "/wallet/" + first + "/pay");
  EXPECT_EQ(paid.status, 200);
  EXPECT_EQ(paid.text("state"), "paid");
  EXPECT_EQ(paid.json, query("order-1").json.at("trade"));
  const SandboxReply declined = visit("POST", "/wallet/" + second + "/decline");
  EXPECT_EQ(declined.text("state"), "failed");
  const SandboxReply refused = visit("POST", "/wallet/" + second + "/pay");
  EXPECT_EQ(refused.status, 409);
  EXPECT_EQ(refused.text("code"), "trade_not_waiting");
  EXPECT_EQ(refused.state(), "failed");
}

TEST_F(PublicSiteTest, TheLedgerHoldsEveryTrade) {
  create(order("order-1"));
  create(order("order-2", "pays"), "sandbox2");
  receiver_.wait_for(1);
  const SandboxReply ledger = visit("GET", "/ledger");
  ASSERT_EQ(ledger.status, 200);
  const auto& trades = ledger.json.at("trades").as_array();
  ASSERT_EQ(trades.size(), 2u);
  EXPECT_EQ(trades[0].at("out_trade_no"), "order-1");
  EXPECT_EQ(trades[0].at("state"), "waiting");
  EXPECT_EQ(trades[1].at("channel"), "sandbox2");
  EXPECT_EQ(trades[1].at("paid").as_int64(), 1234);
  EXPECT_EQ(trades[1].at("refunded").as_int64(), 0);
}

TEST_F(PublicSiteTest, TheIndexLinksTheLatestTrades) {
  EXPECT_EQ(visit("GET", "/", kBrowser).status, 200);
  const std::string trade_no = create(order("order-1")).trade_no();
  EXPECT_TRUE(holds(visit("GET", "/", kBrowser), "href=\"/wallet/" + trade_no + "\""));
}

TEST_F(PublicSiteTest, RejectsUnknownRoutesAndMethods) {
  const SandboxReply health = visit("GET", "/healthz");
  EXPECT_EQ(health.status, 200);
  EXPECT_EQ(health.text("status"), "ok");
  EXPECT_EQ(visit("GET", "/nothing").text("code"), "not_found");
  EXPECT_EQ(visit("GET", "/wallet/none").status, 404);
  EXPECT_EQ(visit("POST", "/wallet/none/pay").text("code"), "trade_not_exist");
  EXPECT_EQ(visit("POST", "/wallet/none/steal").status, 404);
  EXPECT_EQ(visit("GET", "/wallet/none/pay").status, 405);
  EXPECT_EQ(visit("POST", "/ledger").response.headers.get("Allow"), "GET");
}

}  // namespace
}  // namespace finality::sandbox
