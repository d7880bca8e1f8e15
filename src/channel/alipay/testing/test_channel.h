// Correctly signed responses and notifications of Alipay, for the contract suite and the tests of the adapter.
#pragma once

#include <gtest/gtest.h>

#include "channel/alipay/channel.h"
#include "channel/alipay/testing/test_gateway.h"
#include "channel/alipay/testing/test_statement.h"
#include "channel/testing/authorization_contract.h"
#include "channel/testing/channel_contract.h"

namespace finality::channel_contract {

namespace json = boost::json;
using namespace alipay_test;

inline constexpr const char* kPaidAt = "2026-09-21 22:13:15";

inline json::object trade_node(const ChannelCall& call, std::string_view status) {
  json::object node{{"trade_no", kTradeNo},
                    {"out_trade_no", call.payment.out_trade_no},
                    {"trade_status", status},
                    {"total_amount", "10.00"},
                    {"buyer_logon_id", "a***@b.example"}};
  if (status == "TRADE_SUCCESS" || status == "TRADE_FINISHED") node["send_pay_date"] = kPaidAt;
  return node;
}

inline std::string method_of(const ChannelCall& call) {
  if (call.kind == ChannelCallKind::query_payment) return "alipay.trade.query";
  if (call.kind == ChannelCallKind::close_payment) return "alipay.trade.close";
  return call.payment.method == "barcode" ? "alipay.trade.pay" : "alipay.trade.precreate";
}

inline std::string method_of(const RefundCall& call) {
  return call.kind == RefundCallKind::send_refund ? "alipay.trade.refund" : "alipay.trade.fastpay.refund.query";
}

inline std::string method_of(const AuthorizationCall& call) {
  using enum AuthorizationCallKind;
  const std::string prefix = "alipay.fund.auth.";
  if (call.kind == query_authorization) return prefix + "operation.detail.query";
  if (call.kind != send_authorization) return prefix + "operation.cancel";  // also of the first, early release
  return prefix + (call.authorization.method == "barcode" ? "order.freeze" : "order.voucher.create");
}

inline std::string method_of(const CaptureCall& call) {
  return call.kind == CaptureCallKind::send_capture ? "alipay.trade.pay" : "alipay.trade.query";
}

inline json::object fund_auth_node(const AuthorizationCall& call) {
  return {{"out_order_no", call.authorization.out_trade_no}, {"out_request_no", call.authorization.out_trade_no}};
}

// The response to a query of an authorization with these totals, in yuan.
inline json::object totals_node(const AuthorizationCall& call, std::string_view status, std::string_view frozen,
                                std::string_view paid, std::string_view rest) {
  json::object node = fund_auth_node(call);
  node["auth_no"] = kAuthNo;
  node["order_status"] = status;
  node["status"] = status == "INIT" ? "INIT" : "SUCCESS";
  node["operation_type"] = "FREEZE";
  node["amount"] = "10.00";
  node["total_freeze_amount"] = frozen;
  node["total_pay_amount"] = paid;
  node["rest_amount"] = rest;
  node["payer_user_id"] = "2088102534368455";
  node["payer_logon_id"] = "a***@b.example";
  return node;
}

template <Mode mode>
struct AlipaySubject {
  static std::unique_ptr<Channel> make() { return *make_alipay_channel(options_for(mode)); }

  static std::optional<net::HttpResponse> answer(const ChannelCall& call, EvidenceKind kind, Time) {
    if (call.kind == ChannelCallKind::query_payment) return query_answer(call, kind);
    if (call.kind == ChannelCallKind::close_payment) return close_answer(call, kind);
    return send_answer(call, kind);
  }

  static std::optional<net::HttpResponse> query_answer(const ChannelCall& call, EvidenceKind kind) {
    if (kind == EvidenceKind::waiting) return success_answer(call, trade_node(call, "WAIT_BUYER_PAY"));
    if (kind == EvidenceKind::paid) return success_answer(call, trade_node(call, "TRADE_SUCCESS"));
    if (kind == EvidenceKind::closed) return success_answer(call, trade_node(call, "TRADE_CLOSED"));
    if (kind == EvidenceKind::not_found) return refusal(method_of(call), "40004", "ACQ.TRADE_NOT_EXIST", mode);
    return std::nullopt;
  }

