// Tests of the requests and the evidence of authorizations and captures.
#include "channel/alipay/fund_auth.h"

#include "channel/alipay/testing/test_channel.h"

namespace finality::channel_contract {
namespace {

using E = AuthorizationEvidenceKind;
using enum AuthorizationCallKind;

constexpr const char* kNumber = "00000000000070000000000006a1";

class AlipayFundAuthTest : public AlipayChannelTest {
 protected:
  AuthorizationCall auth(AuthorizationCallKind kind, std::string_view method = "") const {
    return authorization_call_of(kind, *channel_, method);
  }
  CaptureCall capture(CaptureCallKind kind) const { return capture_call_of(kind, *channel_); }
  Form form_of(const auto& call) const { return received(channel_->request_of(call, kNow)); }
  AuthorizationEvidence evidence_of(const AuthorizationCall& call, json::object node, std::string method = "") const {
    return read_response(*channel_, call, signed_answer(method.empty() ? method_of(call) : method, std::move(node)));
  }
  AuthorizationEvidence totals(std::string_view status, std::string_view frozen, std::string_view paid,
                               std::string_view rest) const {
    const AuthorizationCall query = auth(query_authorization);
    return evidence_of(query, totals_node(query, status, frozen, paid, rest));
  }
};

TEST_F(AlipayFundAuthTest, QrCreatesAVoucher) {
  const Form form = form_of(auth(send_authorization, "qr"));
  EXPECT_EQ(form.at("method"), "alipay.fund.auth.order.voucher.create");
  EXPECT_EQ(form.at("notify_url"), "https://pay.example/notify/alipay");
  const json::object expected{{"out_order_no", kNumber}, {"out_request_no", kNumber},  {"order_title", "Tea"},
                              {"amount", "10.00"},       {"product_code", "PRE_AUTH"}, {"payee_user_id", kSellerId},
                              {"timeout_express", "60m"}};
  EXPECT_EQ(content_of(form), expected);
}

TEST_F(AlipayFundAuthTest, BarcodeFreezes) {
  const Form form = form_of(auth(send_authorization, "barcode"));
  EXPECT_EQ(form.at("method"), "alipay.fund.auth.order.freeze");
  EXPECT_EQ(content_of(form).at("auth_code"), "287634438256643940");
  EXPECT_EQ(content_of(form).at("auth_code_type"), "bar_code");
  EXPECT_EQ(content_of(form).at("product_code"), "PRE_AUTH");
}

TEST_F(AlipayFundAuthTest, AnAppGetsAnOrderString) {
  const auto prepared = channel_->answer_without_asking(auth(send_authorization, "app"), kNow);
  ASSERT_TRUE(prepared);
  EXPECT_EQ(prepared->kind, E::waiting);
  EXPECT_EQ(prepared->action_type, ActionType::form);
  const Form form = received({.http = {.target = "/?" + prepared->action_code}});
  EXPECT_EQ(form.at("method"), "alipay.fund.auth.order.app.freeze");
  EXPECT_EQ(content_of(form).at("product_code"), "PRE_AUTH_ONLINE");
}

TEST_F(AlipayFundAuthTest, ThePayersTimeEndsWithTheOrderAndIsTheSameInEveryRequest) {
  AuthorizationCall send = auth(send_authorization, "qr");
  const auto time_at = [&](Time now) {
    return text_of(content_of(received(channel_->request_of(send, now))).at("timeout_express"));
  };
  EXPECT_EQ(time_at(kNow + std::chrono::minutes(30)), "60m");
  send.order.expires_at = kNow + std::chrono::seconds(61);
  EXPECT_EQ(time_at(kNow), "2m") << "rounded up";
  send.order.expires_at = kNow + std::chrono::seconds(1);
  EXPECT_EQ(time_at(kNow), "1m");
  send.order.expires_at = kNow + std::chrono::days(30);
  EXPECT_EQ(time_at(kNow), "21600m") << "15 days";
}

TEST_F(AlipayFundAuthTest, AScenarioIsInExtraParam) {
  AuthorizationCall send = auth(send_authorization, "qr");
  send.authorization.scenario = "authorizes";
  EXPECT_EQ(content_of(form_of(send)).at("extra_param"), R"({"scenario":"authorizes"})");
}

TEST_F(AlipayFundAuthTest, ImpossibleAuthorizationsFailWithoutARequest) {
  struct Case {
    const char* method;
    MinorUnits amount;
    const char* currency;
    const char* payer;
  };
  const Case cases[] = {{"qr", 1000, "USD", ""},
                        {"qr", 0, "CNY", ""},
                        {"app", 10'000'000'001, "CNY", ""},
                        {"barcode", 1000, "CNY", ""},
                        {"page", 1000, "CNY", ""}};
  for (const Case& row : cases) {
    AuthorizationCall send = auth(send_authorization, row.method);
    send.authorization.amount = row.amount;
    send.authorization.currency = *parse_currency(row.currency);
    send.authorization.payer = row.payer;
    const auto prepared = channel_->answer_without_asking(send, kNow);
    ASSERT_TRUE(prepared) << row.method;
    EXPECT_EQ(prepared->kind, E::failed);
    EXPECT_EQ(prepared->code, "not_possible");
  }
}

TEST_F(AlipayFundAuthTest, AQueryNamesTheFreeze) {
  const Form form = form_of(auth(query_authorization));
  EXPECT_EQ(form.at("method"), "alipay.fund.auth.operation.detail.query");
  EXPECT_FALSE(form.contains("notify_url"));
  const json::object expected{{"out_order_no", kNumber}, {"out_request_no", kNumber}, {"operation_type", "FREEZE"}};
  EXPECT_EQ(content_of(form), expected);
}

TEST_F(AlipayFundAuthTest, AReleaseIsACancelOnlyOfTheWholeAndWithin23Hours) {
  const auto method_for = [&](auto change) {
    AuthorizationCall release = auth(release_authorization);
    change(release.authorization);
    return form_of(release).at("method");
  };
  const std::string cancel = "alipay.fund.auth.operation.cancel", unfreeze = "alipay.fund.auth.order.unfreeze";
  EXPECT_EQ(method_for([](Authorization&) {}), cancel);
  EXPECT_EQ(method_for([](Authorization& row) { row.authorized_at = kNow - std::chrono::hours(23); }), unfreeze);
  EXPECT_EQ(method_for([](Authorization& row) { row.authorized_at.reset(); }), unfreeze);
  EXPECT_EQ(method_for([](Authorization& row) { row.captured_amount = 400; }), unfreeze);
  EXPECT_EQ(method_for([](Authorization& row) { row.released_amount = 400; }), unfreeze);
  EXPECT_EQ(method_for([](Authorization& row) { row.release_amount = 400; }), unfreeze);
  EXPECT_EQ(method_for([](Authorization& row) { row.release_attempts = 2; }), unfreeze);
  EXPECT_EQ(method_for([](Authorization& row) { row.channel_trade_no.reset(); }), cancel) << "without auth_no";
  EXPECT_EQ(form_of(auth(close_authorization)).at("method"), cancel);
}

TEST_F(AlipayFundAuthTest, AnUnfreezeStatesItsNumberAndAmount) {
  AuthorizationCall release = auth(release_authorization);
  release.authorization.captured_amount = 400;
  release.authorization.release_attempts = 2;
  release.authorization.release_amount = 600;
  json::object expected{{"auth_no", "2026112110002001000000000008"},
                        {"out_request_no", std::string(kNumber) + "r2"},
                        {"amount", "6.00"},
                        {"remark", "Tea"}};
  EXPECT_EQ(content_of(form_of(release)), expected);
  release.authorization.unfunded = true;
  expected["extra_param"] = R"({"unfreezeBizInfo":"{\"bizComplete\":\"true\"}"})";
  EXPECT_EQ(content_of(form_of(release)), expected);
}

// NOT_COMPLETE is Alipay's default, but the request states it: the rest stays frozen.
TEST_F(AlipayFundAuthTest, ACaptureIsAPayWithAuthNo) {
  CaptureCall send = capture(CaptureCallKind::send_capture);
  json::object expected{{"out_trade_no", "00000000000070000000000006c1"},
                        {"total_amount", "4.00"},
                        {"subject", "Tea"},
                        {"product_code", "PRE_AUTH"},
                        {"auth_no", "2026112110002001000000000008"},
                        {"seller_id", kSellerId},
                        {"auth_confirm_mode", "NOT_COMPLETE"},
                        {"buyer_id", "2088102534368455"}};
  EXPECT_EQ(form_of(send).at("method"), "alipay.trade.pay");
  EXPECT_EQ(content_of(form_of(send)), expected);
  send.capture.is_final = true;
  send.authorization.method = "app";
  send.authorization.channel_payer = "074a1CcTG1LelxKe4xQC0zgNdId0nxi95b5lsNpazWYoCo5";
  expected["auth_confirm_mode"] = "COMPLETE";
  expected["product_code"] = "PRE_AUTH_ONLINE";
  expected.erase("buyer_id");
  expected["buyer_open_id"] = send.authorization.channel_payer;
  EXPECT_EQ(content_of(form_of(send)), expected);
}

TEST_F(AlipayFundAuthTest, ACaptureIsQueriedByItsNumber) {
  CaptureCall query = capture(CaptureCallKind::query_capture);
  EXPECT_EQ(form_of(query).at("method"), "alipay.trade.query");
  EXPECT_EQ(content_of(form_of(query)), (json::object{{"out_trade_no", "00000000000070000000000006c1"}}));
  query.capture.out_trade_no.clear();  // made elsewhere, and reported without a number of the merchant
  query.capture.channel_trade_no = kTradeNo;
  EXPECT_EQ(content_of(form_of(query)), (json::object{{"trade_no", kTradeNo}}));
}

TEST_F(AlipayFundAuthTest, TheTotalsDecideWhetherSomethingIsHeld) {
  const AuthorizationEvidence part = totals("AUTHORIZED", "10.00", "4.00", "5.00");
  EXPECT_EQ(part.kind, E::authorized);
  EXPECT_EQ(part.authorized, 1000);
  EXPECT_EQ(part.captured, 400);
  EXPECT_EQ(part.released, 100);
  EXPECT_EQ(totals("AUTHORIZED", "10.00", "10.00", "0.00").kind, E::released) << "nothing is left";
  EXPECT_EQ(totals("CLOSED", "10.00", "0.00", "0.00").kind, E::released);
  EXPECT_EQ(totals("CLOSED", "0.00", "0.00", "0.00").kind, E::closed);
  EXPECT_EQ(totals("INIT", "0.00", "0.00", "0.00").kind, E::waiting);
  for (const AuthorizationEvidence& contradiction :
       {totals("INIT", "10.00", "0.00", "10.00"), totals("AUTHORIZED", "0.00", "0.00", "0.00"),
        totals("FINISH", "10.00", "4.00", "6.00"), totals("CLOSED", "10.00", "0.00", "10.00"),
        totals("FINISH", "0.00", "0.00", "0.00"), totals("AUTHORIZED", "10.00", "8.00", "3.00"),
        totals("AUTHORIZED", "10.00", "", "ten"), totals("PAUSED", "10.00", "0.00", "10.00")})
    EXPECT_EQ(contradiction.code, "malformed") << contradiction.message;
}

TEST_F(AlipayFundAuthTest, TheTimeOfTheFreezeIsThatOfTheHold) {
  const AuthorizationCall query = auth(query_authorization);
  json::object node = totals_node(query, "AUTHORIZED", "10.00", "0.00", "10.00");
  EXPECT_EQ(evidence_of(query, node).authorized_at, std::nullopt);
  node["gmt_trans"] = "2026-09-21 22:13:20";
  EXPECT_EQ(evidence_of(query, node).authorized_at, kNow);
  node["gmt_trans"] = "yesterday";
  EXPECT_EQ(evidence_of(query, node).code, "malformed");
  json::object waiting = totals_node(query, "INIT", "0.00", "0.00", "0.00");
  waiting["gmt_trans"] = "2026-09-21 22:13:20";
  EXPECT_EQ(evidence_of(query, waiting).authorized_at, std::nullopt) << "nothing is held";
}

TEST_F(AlipayFundAuthTest, ACreditIsUnfunded) {
  const AuthorizationCall query = auth(query_authorization);
  json::object node = totals_node(query, "AUTHORIZED", "10.00", "0.00", "10.00");
  EXPECT_FALSE(evidence_of(query, node).is_unfunded);
  node["pre_auth_type"] = "CREDIT_AUTH";
  EXPECT_TRUE(evidence_of(query, node).is_unfunded);
}

TEST_F(AlipayFundAuthTest, AFreezeThatWaitsForThePayersPasswordIsWaiting) {
  const AuthorizationCall send = auth(send_authorization, "barcode");
  json::object node = fund_auth_node(send);
  node["code"] = "10003";
  node["auth_no"] = kAuthNo;
  EXPECT_EQ(evidence_of(send, node).kind, E::waiting);
  EXPECT_EQ(evidence_of(send, node).channel_trade_no, kAuthNo);
}

// A release is proven by what was known before and its amount; if they do not account for the hold, a query follows.
TEST_F(AlipayFundAuthTest, AReleaseIsEvidenceOnlyOfTheWholeRest) {
  const std::string method = "alipay.fund.auth.order.unfreeze";
  AuthorizationCall release = auth(release_authorization);
  release.authorization.captured_amount = 400;
  release.authorization.release_amount = 600;
  json::object node = fund_auth_node(release);
  node["status"] = "SUCCESS";
  node["amount"] = "6.00";
  const AuthorizationEvidence all = evidence_of(release, node, method);
  EXPECT_EQ(all.kind, E::released);
  EXPECT_EQ(all.authorized, 1000);
  EXPECT_EQ(all.captured, 400);
  EXPECT_EQ(all.released, 600);
  for (const MinorUnits released : {100, 600}) {  // 600: the row already knows of this release
    release.authorization.released_amount = released;
    EXPECT_EQ(evidence_of(release, node, method).kind, E::unknown) << released;
  }
  release.authorization.released_amount = 0;
  node["amount"] = "5.00";
  EXPECT_EQ(evidence_of(release, node, method).code, "malformed");
  node["amount"] = "6.00";
  node["status"] = "INIT";
  EXPECT_EQ(evidence_of(release, node, method).code, "malformed");
}

TEST_F(AlipayFundAuthTest, ACancelIsEvidenceOnlyIfItsActionIsNamed) {
  const AuthorizationCall close = auth(close_authorization);
  json::object node = fund_auth_node(close);
  EXPECT_EQ(evidence_of(close, node).code, "not_cancelled");
  node["action"] = "unfreeze";  // the amount is not known: a query follows
  EXPECT_EQ(evidence_of(close, node).kind, E::unknown);
  EXPECT_EQ(evidence_of(auth(release_authorization), node).kind, E::released);
}

TEST_F(AlipayFundAuthTest, ARefusedRepetitionDoesNotEndAnAuthorizationThatMayExist) {
  AuthorizationCall send = auth(send_authorization, "barcode");
  const auto refused = [&] {
    return read_response(*channel_, send, refusal(method_of(send), "40004", "PAYMENT_AUTH_CODE_INVALID")).kind;
  };
  EXPECT_EQ(refused(), E::failed);
  send.authorization.state = AuthorizationState::pending;
  EXPECT_EQ(refused(), E::unknown);
  send.authorization.state = AuthorizationState::processing;
  send.authorization.channel_trade_no = kAuthNo;
  EXPECT_EQ(refused(), E::unknown);
}

TEST_F(AlipayFundAuthTest, ACaptureThatWaitsIsAccepted) {
  const CaptureCall send = capture(CaptureCallKind::send_capture);
  const json::object node{{"code", "10003"}, {"out_trade_no", send.capture.out_trade_no}, {"trade_no", kTradeNo}};
  EXPECT_EQ(read_response(*channel_, send, signed_answer("alipay.trade.pay", node)).kind, EvidenceKind::waiting);
}

TEST_F(AlipayFundAuthTest, AnUnknownResultOfACaptureIsNotAFailure) {
  const CaptureCall send = capture(CaptureCallKind::send_capture);
  for (const auto& [code, sub_code] : {std::pair("20000", "isp.unknow-error"),
                                       {"40004", "ACQ.SYSTEM_ERROR"},
                                       {"40004", "ACQ.TRADE_HAS_SUCCESS"},
                                       {"40004", "ACQ.CONTEXT_INCONSISTENT"}})
    EXPECT_EQ(read_response(*channel_, send, refusal("alipay.trade.pay", code, sub_code)).kind, EvidenceKind::unknown)
        << sub_code;
}

}  // namespace
}  // namespace finality::channel_contract
