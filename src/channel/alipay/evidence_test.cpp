// Tests of the evidence that the adapter derives from Alipay's responses.
#include "channel/alipay/evidence.h"

#include "channel/alipay/testing/test_channel.h"

namespace finality::channel_contract {
namespace {

using AlipayEvidenceTest = AlipayChannelTest;

TEST_F(AlipayEvidenceTest, APrecreateReturnsTheQrCodeToScan) {
  const Evidence evidence =
      read_response(*channel_, send_by("qr"), *PublicKeySubject::send_answer(send_by("qr"), EvidenceKind::waiting));
  EXPECT_EQ(evidence.action_type, ActionType::qr_code);
  EXPECT_EQ(evidence.action_code, "https://qr.example/bax03431ljhokirwl38f00a7");
  EXPECT_TRUE(evidence.action_url.empty());
  for (const std::string& code :
       {std::string(), std::string("with blank"), std::string("\x01"), std::string(3000, 'x')}) {
    const json::object node{{"out_trade_no", query_.payment.out_trade_no}, {"qr_code", code}};
    EXPECT_EQ(read_response(*channel_, send_by("qr"), signed_answer("alipay.trade.precreate", node)).code, "malformed");
  }
}

TEST_F(AlipayEvidenceTest, ABarcodePaymentIsPaidOnlyWithItsTime) {
  const ChannelCall send = send_by("barcode");
  const Evidence paid = read_response(*channel_, send, *PublicKeySubject::send_answer(send, EvidenceKind::paid));
  EXPECT_EQ(paid.amount, 1000);
  EXPECT_EQ(to_rfc3339(paid.paid_at), "2026-09-21T14:13:15.000Z");
  const json::object whole{{"out_trade_no", send.payment.out_trade_no},
                           {"trade_no", kTradeNo},
                           {"total_amount", "10.00"},
                           {"gmt_payment", kPaidAt}};
  for (const char* name : {"trade_no", "total_amount", "gmt_payment", "out_trade_no"}) {
    json::object node = whole;
    node.erase(name);
    EXPECT_EQ(read_response(*channel_, send, signed_answer("alipay.trade.pay", node)).kind, EvidenceKind::unknown)
        << name;
  }
}

TEST_F(AlipayEvidenceTest, Only10003OfABarcodePaymentIsWaiting) {
  json::object node{{"code", "10003"}, {"out_trade_no", query_.payment.out_trade_no}};
  EXPECT_EQ(read_response(*channel_, send_by("qr"), signed_answer("alipay.trade.precreate", node)).kind,
            EvidenceKind::unknown);
  EXPECT_EQ(query_evidence(node).kind, EvidenceKind::unknown);
}

TEST_F(AlipayEvidenceTest, ABarcodePaymentWithoutATradeNumberIsCancelled) {
  ChannelCall close = call_of(ChannelCallKind::close_payment, *channel_, "barcode");
  EXPECT_EQ(received(channel_->request_of(close, kNow)).at("method"), "alipay.trade.close");
  close.payment.channel_trade_no.reset();
  EXPECT_EQ(received(channel_->request_of(close, kNow)).at("method"), "alipay.trade.cancel");

  const json::object base{{"out_trade_no", close.payment.out_trade_no}, {"retry_flag", "N"}};
  const auto cancel_evidence = [&](json::object more) {
    json::object node = base;
    for (auto& [name, value] : more) node[name] = value;
    return read_response(*channel_, close, signed_answer("alipay.trade.cancel", node));
  };
  EXPECT_EQ(cancel_evidence({{"action", "close"}, {"trade_no", kTradeNo}}).kind, EvidenceKind::closed);
  const Evidence refunded = cancel_evidence({{"action", "refund"}, {"trade_no", kTradeNo}});
  EXPECT_EQ(refunded.kind, EvidenceKind::unknown) << "no amount is reported";
  EXPECT_EQ(refunded.code, "refund");
  EXPECT_EQ(cancel_evidence({}).kind, EvidenceKind::unknown) << "no effect, and the trade may still be created";
  EXPECT_EQ(cancel_evidence({{"action", "close"}, {"retry_flag", "Y"}}).kind, EvidenceKind::unknown);
  EXPECT_EQ(read_response(*channel_, close, refusal("alipay.trade.cancel", "40004", "AQC.SYSTEM_ERROR")).kind,
            EvidenceKind::unknown);
}

TEST_F(AlipayEvidenceTest, StatusAndTimeOfPaymentDecideTogether) {
  EXPECT_EQ(query_evidence(trade_node(query_, "TRADE_FINISHED")).kind, EvidenceKind::paid);
  json::object contradiction = trade_node(query_, "WAIT_BUYER_PAY");
  contradiction["send_pay_date"] = kPaidAt;
  EXPECT_EQ(query_evidence(contradiction).kind, EvidenceKind::unknown);
  json::object undated = trade_node(query_, "TRADE_SUCCESS");
  undated.erase("send_pay_date");
  EXPECT_EQ(query_evidence(undated).kind, EvidenceKind::paid);
  EXPECT_EQ(query_evidence(undated).paid_at, kNow) << "paid before the query at the latest";
  EXPECT_EQ(query_evidence(trade_node(query_, "TRADE_PENDING")).kind, EvidenceKind::unknown);
}

TEST_F(AlipayEvidenceTest, AnotherAmountOrCurrencyIsReportedUnchanged) {
  json::object node = trade_node(query_, "TRADE_SUCCESS");
  node["total_amount"] = "0.01";
  EXPECT_EQ(query_evidence(node).amount, 1);
  node["trans_currency"] = "USD";
  EXPECT_EQ(query_evidence(node).currency.text(), "USD");
}

TEST_F(AlipayEvidenceTest, AMissingOrMalformedFieldIsUnknown) {
  const json::object whole = trade_node(query_, "TRADE_SUCCESS");
  for (const char* name : {"trade_no", "out_trade_no", "trade_status", "total_amount"}) {
    json::object node = whole;
    node.erase(name);
    EXPECT_EQ(query_evidence(node).kind, EvidenceKind::unknown) << name;
    for (const json::value& value : {json::value(nullptr), json::value(10), json::value(std::string(100, 'A')),
                                     json::value(json::object()), json::value("")}) {
      node[name] = value;
      EXPECT_EQ(query_evidence(node).kind, EvidenceKind::unknown) << name << ' ' << value;
    }
  }
}

TEST_F(AlipayEvidenceTest, TheCodeDecidesWhatARefusalProves) {
  struct Case {
    ChannelCallKind kind;
    const char* code;
    const char* sub_code;
    EvidenceKind expected;
  };
  using enum ChannelCallKind;
  const Case cases[] = {
      {send_payment, "40004", "ACQ.TOTAL_FEE_EXCEED", EvidenceKind::failed},
      {send_payment, "40002", "isv.invalid-signature", EvidenceKind::failed},
      {send_payment, "40004", "ACQ.TRADE_NOT_EXIST", EvidenceKind::unknown},
      {send_payment, "40004", "ACQ.TRADE_HAS_SUCCESS", EvidenceKind::unknown},
      {send_payment, "20000", "isp.unknow-error", EvidenceKind::unknown},
      {query_payment, "40004", "ACQ.INVALID_PARAMETER", EvidenceKind::unknown},
      {query_payment, "40002", "isv.invalid-signature", EvidenceKind::unknown},
      {close_payment, "40004", "ACQ.TRADE_STATUS_ERROR", EvidenceKind::unknown},
      {close_payment, "40004", "ACQ.REASON_ILLEGAL_STATUS", EvidenceKind::unknown},
      {close_payment, "40004", "ACQ.TRADE_HAS_SUCCESS", EvidenceKind::unknown},
  };
  for (const Case& row : cases) {
    const ChannelCall call = call_of(row.kind, *channel_, "qr");
    const Evidence evidence = read_response(*channel_, call, refusal(method_of(call), row.code, row.sub_code));
    EXPECT_EQ(evidence.kind, row.expected) << name_of(row.kind) << ' ' << row.sub_code;
    EXPECT_EQ(evidence.code, row.sub_code);
    EXPECT_EQ(evidence.message, "why");
  }
}

TEST_F(AlipayEvidenceTest, NoRefusalOfASendEndsAnExistingTrade) {
  ChannelCall repeated = send_by("qr");
  const net::HttpResponse refused = refusal(method_of(repeated), "40002", "isv.invalid-signature");
  EXPECT_EQ(read_response(*channel_, repeated, refused).kind, EvidenceKind::failed);
  repeated.payment.channel_trade_no = kTradeNo;
  EXPECT_EQ(read_response(*channel_, repeated, refused).kind, EvidenceKind::unknown);
}

TEST_F(AlipayEvidenceTest, ARefundIsDoneOnlyWhenMoneyMoved) {
  const auto send = RefundCallKind::send_refund;
  const auto with = [](std::string_view trade_no, json::value changed, json::value fee) {
    return json::object{{"trade_no", trade_no}, {"fund_change", std::move(changed)}, {"refund_fee", std::move(fee)}};
  };
  EXPECT_EQ(refund_evidence(send, with(kTradeNo, "Y", "3.00")).kind, RefundEvidenceKind::refunded);
  EXPECT_EQ(refund_evidence(send, with(kTradeNo, "Y", "10.00")).kind, RefundEvidenceKind::refunded);
  EXPECT_EQ(refund_evidence(send, with(kTradeNo, "Y", "2.99")).kind, RefundEvidenceKind::unknown)
      << "less than this refund";
  EXPECT_EQ(refund_evidence(send, with(kTradeNo, "Y", nullptr)).kind, RefundEvidenceKind::unknown);
  EXPECT_EQ(refund_evidence(send, with(kTradeNo, "N", "3.00")).kind, RefundEvidenceKind::accepted);
  EXPECT_EQ(refund_evidence(send, with(kTradeNo, nullptr, "3.00")).kind, RefundEvidenceKind::unknown);
  EXPECT_EQ(refund_evidence(send, with("another", "Y", "3.00")).code, "wrong_trade");
  EXPECT_EQ(refund_evidence(send, {{"fund_change", "Y"}, {"refund_fee", "3.00"}}).code, "wrong_trade");
}

TEST_F(AlipayEvidenceTest, AQueryReportsWhetherARefundArrived) {
  const auto query = RefundCallKind::query_refund;
  const json::object done{{"trade_no", kTradeNo},
                          {"out_request_no", refund_call_of(query, *channel_).out_refund_no},
                          {"refund_status", "REFUND_SUCCESS"},
                          {"refund_amount", "3.00"}};
  EXPECT_EQ(refund_evidence(query, done).kind, RefundEvidenceKind::refunded);
  const auto changed = [&](const char* name, json::value value) {
    json::object node = done;
    node[name] = std::move(value);
    return refund_evidence(query, node).kind;
  };
  EXPECT_EQ(changed("refund_status", "REFUND_PROCESSING"), RefundEvidenceKind::accepted);
  EXPECT_EQ(changed("refund_status", "REFUND_NEW"), RefundEvidenceKind::unknown);
  EXPECT_EQ(changed("refund_status", nullptr), RefundEvidenceKind::unknown);
  EXPECT_EQ(changed("refund_amount", "3.01"), RefundEvidenceKind::unknown);
  EXPECT_EQ(changed("refund_amount", nullptr), RefundEvidenceKind::unknown);
  EXPECT_EQ(changed("out_request_no", "another"), RefundEvidenceKind::unknown);
  EXPECT_EQ(changed("trade_no", "another"), RefundEvidenceKind::unknown);

  EXPECT_EQ(refund_evidence(query, {}).kind, RefundEvidenceKind::not_found)
      << "Alipay returns 10000 without further fields";
  EXPECT_EQ(refund_evidence(query, {{"trade_no", "another"}}).kind, RefundEvidenceKind::unknown);
  EXPECT_EQ(refund_evidence(query, {{"out_request_no", "another"}}).kind, RefundEvidenceKind::unknown);
}

TEST_F(AlipayEvidenceTest, ARefundThatCanSucceedLaterKeepsItsNumber) {
  using R = RefundEvidenceKind;
  const RefundCall send = refund_call_of(RefundCallKind::send_refund, *channel_);
  const RefundCall query = refund_call_of(RefundCallKind::query_refund, *channel_);
  const std::pair<const char*, R> rows[] = {{"ACQ.SELLER_BALANCE_NOT_ENOUGH", R::not_now},
                                            {"ACQ.REFUND_CHARGE_ERROR", R::unknown},
                                            {"ACQ.SYSTEM_ERROR", R::unknown}};
  for (const auto& [code, kind] : rows) {
    const RefundEvidence evidence = read_response(*channel_, send, refusal(method_of(send), "40004", code));
    EXPECT_EQ(evidence.kind, kind) << code;
    EXPECT_EQ(evidence.code, code);
    EXPECT_EQ(read_response(*channel_, query, refusal(method_of(query), "40004", code)).kind, R::unknown) << code;
  }
  EXPECT_EQ(read_response(*channel_, send, refusal(method_of(send), "40005", "isv.app-call-limited")).kind, R::not_now);
  EXPECT_EQ(read_response(*channel_, query, refusal(method_of(query), "40004", "ACQ.TRADE_NOT_EXIST")).kind,
            R::not_found);
}

// A refused precreate has created no trade; a refused pay may have created a trade that waits for the payer.
TEST_F(AlipayEvidenceTest, ADeclinedBarcodePaymentIsUnknown) {
  struct Row {
    const char* code;
    EvidenceKind qr;
    EvidenceKind barcode;
  };
  const Row rows[] = {{"ACQ.MERCHANT_PERM_RECEIPT_DAY_LIMIT", EvidenceKind::failed, EvidenceKind::unknown},
                      {"ACQ.MERCHANT_AGREEMENT_NOT_EXIST", EvidenceKind::failed, EvidenceKind::failed},
                      {"ACQ.BUYER_BALANCE_NOT_ENOUGH", EvidenceKind::unknown, EvidenceKind::unknown},
                      {"ACQ.PAYMENT_AUTH_CODE_INVALID", EvidenceKind::failed, EvidenceKind::failed}};
  for (const Row& row : rows) {
    const auto evidence_kind = [&](std::string_view method) {
      const ChannelCall send = send_by(method);
      return read_response(*channel_, send, refusal(method_of(send), "40004", row.code)).kind;
    };
    EXPECT_EQ(evidence_kind("qr"), row.qr) << row.code;
    EXPECT_EQ(evidence_kind("barcode"), row.barcode) << row.code;
  }
}

TEST_F(AlipayEvidenceTest, ARefusalDoesNotEndAPaymentWhoseCodeMayHaveBeenScanned) {
  ChannelCall repeated = send_by("qr");
  const net::HttpResponse refused = refusal(method_of(repeated), "40004", "ACQ.ACCESS_FORBIDDEN");
  EXPECT_EQ(read_response(*channel_, repeated, refused).kind, EvidenceKind::failed);
  repeated.payment.state = PaymentState::pending;
  EXPECT_EQ(read_response(*channel_, repeated, refused).kind, EvidenceKind::unknown);
}

}  // namespace
}  // namespace finality::channel_contract