  /// Returns the response to the query of a trade that was paid and fully refunded.
  static net::HttpResponse refunded_answer(const ChannelCall& call, Time) {
    json::object refunded = trade_node(call, "TRADE_CLOSED");
    refunded["send_pay_date"] = kPaidAt;
    return success_answer(call, refunded);
  }

  static std::optional<net::HttpResponse> close_answer(const ChannelCall& call, EvidenceKind kind) {
    if (kind == EvidenceKind::closed)
      return success_answer(call, {{"trade_no", kTradeNo}, {"out_trade_no", call.payment.out_trade_no}});
    if (kind == EvidenceKind::not_found) return refusal(method_of(call), "40004", "ACQ.TRADE_NOT_EXIST", mode);
    return std::nullopt;
  }

  static std::optional<net::HttpResponse> send_answer(const ChannelCall& call, EvidenceKind kind) {
    const bool barcode = call.payment.method == "barcode";
    json::object node{{"out_trade_no", call.payment.out_trade_no}};
    if (kind == EvidenceKind::failed) return refusal(method_of(call), "40004", "ACQ.INVALID_PARAMETER", mode);
    if (kind == EvidenceKind::waiting && !barcode) {
      node["qr_code"] = "https://qr.example/bax03431ljhokirwl38f00a7";
      return success_answer(call, node);
    }
    if (!barcode || (kind != EvidenceKind::waiting && kind != EvidenceKind::paid)) return std::nullopt;
    node["trade_no"] = kTradeNo;
    if (kind == EvidenceKind::waiting) {
      node["code"] = "10003";
      node["msg"] = "order success pay inprocess";
    } else {
      node["total_amount"] = "10.00";
      node["gmt_payment"] = kPaidAt;
    }
    return success_answer(call, node);
  }

  static bool names_trade(ChannelCallKind) { return true; }
  static net::HttpResponse answer_about(std::string out_trade_no, ChannelCall call, Time) {
    call.payment.out_trade_no = std::move(out_trade_no);
    if (call.kind == ChannelCallKind::send_payment) return *send_answer(call, EvidenceKind::waiting);
    return call.kind == ChannelCallKind::query_payment ? *query_answer(call, EvidenceKind::paid)
                                                       : *close_answer(call, EvidenceKind::closed);
  }

  static std::optional<net::HttpResponse> refund_answer(const RefundCall& call, RefundEvidenceKind kind, Time at) {
    const bool sending = call.kind == RefundCallKind::send_refund;
    if (kind == RefundEvidenceKind::refused && sending)
      return refusal(method_of(call), "40004", "ACQ.TRADE_NOT_ALLOW_REFUND", mode);
    if (kind == RefundEvidenceKind::not_now && sending)
      return refusal(method_of(call), "40004", "ACQ.SELLER_BALANCE_NOT_ENOUGH", mode);
    if (kind == RefundEvidenceKind::accepted && sending)
      return success_answer(call, {{"trade_no", call.channel_trade_no}, {"fund_change", "N"}, {"refund_fee", "3.00"}});
    if (kind == RefundEvidenceKind::not_found && !sending)
      return success_answer(call, {{"trade_no", call.channel_trade_no}, {"out_request_no", call.out_refund_no}});
    if (kind == RefundEvidenceKind::refunded) return refund_answer_about(call.out_refund_no, call, at);
    return std::nullopt;
  }

  static net::HttpResponse refund_answer_about(std::string out_refund_no, const RefundCall& call, Time) {
    if (call.kind == RefundCallKind::send_refund)  // refund_fee: 3.00 and an earlier refund of 2.00
      return success_answer(call, {{"trade_no", call.channel_trade_no}, {"fund_change", "Y"}, {"refund_fee", "5.00"}});
    return success_answer(call, {{"trade_no", call.channel_trade_no},
                                 {"out_request_no", out_refund_no},
                                 {"refund_status", "REFUND_SUCCESS"},
                                 {"refund_amount", "3.00"},
                                 {"total_amount", "10.00"}});
  }

