// Fuzzes the parser of Alipay's responses, before and after the signature check.
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "channel/alipay/answer.h"
#include "channel/alipay/evidence.h"
#include "channel/alipay/fund_auth_evidence.h"
#include "channel/alipay/statement/download.h"
#include "channel/parsing/json_fields.h"
#include "channel/testing/channel_contract.h"

namespace {

using namespace finality;

// Copies the fields that read_answer takes from a signed node.
alipay::AlipayReply answer_of(boost::json::object node) {
  alipay::AlipayReply answer;
  answer.code = text_field(node, "code", 100).value_or("");
  answer.sub_code = text_field(node, "sub_code", 100).value_or("");
  answer.node = std::move(node);
  return answer;
}

void check_payment(ChannelCallKind kind, const char* method, const alipay::AlipayReply& answer) {
  ChannelCall call{.kind = kind};
  call.payment.method = method;
  call.payment.out_trade_no = "1";
  const Evidence evidence = alipay::read_evidence(call, answer);
  const bool money = evidence.kind == EvidenceKind::paid;
  FINALITY_CHECK(!money || (evidence.channel_trade_no && answer.is_ok()),
                 "money without a trade number or from an error response");
  FINALITY_CHECK(evidence.kind != EvidenceKind::paid || evidence.amount > 0, "evidence `paid` without an amount");
}

void check_authorization(AuthorizationCallKind kind, const char* method, const alipay::AlipayReply& answer) {
  AuthorizationCall call{.kind = kind};
  call.authorization.method = method;
  call.authorization.out_trade_no = "1";
  call.authorization.channel_trade_no = "7";
  call.authorization.authorized_amount = 1000;
  call.authorization.release_amount = 600;
  const AuthorizationEvidence evidence = alipay::read_evidence(call, answer);
  const bool held = evidence.kind == AuthorizationEvidenceKind::authorized;
  FINALITY_CHECK(!held || (evidence.channel_trade_no && evidence.authorized > 0 && answer.is_ok()),
                 "a hold without a number or an amount, or from an error response");
  FINALITY_CHECK(evidence.captured + evidence.released <= evidence.authorized, "totals above the hold");
}

void check_capture(CaptureCallKind kind, const alipay::AlipayReply& answer) {
  CaptureCall call{.kind = kind};
  call.capture.out_trade_no = "1";
  const Evidence evidence = alipay::read_evidence(call, answer);
  FINALITY_CHECK(evidence.kind != EvidenceKind::paid || (evidence.channel_trade_no && evidence.amount > 0),
                 "captured without a trade number or an amount");
}

void check_refund(RefundCallKind kind, const alipay::AlipayReply& answer) {
  RefundCall call{.kind = kind};
  call.channel_trade_no = "1";
  call.out_refund_no = "2";
  call.amount = 300;
  const RefundEvidence evidence = alipay::read_evidence(call, answer);
  FINALITY_CHECK(evidence.kind != RefundEvidenceKind::refunded || answer.is_ok(),
                 "a refund succeeded by an error response");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (const auto parts = alipay::split_answer("alipay.trade.query", bytes))
    FINALITY_CHECK(!parts->node.empty() && bytes.contains(parts->node), "the node is not part of the response");
  auto node = parse_object(bytes);
  if (!node) return 0;
  const alipay::AlipayReply answer = answer_of(std::move(*node));
  for (const ChannelCallKind kind : channel_contract::all_call_kinds())
    for (const char* method : {"qr", "barcode"}) check_payment(kind, method, answer);
  using enum AuthorizationCallKind;
  for (const auto kind : {send_authorization, query_authorization, close_authorization, release_authorization})
    for (const char* method : {"qr", "barcode"}) check_authorization(kind, method, answer);
  check_capture(CaptureCallKind::send_capture, answer);
  check_capture(CaptureCallKind::query_capture, answer);
  check_refund(RefundCallKind::send_refund, answer);
  check_refund(RefundCallKind::query_refund, answer);
  (void)alipay::read_statement_answer({.kind = StatementKind::trades, .date = "2026-09-21"}, answer);
  return 0;
}
