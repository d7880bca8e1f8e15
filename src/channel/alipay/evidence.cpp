#include "channel/alipay/evidence.h"

#include <algorithm>

#include "base/limits.h"
#include "channel/alipay/codes.h"
#include "channel/alipay/request.h"
#include "channel/alipay/trade.h"
#include "channel/alipay/values.h"
#include "channel/parsing/json_fields.h"

namespace finality::alipay {
namespace {

constexpr std::size_t kFieldBytesMax = 64;

std::string_view field_of(const AlipayReply& answer, std::string_view name) {
  return text_field(answer.node, name, kFieldBytesMax).value_or("");
}

Evidence unknown(std::string code, std::string message) {
  return {.kind = EvidenceKind::unknown, .code = std::move(code), .message = std::move(message)};
}

Evidence broken(const std::string& reason) {
  return unknown("malformed", "the channel's response is malformed: " + reason);
}

TradeFields trade_fields(const AlipayReply& answer) {
  return {.trade_no = field_of(answer, "trade_no"),
          .out_trade_no = field_of(answer, "out_trade_no"),
          .status = field_of(answer, "trade_status"),
          .total_amount = field_of(answer, "total_amount"),
          .currency = field_of(answer, "trans_currency"),
          .paid_at = field_of(answer, "send_pay_date")};
}

Evidence read_trade_fields(const TradeFields& fields) {
  auto evidence = read_trade(fields);
  return evidence ? std::move(*evidence) : broken(evidence.error().message);
}

Evidence read_precreated(const AlipayReply& answer) {
  const auto code = text_field(answer.node, "qr_code", limits::kUrlMax);
  if (!code || !is_printable(*code)) return broken("it has no valid qr_code for the payer");
  Evidence evidence{.kind = EvidenceKind::waiting, .code = answer.code};
  evidence.action_type = ActionType::qr_code;
  evidence.action_code = *code;
  return evidence;
}

// Reads the response to alipay.trade.pay, which has no trade_status. Only a successful payment has gmt_payment, so this
// field proves the payment.
Evidence read_paid_immediately(const AlipayReply& answer) {
  TradeFields fields = trade_fields(answer);
  fields.status = "TRADE_SUCCESS";
  fields.paid_at = field_of(answer, "gmt_payment");
  if (fields.paid_at.empty()) return broken("gmt_payment is missing");
  return read_trade_fields(fields);
}

Evidence read_waiting(const AlipayReply& answer) {
  Evidence evidence{.kind = EvidenceKind::waiting, .code = answer.code, .message = answer.message};
  if (const std::string_view trade_no = field_of(answer, "trade_no"); !trade_no.empty())
    evidence.channel_trade_no = trade_no;
  return evidence;
}

// Reads the response to alipay.trade.cancel. Only the action `close` proves that the trade is closed. Without an
// action the response is `unknown`, because the trade may still be created. The action `refund` is `unknown` too,
// because the response does not contain the amount; a query follows.
Evidence read_cancelled(const AlipayReply& answer) {
  const std::string_view action = field_of(answer, "action");
  if (field_of(answer, "retry_flag") == "Y") return unknown("retry_flag", "the cancel must be repeated");
  if (action == "close") return {.kind = EvidenceKind::closed, .code = "close"};
  if (action == "refund") return unknown("refund", "the cancel refunded the payment");
  return unknown("not_cancelled", "the cancel had no effect");
}

Evidence read_success(const ChannelCall& call, const AlipayReply& answer) {
  switch (call.kind) {
    case ChannelCallKind::query_payment:
      return read_trade_fields(trade_fields(answer));
    case ChannelCallKind::close_payment:
      if (call_of(call) == kCancel) return read_cancelled(answer);
      return {.kind = EvidenceKind::closed, .code = answer.code};
    case ChannelCallKind::send_payment:
      break;
  }
  if (call_of(call) == kPrecreate) return read_precreated(answer);
  if (call_of(call) == kPay) return read_paid_immediately(answer);
  return unknown("not_asked", "this payment method sends no request");
}

// Whether the trade may exist: Alipay has reported its trade_no, or the payer may have scanned the QR code. If the
// trade may exist, a refused repetition of the send must not end the payment.
bool may_be_there(const Payment& payment) {
  return payment.channel_trade_no.has_value() || payment.state == PaymentState::pending;
}

Evidence read_refusal(const ChannelCall& call, const AlipayReply& answer) {
  const CodeMeaning& meaning = meaning_of(answer.code, answer.sub_code);
  Evidence evidence = unknown(answer.most_specific_code(), answer.message);
  if (call.kind != ChannelCallKind::send_payment)
    evidence.kind = meaning.query;
  else if (!may_be_there(call.payment))
    evidence.kind = call_of(call) == kPay ? meaning.pay : meaning.send;
  return evidence;
}

// Derives the evidence from a successful response to a refund request. REQUIRES: is_about(call, answer).
RefundEvidenceKind send_refund_kind(const RefundCall& call, const AlipayReply& answer) {
  const auto all = parse_yuan(field_of(answer, "refund_fee"));  // all refunds of the trade, including this refund
  const std::string_view changed = field_of(answer, "fund_change");
  if (changed == "Y") return all && *all >= call.amount ? RefundEvidenceKind::refunded : RefundEvidenceKind::unknown;
  return changed == "N" ? RefundEvidenceKind::accepted : RefundEvidenceKind::unknown;
}

RefundEvidenceKind query_refund_kind(const RefundCall& call, const AlipayReply& answer) {
  // Without refund_status, Alipay never received the refund, or the refund failed. The worker must send it again with
  // the same out_request_no.
  if (!answer.node.contains("refund_status")) return RefundEvidenceKind::not_found;
  const std::string_view status = field_of(answer, "refund_status");
  if (parse_yuan(field_of(answer, "refund_amount")) != call.amount) return RefundEvidenceKind::unknown;
  if (status == "REFUND_SUCCESS") return RefundEvidenceKind::refunded;
  return status == "REFUND_PROCESSING" ? RefundEvidenceKind::accepted : RefundEvidenceKind::unknown;
}

// Whether the response is about the refund of `call`. The response to a query that found no refund may omit trade_no
// and out_request_no.
bool is_about(const RefundCall& call, const AlipayReply& answer) {
  const bool sending = call.kind == RefundCallKind::send_refund;
  const bool found = sending || answer.node.contains("refund_status");
  const auto matches = [&](std::string_view name, std::string_view expected) {
    return answer.node.contains(name) ? field_of(answer, name) == expected : !found;
  };
  return matches("trade_no", call.channel_trade_no) && (sending || matches("out_request_no", call.out_refund_no));
}

}  // namespace

Evidence read_evidence(const ChannelCall& call, const AlipayReply& answer) {
  const bool waits = call_of(call) == kPay && answer.code == "10003";
  if (!answer.is_ok() && !waits) return read_refusal(call, answer);
  if (field_of(answer, "out_trade_no") != call.payment.out_trade_no)
    return unknown("wrong_trade", "the channel's response is about a different trade");
  return waits ? read_waiting(answer) : read_success(call, answer);
}

Evidence read_evidence(const CaptureCall& call, const AlipayReply& answer) {
  const bool sending = call.kind == CaptureCallKind::send_capture;
  const bool waits = sending && answer.code == "10003";
  if (!answer.is_ok() && !waits) {
    const CodeMeaning& meaning = meaning_of(answer.code, answer.sub_code);
    Evidence evidence = unknown(answer.most_specific_code(), answer.message);
    evidence.kind = sending ? meaning.capture : meaning.query;
    return evidence;
  }
  const Capture& capture = call.capture;
  const bool is_about = capture.out_trade_no.empty() ? field_of(answer, "trade_no") == capture.channel_trade_no
                                                     : field_of(answer, "out_trade_no") == capture.out_trade_no;
  if (!is_about) return unknown("wrong_trade", "the channel's response is about a different capture");
  if (waits) return read_waiting(answer);
  return sending ? read_paid_immediately(answer) : read_trade_fields(trade_fields(answer));
}

RefundEvidence read_evidence(const RefundCall& call, const AlipayReply& answer) {
  const bool sending = call.kind == RefundCallKind::send_refund;
  RefundEvidence evidence{.code = answer.most_specific_code(), .message = answer.message};
  if (!answer.is_ok()) {
    const CodeMeaning& meaning = meaning_of(answer.code, answer.sub_code);
    evidence.kind = sending ? meaning.refund : meaning.query_refund;
    return evidence;
  }
  if (!is_about(call, answer)) {
    evidence.code = "wrong_trade";
    evidence.message = "the channel's response is about a different refund";
    return evidence;
  }
  evidence.kind = sending ? send_refund_kind(call, answer) : query_refund_kind(call, answer);
  if (evidence.kind == RefundEvidenceKind::unknown) evidence.code = "malformed";
  return evidence;
}

}  // namespace finality::alipay