  static std::optional<net::HttpResponse> statement_answer(const StatementCall&, Time) {
    return signed_answer("alipay.data.dataservice.bill.downloadurl.query",
                         json::object{{"bill_download_url", "https://bills.example/file?id=1"}}, mode);
  }
  static std::optional<net::HttpResponse> empty_day_answer(const StatementCall&, Time) {
    return refusal("alipay.data.dataservice.bill.downloadurl.query", "40004", "NO_BILL_DATA", mode);
  }
  static std::optional<net::HttpResponse> unready_statement_answer(const StatementCall&, Time) {
    return refusal("alipay.data.dataservice.bill.downloadurl.query", "40004", "BILL_NOT_EXIST", mode);
  }
  static std::string statement_file(const StatementCall& call) {
    return to_gb18030(call.kind == StatementKind::trades ? trade_csv() : account_csv());
  }

  static std::optional<net::HttpResponse> authorization_answer(const AuthorizationCall& call,
                                                               AuthorizationEvidenceKind kind, Time) {
    switch (call.kind) {
      case AuthorizationCallKind::query_authorization:
        return query_authorization_answer(call, kind);
      case AuthorizationCallKind::send_authorization:
        return send_authorization_answer(call, kind);
      case AuthorizationCallKind::close_authorization:
      case AuthorizationCallKind::release_authorization:
        return cancel_answer(call, kind);
    }
    return std::nullopt;
  }

  static std::optional<net::HttpResponse> query_authorization_answer(const AuthorizationCall& call,
                                                                     AuthorizationEvidenceKind kind) {
    using enum AuthorizationEvidenceKind;
    if (kind == waiting) return success_answer(call, totals_node(call, "INIT", "0.00", "0.00", "0.00"));
    if (kind == authorized) return success_answer(call, totals_node(call, "AUTHORIZED", "10.00", "0.00", "10.00"));
    if (kind == released) return success_answer(call, totals_node(call, "FINISH", "10.00", "4.00", "0.00"));
    if (kind == closed) return success_answer(call, totals_node(call, "CLOSED", "0.00", "0.00", "0.00"));
    if (kind == not_found) return refusal(method_of(call), "40004", "AUTH_ORDER_NOT_EXIST", mode);
    return std::nullopt;
  }

  static std::optional<net::HttpResponse> send_authorization_answer(const AuthorizationCall& call,
                                                                    AuthorizationEvidenceKind kind) {
    using enum AuthorizationEvidenceKind;
    json::object node = fund_auth_node(call);
    if (kind == failed) return refusal(method_of(call), "40004", "ILLEGAL_ARGUMENT", mode);
    if (call.authorization.method == "qr") {
      node["code_type"] = "qrCode";
      node["code_value"] = "https://qr.example/prx04001";
      return kind == waiting ? std::optional(success_answer(call, node)) : std::nullopt;
    }
    node["auth_no"] = kAuthNo;
    node["amount"] = "10.00";
    if (kind == waiting) node["status"] = "INIT";
    if (kind == authorized) node["status"] = "SUCCESS";
    if (kind == closed) node["status"] = "CLOSED";
    return node.contains("status") ? std::optional(success_answer(call, node)) : std::nullopt;
  }

  static std::optional<net::HttpResponse> cancel_answer(const AuthorizationCall& call, AuthorizationEvidenceKind kind) {
    using enum AuthorizationEvidenceKind;
    const bool releasing = call.kind == AuthorizationCallKind::release_authorization;
    json::object node = fund_auth_node(call);
    node["action"] = kind == closed ? "close" : "unfreeze";
    if (kind == closed || (kind == released && releasing)) return success_answer(call, node);
    if (kind == not_found) return refusal(method_of(call), "40004", "AUTH_ORDER_NOT_EXIST", mode);
    if (kind == release_refused && releasing) return refusal(method_of(call), "40004", "PAYER_USER_STATUS_LIMIT", mode);
    if (kind == release_again && releasing) return refusal(method_of(call), "40004", "CANCEL_OPERATION_TIME_OUT", mode);
    return std::nullopt;
  }

