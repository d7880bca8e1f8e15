// Tests that two merchants' applications at one gateway are isolated from each other.
#include "sandbox/alipay/test_world.h"
#include "sandbox/core/china_time.h"

namespace finality::sandbox {
namespace {

class AlipayAccountsTest : public AlipayTest {
 protected:
  const std::string first_ = "merchant";
  const std::string second_ = "merchant2";

  std::string status(const std::string& out_trade_no) { return at(query(out_trade_no), "trade_status"); }

  void pay(const std::string& trade_no) { EXPECT_EQ(visit("POST", "/wallet/" + trade_no + "/pay").status, 200); }

  /// Returns the element of GET /ledger for the trade.
  Object line_of(const std::string& trade_no) {
    const boost::json::value ledger = visit("GET", "/ledger").json;
    for (const auto& line : ledger.at("trades").as_array())
      if (line.at("trade_no").as_string() == trade_no) return line.as_object();
    ADD_FAILURE() << trade_no << " is not in the ledger";
    return {};
  }

  /// Requests the download link of today's bill and returns the response node.
  Object bill_link() {
    const std::string today = to_rfc3339(SystemClock().now() + std::chrono::hours(8)).substr(0, 10);
    return call_gateway("alipay.data.dataservice.bill.downloadurl.query",
                        {{"bill_type", "trade"}, {"bill_date", today}});
  }
};

TEST_F(AlipayAccountsTest, Accounts_have_separate_files_ids_and_keys) {
  const auto account = [](const std::string& merchant) { return text_of(handed_out("account.json", merchant)); };
  EXPECT_EQ(account(first_), "{\"app_id\": \"2021000000000001\", \"seller_id\": \"2088000000000001\"}\n");
  EXPECT_EQ(account(second_), "{\"app_id\": \"2021000000000102\", \"seller_id\": \"2088000000000102\"}\n");
  for (const char* name :
       {"app_private_key.pem", "app_certificate.pem", "alipay_public_key.pem", "alipay_certificate.pem"})
    EXPECT_NE(text_of(handed_out(name, first_)), text_of(handed_out(name, second_))) << name;
}

TEST_F(AlipayAccountsTest, Request_under_the_key_of_another_account_is_refused) {
  const RsaPrivateKey first_key = key_;
  act_as(second_);
  key_ = first_key;
  const Fields forged = request("alipay.trade.query", {{"out_trade_no", "order_1"}});
  const Object answer = boost::json::parse(send(forged).body).as_object().at("error_response").as_object();
  EXPECT_EQ(at(answer, "code"), "40002");
  EXPECT_EQ(sub_code(answer), "isv.invalid-signature");
}

TEST_F(AlipayAccountsTest, Unknown_application_is_refused) {
  app_id_ = "2021000000000103";
  const Fields unknown = request("alipay.trade.query", {{"out_trade_no", "order_1"}});
  const Object answer = boost::json::parse(send(unknown).body).as_object().at("error_response").as_object();
  EXPECT_EQ(at(answer, "code"), "40002");
  EXPECT_EQ(sub_code(answer), "isv.invalid-app-id");
}

TEST_F(AlipayAccountsTest, Order_for_the_seller_of_another_account_is_refused) {
  act_as(second_);
  Object order = order_of("order_1");
  order["seller_id"] = "2088000000000001";
  EXPECT_EQ(sub_code(call_gateway("alipay.trade.precreate", order)), "ACQ.INVALID_PARAMETER");
  order["seller_id"] = "2088000000000102";
  EXPECT_EQ(at(call_gateway("alipay.trade.precreate", order), "code"), "10000");
}

// This test also covers the signing keys: call_gateway() verifies each response with Alipay's key for the account.
TEST_F(AlipayAccountsTest, Same_number_at_two_accounts_is_two_trades) {
  const std::string first_trade = open_page("order_1");
  act_as(second_);
  EXPECT_EQ(sub_code(query("order_1")), "ACQ.TRADE_NOT_EXIST");
  const std::string second_trade = open_page("order_1");
  EXPECT_NE(first_trade, second_trade);
  pay(second_trade);
  EXPECT_EQ(status("order_1"), "TRADE_SUCCESS");
  act_as(first_);
  EXPECT_EQ(status("order_1"), "WAIT_BUYER_PAY");
}

TEST_F(AlipayAccountsTest, Accounts_stay_separate_across_a_restart) {
  open_page("order_1");
  act_as(second_);
  const std::string second_trade = open_page("order_1");
  stop();
  start();
  pay(second_trade);
  EXPECT_EQ(status("order_1"), "TRADE_SUCCESS");
  EXPECT_EQ(notifications(1).at(0).at("app_id"), "2021000000000102");
  act_as(first_);
  EXPECT_EQ(status("order_1"), "WAIT_BUYER_PAY");
}

TEST_F(AlipayAccountsTest, Ledger_names_the_account_of_each_trade) {
  const std::string first_trade = open_page("order_1");
  act_as(second_);
  const std::string second_trade = open_page("order_1");
  EXPECT_EQ(at(line_of(first_trade), "account"), "2021000000000001");
  EXPECT_EQ(at(line_of(second_trade), "account"), "2021000000000102");
  EXPECT_EQ(at(line_of(first_trade), "channel"), "alipay");
  EXPECT_EQ(at(line_of(second_trade), "channel"), "alipay");
  const std::string simple = create(order("order_1")).trade_no();
  EXPECT_TRUE(line_of(simple).at("account").is_null());
}

TEST_F(AlipayAccountsTest, Trade_of_another_account_cannot_be_queried_closed_or_refunded) {
  const std::string waiting = open_page("order_1");
  const std::string paid = open_page("order_2");
  pay(paid);
  act_as(second_);
  for (const Object& biz : {Object{{"out_trade_no", "order_1"}}, Object{{"trade_no", waiting}}}) {
    EXPECT_EQ(sub_code(call_gateway("alipay.trade.query", biz)), "ACQ.TRADE_NOT_EXIST") << biz;
    EXPECT_EQ(sub_code(call_gateway("alipay.trade.close", biz)), "ACQ.TRADE_NOT_EXIST") << biz;
    EXPECT_FALSE(call_gateway("alipay.trade.cancel", biz).contains("action")) << biz;
  }
  for (const Object& biz : {Object{{"out_trade_no", "order_2"}}, Object{{"trade_no", paid}}}) {
    Object refund = biz;
    refund["refund_amount"] = "1.00";
    refund["out_request_no"] = "refund_1";
    EXPECT_EQ(sub_code(call_gateway("alipay.trade.refund", refund)), "ACQ.TRADE_NOT_EXIST") << biz;
    EXPECT_EQ(sub_code(call_gateway("alipay.trade.fastpay.refund.query", refund)), "ACQ.TRADE_NOT_EXIST") << biz;
  }
  act_as(first_);
  EXPECT_EQ(status("order_1"), "WAIT_BUYER_PAY");
  EXPECT_EQ(line_of(paid).at("refunded").as_int64(), 0);
}

TEST_F(AlipayAccountsTest, Refunds_of_two_accounts_may_have_the_same_number) {
  for (const auto& [merchant, amount] : {std::pair{first_, "1.00"}, {second_, "2.00"}}) {
    act_as(merchant);
    pay(open_page("order_1"));
    EXPECT_EQ(at(refund("order_1", amount, "refund_1"), "fund_change"), "Y");
  }
  EXPECT_EQ(at(query_refund("order_1", "refund_1"), "refund_amount"), "2.00");
  act_as(first_);
  EXPECT_EQ(at(query_refund("order_1", "refund_1"), "refund_amount"), "1.00");
}

TEST_F(AlipayAccountsTest, Notification_verifies_only_with_the_key_of_its_account) {
  Receiver second_receiver(io_);
  pay(open_page("order_1"));
  const Fields first = notifications(1).at(0);
  act_as(second_);
  Object order = order_of("order_1");
  order["product_code"] = "FAST_INSTANT_TRADE_PAY";
  const auto opened = visit_page(request("alipay.trade.page.pay", order, {{"notify_url", second_receiver.url()}}));
  const std::string location(opened.headers.get("Location"));
  pay(location.substr(location.rfind('/') + 1));
  const Fields second = decoded(second_receiver.wait_for(1).at(0).body);
  EXPECT_EQ(second.at("app_id"), "2021000000000102");
  EXPECT_EQ(second.at("seller_id"), "2088000000000102");
  EXPECT_TRUE(is_genuine(second));
  EXPECT_FALSE(is_genuine(first));
  act_as(first_);
  EXPECT_FALSE(is_genuine(second));
  EXPECT_TRUE(is_genuine(first));
  EXPECT_EQ(first.at("app_id"), "2021000000000001");
  EXPECT_EQ(receiver_.count(), 1u);
}

TEST_F(AlipayAccountsTest, Return_url_is_signed_for_the_account_of_the_trade) {
  act_as(second_);
  Object order = order_of("order_1");
  order["product_code"] = "FAST_INSTANT_TRADE_PAY";
  const auto opened = visit_page(request("alipay.trade.page.pay", order, {{"return_url", "http://shop.example/back"}}));
  const std::string location(opened.headers.get("Location"));
  pay(location.substr(location.rfind('/') + 1));
  const std::string page = visit("GET", location, "text/html").response.body;
  EXPECT_TRUE(page.contains("app_id=2021000000000102&amp;")) << page;
}

TEST_F(AlipayAccountsTest, Bill_lists_only_the_trades_of_its_account) {
  const std::string today = china_date(SystemClock().now());
  for (const char* channel : {"alipay", "alipay%232"}) publish_early(channel, today);
  pay(open_page("order_1"));
  act_as(second_);
  EXPECT_EQ(sub_code(bill_link()), "NO_BILL_DATA");
  const std::string mine = open_page("order_2");
  pay(mine);
  const std::string link = at(bill_link(), "bill_download_url");
  EXPECT_TRUE(link.contains("userId=20880000000001020156")) << link;
  const auto bill = exchange("GET", link.substr(link.find("/downloadBillFile")), "", {});
  EXPECT_EQ(bill.status, 200);
  EXPECT_TRUE(bill.headers.get("Content-Disposition").contains("20880000000001020156_"));
}

}  // namespace
}  // namespace finality::sandbox
