// Tests that two merchants at one gateway are isolated from each other.
#include "sandbox/wechatpay/test_world.h"

namespace finality::sandbox {
namespace {

class WechatpayAccountsTest : public WechatpayTest {
 protected:
  const std::string first_ = "merchant";
  const std::string second_ = "merchant2";

  static std::string code(const SandboxReply& answer) { return answer.text("code"); }

  /// Creates a paid trade of the current merchant. Returns its transaction_id.
  std::string paid(const std::string& out_trade_no) {
    EXPECT_EQ(prepay(out_trade_no, "pays").status, 200);
    return wait_for_trade(out_trade_no, "SUCCESS").text("transaction_id");
  }

  std::string bill() {
    const SandboxReply offer = get("/v3/bill/tradebill?bill_date=" + today());
    EXPECT_EQ(offer.status, 200) << offer.response.body;
    const std::string url = offer.text("download_url");
    return url.substr(url.find("/v3/"));
  }
  net::HttpResponse download(const std::string& target) {
    return exchange("GET", target, "", headers_of({.target = target}));
  }
};

TEST_F(WechatpayAccountsTest, Accounts_have_separate_files_numbers_and_keys) {
  EXPECT_EQ(account("mchid"), "1900000001");
  EXPECT_EQ(account("appid"), "wx0f1a0c0de0000001");
  act_as(second_);
  EXPECT_EQ(account("mchid"), "1900000102");
  EXPECT_EQ(account("appid"), "wx0f1a0c0de0000102");
  for (const char* name :
       {"private_key.pem", "certificate.pem", "api_v3_key", "platform_certificate.pem", "wechatpay_public_key.pem"})
    EXPECT_NE(read_text(handed_out(name, first_)), read_text(handed_out(name, second_))) << name;
}

TEST_F(WechatpayAccountsTest, Request_under_the_key_of_another_account_is_refused) {
  const std::string own_mchid = account("mchid");
  const std::string own_serial = account("serial_no");
  act_as(second_);
  const std::string target = "/v3/certificates";
  const struct {
    const char* description;
    Request request;
  } cases[] = {
      {"mchid and serial of the first", {.target = target, .mchid = own_mchid, .serial_no = own_serial}},
      {"mchid of the first", {.target = target, .mchid = own_mchid}},
      {"serial of the first", {.target = target, .serial_no = own_serial}},
      {"a mchid that is not known", {.target = target, .mchid = "1900000103"}},
  };
  for (const auto& test_case : cases) {
    const SandboxReply answer = send_signed(test_case.request);
    EXPECT_EQ(answer.status, 401) << test_case.description;
    EXPECT_EQ(code(answer), "SIGN_ERROR") << test_case.description;
  }
  EXPECT_EQ(get(target).status, 200);
}

TEST_F(WechatpayAccountsTest, Platform_serial_of_another_account_is_refused) {
  const std::string first_serial = account("platform_serial_no");
  act_as(second_);
  const SandboxReply answer = send_signed({.target = "/v3/certificates", .requested_serial = first_serial});
  EXPECT_EQ(answer.status, 400);
  EXPECT_EQ(code(answer), "PARAM_ERROR");
}

TEST_F(WechatpayAccountsTest, Order_that_names_another_account_is_refused) {
  const std::string first_mchid = account("mchid");
  const std::string first_appid = account("appid");
  const std::string first_query = query_target("order-000001");
  act_as(second_);
  const auto with = [&](const char* name, const std::string& value) {
    boost::json::object order = wechat_order("order-000001");
    order[name] = value;
    return order;
  };
  EXPECT_EQ(code(prepay(with("appid", first_appid))), "APPID_MCHID_NOT_MATCH");
  EXPECT_EQ(code(prepay(with("mchid", first_mchid))), "APPID_MCHID_NOT_MATCH");
  EXPECT_EQ(code(get(first_query)), "APPID_MCHID_NOT_MATCH");
  const SandboxReply closed = post("/v3/pay/transactions/out-trade-no/order-000001/close", {{"mchid", first_mchid}});
  EXPECT_EQ(code(closed), "APPID_MCHID_NOT_MATCH");
}

// This test also covers the signing keys: send_signed() verifies each response with WeChat Pay's key for the account.
TEST_F(WechatpayAccountsTest, Same_number_at_two_accounts_is_two_trades) {
  prepay("order-000001", "manual");
  act_as(second_);
  EXPECT_EQ(code(query("order-000001")), "ORDER_NOT_EXIST");
  paid("order-000001");
  const SandboxReply mine = query("order-000001");
  EXPECT_EQ(mine.text("mchid"), "1900000102");
  EXPECT_EQ(mine.text("appid"), "wx0f1a0c0de0000102");
  act_as(first_);
  EXPECT_EQ(query("order-000001").text("trade_state"), "NOTPAY");
  EXPECT_EQ(query("order-000001").text("mchid"), "1900000001");
}

TEST_F(WechatpayAccountsTest, Ledger_names_the_account_of_each_trade) {
  prepay("order-000001", "manual");
  act_as(second_);
  prepay("order-000001", "manual");
  const boost::json::array lines = ledger();
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].at("account").as_string(), "1900000001");
  EXPECT_EQ(lines[1].at("account").as_string(), "1900000102");
  for (const auto& line : lines) EXPECT_EQ(line.at("channel").as_string(), "wechatpay");
}