  static std::optional<net::HttpResponse> capture_answer(const CaptureCall& call, EvidenceKind kind, Time) {
    const bool sending = call.kind == CaptureCallKind::send_capture;
    json::object node{{"trade_no", kTradeNo}, {"out_trade_no", call.capture.out_trade_no}, {"total_amount", "4.00"}};
    if (kind == EvidenceKind::paid) {
      node[sending ? "gmt_payment" : "send_pay_date"] = kPaidAt;
      if (!sending) node["trade_status"] = "TRADE_SUCCESS";
      return success_answer(call, node);
    }
    if (kind == EvidenceKind::failed && sending)
      return refusal(method_of(call), "40004", "ACQ.AUTH_AMOUNT_NOT_ENOUGH", mode);
    if (kind == EvidenceKind::not_found && !sending)
      return refusal(method_of(call), "40004", "ACQ.TRADE_NOT_EXIST", mode);
    return std::nullopt;
  }

  static net::HttpRequest held_notification(const AuthorizationCall& call, Time) {
    return notification(frozen_form(call.authorization.out_trade_no));
  }

  static constexpr MinorUnits kRefundedSum = 1000;
  static bool is_signed(const net::HttpResponse&) { return true; }
  static void remove_signature(net::HttpResponse& response) {
    const std::size_t at = response.body.find(R"(,"sign":")");
    response.body = response.body.substr(0, at) + "}";
  }
  static void remove_signature(net::HttpRequest& request) {
    const std::size_t at = request.body.find("&sign=");
    request.body.erase(at, request.body.find('&', at + 1) - at);
  }

  static net::HttpRequest paid_notification(const ChannelCall& call, Time) {
    return notification(paid_form(call.payment.out_trade_no));
  }
  static net::HttpRequest forged_notification(const ChannelCall& call, Time) {
    return notification(paid_form(call.payment.out_trade_no), another_key());
  }
  // Returns a notification with the parameters of `content`, which may be any text, and a valid signature.
  static net::HttpRequest notification_of(std::string content, Time) {
    Form form;
    std::string_view rest = content;
    while (!rest.empty()) {
      const std::string_view pair = rest.substr(0, rest.find('&'));
      rest.remove_prefix(std::min(pair.size() + 1, rest.size()));
      const std::size_t equals = std::min(pair.find('='), pair.size());
      const std::string_view value = pair.substr(std::min(equals + 1, pair.size()));
      form[std::string(pair.substr(0, equals))] = percent_decode(value).value_or(std::string(value));
    }
    return notification(std::move(form));
  }

 private:
  static net::HttpResponse success_answer(const auto& call, json::object node) {
    return signed_answer(method_of(call), std::move(node), mode);
  }
};

using PublicKeySubject = AlipaySubject<Mode::public_key>;
using CertificateSubject = AlipaySubject<Mode::certificates>;

/// Returns the parameters of query and body, as the gateway receives them. Fails the test if `sign` is not valid.
inline Form received(const UpstreamRequest& request) {
  Form form;
  for (const std::string_view part : {request.http.query(), std::string_view(request.http.body)}) {
    std::string_view rest = part;
    while (!rest.empty()) {
      const std::string_view pair = rest.substr(0, rest.find('&'));
      rest.remove_prefix(std::min(pair.size() + 1, rest.size()));
      const std::size_t equals = pair.find('=');
      form[*percent_decode(pair.substr(0, equals))] = *percent_decode(pair.substr(equals + 1));
    }
  }
  EXPECT_TRUE(merchant_key().public_key().verifies(text_to_sign(form, true), *from_base64(form["sign"])));
  return form;
}

inline json::object content_of(const Form& form) { return json::parse(form.at("biz_content")).as_object(); }

class AlipayChannelTest : public testing::Test {
 protected:
  ChannelCall send_by(std::string_view method) const {
    return call_of(ChannelCallKind::send_payment, *channel_, method);
  }
  ChannelCall call(ChannelCallKind kind) const { return call_of(kind, *channel_); }
  Evidence query_evidence(json::object node) const {
    return read_response(*channel_, query_, signed_answer("alipay.trade.query", std::move(node)));
  }
  RefundEvidence refund_evidence(RefundCallKind kind, json::object node) const {
    const RefundCall call = refund_call_of(kind, *channel_);
    return read_response(*channel_, call, signed_answer(method_of(call), std::move(node)));
  }

  std::unique_ptr<AlipayChannel> channel_ = *make_alipay_channel(options_for(Mode::public_key));
  ChannelCall query_ = call(ChannelCallKind::query_payment);
};

}  // namespace finality::channel_contract
