// Tests of the methods alipay.fund.auth.*, of captures, and of the scenarios over them.
#include "sandbox/alipay/fund_auth.h"

#include "sandbox/alipay/test_fund_auth.h"

namespace finality::sandbox {
namespace {

using namespace std::chrono_literals;

TEST_F(AlipayHoldTest, AVoucherBecomesAnAuthorizationWhenItIsScanned) {
  const Object made = voucher("order_1");
  ASSERT_EQ(at(made, "code"), "10000") << made;
  EXPECT_EQ(at(made, "code_type"), "qrCode");
  EXPECT_EQ(voucher("order_1"), made) << "the same order has the same code";
  EXPECT_EQ(sub_code(query_freeze("order_1")), "AUTH_ORDER_NOT_EXIST");
  EXPECT_EQ(sub_code(cancel("order_1")), "AUTH_ORDER_NOT_EXIST");

  const std::string code = at(made, "code_value");
  const std::string site = fmt::format("http://127.0.0.1:{}", sandbox_->port());
  ASSERT_TRUE(code.starts_with(site + "/alipay/qr/")) << code;
  const net::HttpResponse scanned = exchange("GET", code.substr(site.size()), "", {});
  EXPECT_EQ(scanned.status, 302);
  EXPECT_EQ(at(query_freeze("order_1"), "order_status"), "INIT");
  EXPECT_EQ(visit("POST", std::string(scanned.headers.get("Location")) + "/pay").text("state"), "held");
  const Object frozen = query_freeze("order_1");
  EXPECT_EQ(at(frozen, "order_status"), "AUTHORIZED");
  expect_totals(frozen, "10.00", "0.00", "10.00");
  EXPECT_EQ(sub_code(voucher("order_1")), "FREEZE_ALREADY_SUCCESS");
}

TEST_F(AlipayHoldTest, ABarcodeIsFrozenAtOnceOrWaitsForThePayer) {
  const Object frozen = freeze("order_1", "authorizes");
  EXPECT_EQ(at(frozen, "code"), "10000") << frozen;
  EXPECT_EQ(at(frozen, "status"), "SUCCESS");
  EXPECT_EQ(at(frozen, "amount"), "10.00");
  EXPECT_EQ(at(frozen, "out_request_no"), "order_1");
  EXPECT_NE(at(frozen, "gmt_trans"), "none");
  EXPECT_TRUE(at(frozen, "payer_user_id").starts_with("2088"));
  EXPECT_EQ(sub_code(freeze("order_1", "authorizes")), "FREEZE_ALREADY_SUCCESS");

  const Object waits = freeze("order_2");
  EXPECT_EQ(at(waits, "code"), "10003");
  EXPECT_EQ(at(waits, "status"), "INIT");
  EXPECT_EQ(at(freeze("order_2"), "auth_no"), at(waits, "auth_no"));
  EXPECT_EQ(at(query_freeze("order_2"), "order_status"), "INIT");
}

TEST_F(AlipayHoldTest, AnOrderStringOpensTheAuthorization) {
  Object order = freeze_order("order_1");
  order["product_code"] = "PRE_AUTH_ONLINE";
  const net::HttpResponse opened = visit_page(request("alipay.fund.auth.order.app.freeze", order, notified()));
  ASSERT_EQ(opened.status, 302) << opened.body;
  EXPECT_EQ(at(query_freeze("order_1"), "order_status"), "INIT");
  const std::string page(opened.headers.get("Location"));
  EXPECT_EQ(visit("POST", page + "/pay").text("state"), "held");
  const std::string auth_no = page.substr(page.rfind('/') + 1);
  EXPECT_EQ(sub_code(capture(auth_no, "capture_1", "4.00")), "ACQ.PRE_AUTH_PROD_CODE_INCONSISTENT");
  Object wanted = capture_order(auth_no, "capture_1", "4.00");
  wanted["product_code"] = "PRE_AUTH_ONLINE";
  EXPECT_EQ(at(call_gateway("alipay.trade.pay", wanted), "code"), "10000");
}

TEST_F(AlipayHoldTest, CreationsAreChecked) {
  const auto refusal_of = [&](const Object& changes) {
    Object order = freeze_order("order_1");
    order["auth_code"] = kBarcode;
    order["auth_code_type"] = "bar_code";
    for (const auto& change : changes) order[change.key()] = change.value();
    return sub_code(call_gateway("alipay.fund.auth.order.freeze", order));
  };
  for (const Object& invalid :
       {Object{{"amount", "0"}}, Object{{"product_code", "PRE_AUTH_ONLINE"}}, Object{{"out_request_no", "a-b"}},
        Object{{"order_title", nullptr}}, Object{{"timeout_express", "30s"}}, Object{{"auth_code_type", "face"}},
        Object{{"extra_param", "scenario"}}, Object{{"extra_param", R"({"scenario":"wonder"})"}}})
    EXPECT_EQ(refusal_of(invalid), "ILLEGAL_ARGUMENT") << invalid;
  EXPECT_EQ(refusal_of({{"auth_code", "123"}}), "PAYMENT_AUTH_CODE_INVALID");
  EXPECT_EQ(refusal_of({{"payee_user_id", "2088000000000102"}}), "ILLEGAL_PAYEE_USER_ID");
  EXPECT_EQ(sub_code(query_freeze("order_1")), "AUTH_ORDER_NOT_EXIST") << "no refused order has an effect";
  freeze("order_1");
  EXPECT_EQ(refusal_of({{"amount", "10.01"}}), "UNIQUE_VIOLATION");
  EXPECT_EQ(refusal_of({{"out_request_no", "order_2"}}), "UNIQUE_VIOLATION");
}

TEST_F(AlipayHoldTest, AQueryNamesOneOperation) {
  const std::string auth_no = held("order_1");
  unfreeze(auth_no, "order_1", "1.00");  // numbers of operations of two types may coincide
  capture(auth_no, "capture_1", "4.00");
  const Object frozen = query_operation("order_1", "order_1");
  EXPECT_EQ(at(frozen, "operation_type"), "FREEZE") << "is preferred";
  EXPECT_EQ(at(frozen, "amount"), "10.00");
  EXPECT_EQ(at(frozen, "order_title"), "茶 Tea");
  expect_totals(frozen, "10.00", "4.00", "5.00");
  EXPECT_EQ(at(frozen, "rest_fund_amount"), "5.00");
  EXPECT_EQ(at(frozen, "rest_credit_amount"), "0.00");
  EXPECT_FALSE(frozen.contains("total_unfreeze_amount") || frozen.contains("pre_auth_type"));
  const Object released = query_operation("order_1", "order_1", "UNFREEZE");
  EXPECT_EQ(at(released, "amount"), "1.00");
  const Object paid = query_operation("order_1", "capture_1", "PAY");
  EXPECT_EQ(at(paid, "amount"), "4.00");
  EXPECT_EQ(at(paid, "status"), "SUCCESS");
  EXPECT_EQ(sub_code(query_operation("order_1", "capture_1", "FREEZE")), "AUTH_OPERATION_NOT_EXIST");
  EXPECT_EQ(sub_code(query_operation("order_2", "order_2")), "AUTH_ORDER_NOT_EXIST");

  const Object by_id{{"auth_no", auth_no},
                     {"operation_id", at(released, "operation_id")},
                     {"out_order_no", "order_2"},
                     {"out_request_no", "order_2"}};
  EXPECT_EQ(at(call_gateway("alipay.fund.auth.operation.detail.query", by_id), "operation_type"), "UNFREEZE")
      << "auth_no and operation_id have precedence";
  EXPECT_EQ(sub_code(call_gateway("alipay.fund.auth.operation.detail.query", {{"auth_no", auth_no}})),
            "ILLEGAL_ARGUMENT");
}

TEST_F(AlipayHoldTest, ACancelClosesOrReleases) {
  freeze("order_1");
  EXPECT_EQ(at(cancel("order_1"), "action"), "close");
  const Object closed = query_freeze("order_1");
  EXPECT_EQ(at(closed, "order_status"), "CLOSED");
  EXPECT_EQ(at(closed, "status"), "CLOSED");
  expect_totals(closed, "0.00", "0.00", "0.00");
  EXPECT_EQ(sub_code(cancel("order_1")), "ORDER_ALREADY_CLOSED");
  EXPECT_EQ(sub_code(freeze("order_1")), "ORDER_ALREADY_CLOSED");

  held("order_2");
  EXPECT_EQ(at(cancel("order_2"), "action"), "unfreeze");
  EXPECT_EQ(at(cancel("order_2"), "action"), "unfreeze") << "a repetition has no further effect";
  const Object released = query_freeze("order_2");
  EXPECT_EQ(at(released, "order_status"), "CLOSED");
  expect_totals(released, "10.00", "0.00", "0.00");
  EXPECT_EQ(sub_code(cancel("order_3")), "AUTH_ORDER_NOT_EXIST");
}

TEST_F(AlipayHoldTest, ACancelIsRefusedAfterAPartOrADay) {
  const auto clock = start_with_stopped_clock();
  unfreeze(held("order_1"), "release_1", "1.00");
  EXPECT_EQ(sub_code(cancel("order_1")), "REQUEST_AMOUNT_EXCEED");
  capture(held("order_2"), "capture_1", "4.00");
  EXPECT_EQ(sub_code(cancel("order_2")), "REQUEST_AMOUNT_EXCEED");
  held("order_3");
  const std::string auth_no = held("order_4");
  clock->advance(24h);
  EXPECT_EQ(at(cancel("order_3"), "action"), "unfreeze");
  clock->advance(1ms);
  EXPECT_EQ(sub_code(cancel("order_4")), "CANCEL_OPERATION_TIME_OUT");
  EXPECT_EQ(at(unfreeze(auth_no, "release_2", "10.00"), "status"), "SUCCESS");
}

TEST_F(AlipayHoldTest, ReleasesEndTheAuthorization) {
  const std::string auth_no = held("order_1");
  EXPECT_EQ(sub_code(unfreeze(auth_no, "release_1", "10.01")), "REQUEST_AMOUNT_EXCEED");
  const Object part = unfreeze(auth_no, "release_1", "4.00");
  EXPECT_EQ(at(part, "amount"), "4.00");
  EXPECT_EQ(unfreeze(auth_no, "release_1", "4.00"), part) << "a repetition has no further effect";
  EXPECT_EQ(sub_code(unfreeze(auth_no, "release_1", "5.00")), "UNIQUE_VIOLATION");
  expect_totals(query_freeze("order_1"), "10.00", "0.00", "6.00");
  EXPECT_EQ(at(unfreeze(auth_no, "release_2", "6.00"), "code"), "10000");
  EXPECT_EQ(at(query_freeze("order_1"), "order_status"), "CLOSED");
  EXPECT_EQ(sub_code(unfreeze(auth_no, "release_3", "1.00")), "ORDER_ALREADY_CLOSED");
  EXPECT_EQ(sub_code(unfreeze(at(freeze("order_2"), "auth_no"), "release_4", "1.00")), "ILLEGAL_STATUS");
  EXPECT_EQ(sub_code(unfreeze("2026", "release_5", "1.00")), "AUTH_ORDER_NOT_EXIST");
  const Object no_remark{{"auth_no", auth_no}, {"out_request_no", "release_6"}, {"amount", "1.00"}};
  EXPECT_EQ(sub_code(call_gateway("alipay.fund.auth.order.unfreeze", no_remark)), "ILLEGAL_ARGUMENT");
}

TEST_F(AlipayHoldTest, ACaptureIsATradeThatCanBeRefunded) {
  const std::string auth_no = held("order_1");
  const Object paid = capture(auth_no, "capture_1", "4.00");
  EXPECT_EQ(at(paid, "code"), "10000") << paid;
  EXPECT_EQ(at(paid, "total_amount"), "4.00");
  EXPECT_NE(at(paid, "trade_no"), auth_no);
  expect_totals(query_freeze("order_1"), "10.00", "4.00", "6.00");
  EXPECT_EQ(sub_code(capture(auth_no, "capture_1", "4.00")), "ACQ.TRADE_HAS_SUCCESS");
  EXPECT_EQ(sub_code(capture(auth_no, "capture_1", "5.00")), "ACQ.CONTEXT_INCONSISTENT");
  const Object trade = query("capture_1");
  EXPECT_EQ(at(trade, "trade_status"), "TRADE_SUCCESS");
  EXPECT_EQ(at(trade, "trade_no"), at(paid, "trade_no"));
  EXPECT_EQ(at(refund("capture_1", "4.00", "back_1"), "fund_change"), "Y");
  expect_totals(query_freeze("order_1"), "10.00", "4.00", "6.00");
}

TEST_F(AlipayHoldTest, OnlyACaptureInTheModeCompleteReleasesTheRest) {
  capture(held("order_1"), "capture_1", "4.00");
  EXPECT_EQ(at(query_freeze("order_1"), "order_status"), "AUTHORIZED") << "NOT_COMPLETE is the default";
  capture(held("order_2"), "capture_2", "4.00", "NOT_COMPLETE");
  EXPECT_EQ(at(query_freeze("order_2"), "order_status"), "AUTHORIZED");
  capture(held("order_3"), "capture_3", "4.00", "COMPLETE");
  const Object finished = query_freeze("order_3");
  EXPECT_EQ(at(finished, "order_status"), "FINISH");
  expect_totals(finished, "10.00", "4.00", "0.00");
  capture(held("order_4"), "capture_4", "10.00");
  EXPECT_EQ(at(query_freeze("order_4"), "order_status"), "FINISH") << "nothing is left";
}

TEST_F(AlipayHoldTest, CapturesAreChecked) {
  const std::string auth_no = held("order_1");
  const auto refusal_of = [&](const Object& changes) {
    Object order = capture_order(auth_no, "capture_1", "4.00");
    for (const auto& change : changes) order[change.key()] = change.value();
    return sub_code(call_gateway("alipay.trade.pay", order));
  };
  for (const Object& invalid :
       {Object{{"scene", "bar_code"}}, Object{{"auth_code", kBarcode}}, Object{{"buyer_id", nullptr}},
        Object{{"seller_id", nullptr}}, Object{{"seller_id", "2088000000000102"}}, Object{{"product_code", nullptr}},
        Object{{"auth_confirm_mode", "ALL"}}, Object{{"total_amount", "0.00"}}})
    EXPECT_EQ(refusal_of(invalid), "ACQ.INVALID_PARAMETER") << invalid;
  EXPECT_EQ(refusal_of({{"buyer_id", "2088000000000000"}}), "ACQ.AUTH_NO_ERROR");
  EXPECT_EQ(refusal_of({{"auth_no", "2026"}}), "ACQ.AUTH_NO_ERROR");
  EXPECT_EQ(refusal_of({{"total_amount", "10.01"}}), "ACQ.AUTH_AMOUNT_NOT_ENOUGH");
  EXPECT_EQ(sub_code(query("capture_1")), "ACQ.TRADE_NOT_EXIST");
  expect_totals(query_freeze("order_1"), "10.00", "0.00", "10.00");
}

TEST_F(AlipayHoldTest, ACaptureNeedsAHeldAmount) {
  EXPECT_EQ(sub_code(capture(at(freeze("order_1"), "auth_no"), "capture_1", "4.00")), "ACQ.AUTH_ORDER_NOT_PAID");
  std::string auth_no = held("order_2");
  cancel("order_2");
  EXPECT_EQ(sub_code(capture(auth_no, "capture_2", "4.00")), "ACQ.AUTH_ORDER_HAS_CLOSED");
  auth_no = held("order_3");
  capture(auth_no, "capture_3", "4.00", "COMPLETE");
  EXPECT_EQ(sub_code(capture(auth_no, "capture_4", "4.00")), "ACQ.AUTH_ORDER_HAS_FINISHED");
  EXPECT_EQ(sub_code(unfreeze(auth_no, "release_1", "1.00")), "ORDER_ALREADY_FINISH");
}

TEST_F(AlipayHoldTest, AnotherApplicationDoesNotSeeTheAuthorization) {
  const std::string auth_no = held("order_1");
  act_as("merchant2");
  EXPECT_EQ(sub_code(query_freeze("order_1")), "AUTH_ORDER_NOT_EXIST");
  EXPECT_EQ(sub_code(unfreeze(auth_no, "release_1", "1.00")), "AUTH_ORDER_NOT_EXIST");
  EXPECT_EQ(at(freeze("order_1", "authorizes"), "code"), "10000") << "the same number at another application";
}

TEST_F(AlipayHoldTest, ThePayerMustAuthorizeInTime) {
  const auto clock = start_with_stopped_clock();
  freeze("order_1");
  clock->advance(14min + 59s);
  EXPECT_EQ(at(query_freeze("order_1"), "order_status"), "INIT");
  clock->advance(1s);
  EXPECT_EQ(at(query_freeze("order_1"), "order_status"), "CLOSED");
}

// Tests of the scenarios over Alipay's protocol.

using AlipayHoldScenarioTest = AlipayHoldTest;

TEST_F(AlipayHoldScenarioTest, AnAuthorizationIsCreatedWithoutAnAnswer) {
  EXPECT_EQ(at(voucher("order_1", "authorization_unknown"), "code"), "20000");
  wait_for_order_status("order_1", "AUTHORIZED");
  const Object lost = freeze_order("order_2", "request_lost");
  const Fields requested = request("alipay.fund.auth.order.voucher.create", lost, notified());
  EXPECT_EQ(send(requested).status, 504);
  EXPECT_EQ(send(requested).status, 200);
  EXPECT_EQ(sub_code(voucher("order_3", "refused_unlisted")), "UNLISTED_REFUSAL");
}

TEST_F(AlipayHoldScenarioTest, ThePayerAuthorizesBeforeOrAfterTheCancel) {
  voucher("order_1", "authorizes_on_close");
  EXPECT_EQ(at(cancel("order_1"), "action"), "unfreeze");
  expect_totals(query_freeze("order_1"), "10.00", "0.00", "0.00");
  voucher("order_2", "authorizes_after_close");
  EXPECT_EQ(at(cancel("order_2"), "action"), "close");
  expect_totals(wait_for_order_status("order_2", "AUTHORIZED"), "10.00", "0.00", "10.00");
}

TEST_F(AlipayHoldScenarioTest, ThePayerDeclines) {
  voucher("order_1", "declines");
  wait_for_order_status("order_1", "CLOSED");
  voucher("order_2", "authorization_declined_then_held");
  wait_for_order_status("order_2", "AUTHORIZED");
}

TEST_F(AlipayHoldScenarioTest, AnotherAmountOrCurrencyIsFrozen) {
  EXPECT_EQ(at(freeze("order_1", "authorizes_less"), "amount"), "5.00");
  expect_totals(query_freeze("order_1"), "5.00", "0.00", "5.00");
  EXPECT_EQ(at(freeze("order_2", "authorizes_more"), "amount"), "12.00");
  EXPECT_EQ(at(freeze("order_3", "authorizes_in_other_currency"), "trans_currency"), "USD");
  EXPECT_EQ(at(query_freeze("order_3"), "trans_currency"), "USD");
}

TEST_F(AlipayHoldScenarioTest, ACreditIsNotFundedAndCannotBeCaptured) {
  const Object frozen = freeze("order_1", "authorizes_credit");
  EXPECT_EQ(at(frozen, "pre_auth_type"), "CREDIT_AUTH");
  const Object asked = query_freeze("order_1");
  EXPECT_EQ(at(asked, "pre_auth_type"), "CREDIT_AUTH");
  EXPECT_EQ(at(asked, "rest_credit_amount"), "10.00");
  EXPECT_EQ(at(asked, "rest_fund_amount"), "0.00");
  EXPECT_EQ(sub_code(capture(at(frozen, "auth_no"), "capture_1", "4.00")), "ACQ.BUYER_BALANCE_NOT_ENOUGH");
  EXPECT_EQ(at(cancel("order_1"), "action"), "unfreeze");
}

TEST_F(AlipayHoldScenarioTest, CapturesAreRefusedOrLost) {
  const std::string refused = held("order_1", "capture_refused");
  EXPECT_EQ(sub_code(capture(refused, "capture_1", "4.00")), "ACQ.AUTH_NO_ERROR");
  const std::string not_now = held("order_2", "capture_not_now");
  for (int i = 0; i < 2; ++i) EXPECT_EQ(at(capture(not_now, "capture_2", "4.00"), "code"), "40005");
  EXPECT_EQ(sub_code(query("capture_2")), "ACQ.TRADE_NOT_EXIST");
  EXPECT_EQ(at(capture(not_now, "capture_2", "4.00"), "code"), "10000") << "the same number is accepted later";
  const std::string unknown = held("order_3", "capture_unknown");
  EXPECT_EQ(sub_code(capture(unknown, "capture_3", "4.00")), "ACQ.SYSTEM_ERROR");
  EXPECT_EQ(at(query("capture_3"), "trade_status"), "TRADE_SUCCESS");
  const std::string lost = held("order_4", "capture_lost");
  const Fields requested = request("alipay.trade.pay", capture_order(lost, "capture_4", "4.00"));
  EXPECT_EQ(send(requested).status, 504);
  EXPECT_EQ(sub_code(query("capture_4")), "ACQ.TRADE_NOT_EXIST");
  EXPECT_EQ(at(capture(lost, "capture_4", "4.00"), "code"), "10000");
}

TEST_F(AlipayHoldScenarioTest, ARefusedCaptureIsExecutedLater) {
  const std::string auth_no = held("order_1", "capture_refused_then_captured");
  const auto clock = start_with_stopped_clock();
  EXPECT_EQ(sub_code(capture(auth_no, "capture_1", "4.00")), "ACQ.AUTH_NO_ERROR");
  EXPECT_EQ(sub_code(query("capture_1")), "ACQ.TRADE_NOT_EXIST");
  clock->advance(1s);
  wait_for_status("capture_1", "TRADE_SUCCESS");
  expect_totals(query_freeze("order_1"), "10.00", "4.00", "6.00");
}

TEST_F(AlipayHoldScenarioTest, ReleasesAreRefusedOrLost) {
  EXPECT_EQ(sub_code(unfreeze(held("order_1", "release_refused"), "release_1", "10.00")), "PAYER_USER_STATUS_LIMIT");
  EXPECT_EQ(sub_code(cancel("order_1")), "PAYER_USER_STATUS_LIMIT");
  const std::string for_now = held("order_2", "release_refused_for_now");
  for (int i = 0; i < 2; ++i) EXPECT_EQ(sub_code(cancel("order_2")), "CANCEL_OPERATION_TIME_OUT");
  EXPECT_EQ(sub_code(unfreeze(for_now, "release_2", "10.00")), "REQUEST_AMOUNT_EXCEED");
  EXPECT_EQ(sub_code(unfreeze(for_now, "release_2", "10.00")), "REQUEST_AMOUNT_EXCEED") << "the number is used";
  EXPECT_EQ(at(unfreeze(for_now, "release_3", "10.00"), "code"), "10000");
  EXPECT_EQ(sub_code(unfreeze(held("order_3", "release_unknown"), "release_4", "10.00")), "SYSTEM_ERROR");
  EXPECT_EQ(at(query_freeze("order_3"), "order_status"), "CLOSED");
  const std::string lost = held("order_4", "release_lost");
  const Object biz{{"auth_no", lost}, {"out_request_no", "release_5"}, {"amount", "10.00"}, {"remark", "r"}};
  EXPECT_EQ(send(request("alipay.fund.auth.order.unfreeze", biz)).status, 504);
  EXPECT_EQ(at(query_freeze("order_4"), "order_status"), "AUTHORIZED");
}

// The totals satisfy frozen = paid + released + rest, whatever the channel does.
TEST_F(AlipayHoldScenarioTest, TheTotalsAlwaysAddUp) {
  struct Case {
    const char* scenario;
    const char* status;
    const char* frozen;
    const char* paid;
    const char* rest;
  };
  const Case cases[] = {{"lapses", "CLOSED", "10.00", "0.00", "0.00"},
                        {"captured_by_channel", "FINISH", "10.00", "10.00", "0.00"},
                        {"capture_partially_elsewhere", "AUTHORIZED", "10.00", "5.00", "5.00"},
                        {"capture_above_hold", "FINISH", "12.00", "12.00", "0.00"},
                        {"released_by_channel", "CLOSED", "10.00", "0.00", "0.00"},
                        {"partly_released_by_channel", "AUTHORIZED", "10.00", "0.00", "5.00"}};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.scenario);
    freeze(c.scenario, c.scenario);
    wait([&] {
      const Object node = query_freeze(c.scenario);
      return at(node, "total_pay_amount") == c.paid && at(node, "rest_amount") == c.rest;
    });
    const Object node = query_freeze(c.scenario);
    EXPECT_EQ(at(node, "order_status"), c.status);
    expect_totals(node, c.frozen, c.paid, c.rest);
  }
}

}  // namespace
}  // namespace finality::sandbox