TEST_F(WechatpayAccountsTest, Trade_of_another_account_cannot_be_queried_closed_or_refunded) {
  prepay("order-000001", "manual");
  const std::string trade = paid("order-000002");
  refund("refund-1", trade, 100);
  act_as(second_);
  EXPECT_EQ(code(query("order-000001")), "ORDER_NOT_EXIST");
  EXPECT_EQ(code(get("/v3/pay/transactions/id/" + trade + "?mchid=" + account("mchid"))), "ORDER_NOT_EXIST");
  EXPECT_EQ(code(close("order-000001")), "ORDER_NOT_EXIST");
  EXPECT_EQ(code(refund("refund-2", trade, 100)), "RESOURCE_NOT_EXISTS");
  EXPECT_EQ(
      code(post("/v3/refund/domestic/refunds", {{"out_trade_no", "order-000002"},
                                                {"out_refund_no", "refund-3"},
                                                {"amount", {{"refund", 100}, {"total", 1234}, {"currency", "CNY"}}}})),
      "RESOURCE_NOT_EXISTS");
  EXPECT_EQ(code(query_refund("refund-1")), "RESOURCE_NOT_EXISTS");
  act_as(first_);
  EXPECT_EQ(query("order-000001").text("trade_state"), "NOTPAY");
  EXPECT_EQ(ledger().at(1).at("refunded").as_int64(), 100);
}

TEST_F(WechatpayAccountsTest, Refunds_of_two_accounts_may_have_the_same_number) {
  for (const auto& [merchant, amount] : {std::pair{first_, 100}, {second_, 200}}) {
    act_as(merchant);
    EXPECT_EQ(refund("refund-1", paid("order-000001"), amount).status, 200);
    const SandboxReply arrived = wait_for_refund("refund-1", "SUCCESS");
    EXPECT_EQ(arrived.json.at("amount").at("refund").as_int64(), amount);
  }
}

TEST_F(WechatpayAccountsTest, Callback_verifies_and_decrypts_only_with_the_keys_of_its_account) {
  Receiver second_receiver(io_);
  prepay("order-000001", "pays");
  const net::HttpRequest first = receiver_.wait_for(1).at(0);
  act_as(second_);
  boost::json::object order = wechat_order("order-000001", "pays");
  order["notify_url"] = second_receiver.url();
  prepay(order);
  const net::HttpRequest second = second_receiver.wait_for(1).at(0);
  const Callback callback = open(second);
  EXPECT_EQ(callback.text("mchid"), "1900000102");
  EXPECT_EQ(callback.text("appid"), "wx0f1a0c0de0000102");
  EXPECT_FALSE(is_genuine(first.headers, first.body));
  act_as(first_);
  EXPECT_FALSE(is_genuine(second.headers, second.body));
  EXPECT_EQ(open(first).text("mchid"), "1900000001");
  EXPECT_EQ(receiver_.count(), 1u);
}

TEST_F(WechatpayAccountsTest, Refund_callback_names_its_account) {
  act_as(second_);
  refund("refund-1", paid("order-000001"), 100);
  const Callback callback = callbacks(2).at(1);
  EXPECT_EQ(callback.event(), "REFUND.SUCCESS");
  EXPECT_EQ(callback.text("mchid"), "1900000102");
}

TEST_F(WechatpayAccountsTest, Client_pays_only_with_a_signature_of_the_trades_account) {
  const std::string prepay_id = prepay(wechat_order("order-000001"), "app").text("prepay_id");
  const auto cashier = [&] {
    const std::string signature = sign(fmt::format("{}\n1795248000\nnonce\n{}\n", account("appid"), prepay_id));
    return visit("GET", fmt::format("/wechatpay/cashier?appid={}&partnerid={}&prepayid={}&package=Sign%3DWXPay"
                                    "&noncestr=nonce&timestamp=1795248000&sign={}",
                                    account("appid"), account("mchid"), prepay_id, percent_encode(signature)));
  };
  EXPECT_EQ(cashier().status, 303);
  act_as(second_);
  EXPECT_EQ(cashier().status, 400);
}

TEST_F(WechatpayAccountsTest, Bill_lists_only_the_trades_of_its_account) {
  for (const char* channel : {"wechatpay", "wechatpay%232"}) publish_early(channel, today());
  const std::string foreign = paid("order-000001");
  const std::string foreign_bill = bill();
  act_as(second_);
  EXPECT_EQ(code(get("/v3/bill/tradebill?bill_date=" + today())), "NO_STATEMENT_EXIST");
  const std::string mine = paid("order-000002");
  const std::string lines = download(bill()).body;
  EXPECT_TRUE(lines.contains(mine)) << lines;
  EXPECT_TRUE(lines.contains("`wx0f1a0c0de0000102,`1900000102,")) << lines;
  EXPECT_FALSE(lines.contains(foreign)) << lines;
  EXPECT_EQ(download(foreign_bill).status, 404);
}

}  // namespace
}  // namespace finality::sandbox
