// Correctly signed responses and notifications of the sandbox's simple channel, for the contract suites and the tests
// of the adapter.
#pragma once

#include <fmt/format.h>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "base/crypto/crypto.h"
#include "base/crypto/encoding.h"
#include "channel/sandbox/channel.h"
#include "channel/sandbox/testing/test_statement.h"
#include "channel/testing/authorization_contract.h"
#include "channel/testing/channel_contract.h"

namespace finality::channel_contract {

inline const Secret kSecret("the sandbox's secret");
inline const Secret kWrongSecret("another secret");

// Signs a message of the sandbox. Implements the signature independently of the adapter, so that an error of the
// adapter does not also occur here.
inline void sign(net::Headers& headers, std::string_view body, Time at, const Secret& secret = kSecret) {
  const std::string timestamp = std::to_string(at.ms / 1000);
  headers.add("Sandbox-Timestamp", timestamp);
  headers.add("Sandbox-Signature", to_hex(hmac_sha256(secret.reveal(), timestamp + "\n" + std::string(body))));
}

inline net::HttpResponse signed_answer(int status, const boost::json::object& json, Time at) {
  net::HttpResponse response{.status = status, .body = boost::json::serialize(json)};
  sign(response.headers, response.body, at);
  return response;
}

inline boost::json::object trade_of(const ChannelCall& call, std::string_view state, std::int64_t paid = 0,
                                    std::int64_t refunded = 0) {
  boost::json::object trade{{"trade_no", "sbt_1"},
                            {"out_trade_no", call.payment.out_trade_no},
                            {"channel", call.payment.channel},
                            {"state", state},
                            {"amount", call.payment.amount},
                            {"currency", "CNY"},
                            {"paid", paid},
                            {"refunded", refunded},
                            {"payer", "somebody"},
                            {"created_at", "2026-09-21T13:33:20.000Z"}};
  if (paid > 0) trade["paid_at"] = "2026-09-21T14:13:20.000Z";
  return trade;
}

inline net::HttpResponse trade_answer(const ChannelCall& call, const boost::json::object& trade, Time at) {
  boost::json::object body{{"trade", trade}};
  if (call.kind == ChannelCallKind::send_payment)
    body["action"] = {{"type", "redirect"}, {"url", "http://127.0.0.1:8090/wallet/sbt_1"}};
  return signed_answer(200, body, at);
}

inline net::HttpResponse too_late(std::string_view code, const boost::json::object& trade, Time at) {
  return signed_answer(409, {{"code", code}, {"message", "too late"}, {"trade", trade}}, at);
}

inline net::HttpRequest notification(std::string body, Time at, const Secret& secret) {
  net::HttpRequest request{.method = "POST", .target = "/notify/sandbox", .body = std::move(body)};
  sign(request.headers, request.body, at, secret);
  return request;
}

inline std::string notification_body(const boost::json::object& trade) {
  return boost::json::serialize(boost::json::object{
      {"id", "sbn_1"}, {"type", "trade.paid"}, {"created_at", "2026-09-21T14:13:20.000Z"}, {"trade", trade}});
}

inline boost::json::object authorization_of(const AuthorizationCall& call, std::string_view state) {
  return {{"auth_no", "sba_1"},
          {"out_order_no", call.authorization.out_trade_no},
          {"state", state},
          {"amount", call.authorization.amount},
          {"authorized", 0},
          {"captured", 0},
          {"released", 0},
          {"currency", "CNY"},
          {"unfunded", false},
          {"payer", "somebody"},
          {"captures", boost::json::array{}}};
}

inline boost::json::object held_authorization_of(const AuthorizationCall& call) {
  boost::json::object authorization = authorization_of(call, "held");
  authorization["authorized"] = call.authorization.amount;
  authorization["authorized_at"] = "2026-09-21T14:13:19.000Z";
  authorization["capture_before"] = "2026-09-28T14:13:20.000Z";
  return authorization;
}

// An authorization whose rest of 6.00 CNY was released after a capture of 4.00 CNY.
inline boost::json::object ended_authorization_of(const AuthorizationCall& call, std::string_view ended_by) {
  boost::json::object authorization = held_authorization_of(call);
  authorization["state"] = "ended";
  authorization["ended_by"] = ended_by;
  authorization["captured"] = 400;
  authorization["released"] = 600;
  const boost::json::object capture{{"out_trade_no", out_capture_no(MerchantId{7}, OrderId{6}, 1)},
                                    {"trade_no", "sbt_9"},
                                    {"amount", 400},
                                    {"currency", "CNY"},
                                    {"paid_at", "2026-09-21T14:13:20.000Z"}};
  authorization["captures"] = boost::json::array{capture};
  return authorization;
}

inline net::HttpResponse authorization_answer_of(const AuthorizationCall& call,
                                                 const boost::json::object& authorization, Time at) {
  boost::json::object body{{"authorization", authorization}};
  if (call.kind == AuthorizationCallKind::send_authorization)
    body["action"] = {{"type", "redirect"}, {"url", "http://127.0.0.1:8090/wallet/sba_1"}};
  return signed_answer(200, body, at);
}

inline std::string authorization_notification_body(const boost::json::object& authorization) {
  return boost::json::serialize(boost::json::object{{"id", "sbn_2"},
                                                    {"type", "authorization"},
                                                    {"created_at", "2026-09-21T14:13:20.000Z"},
                                                    {"authorization", authorization}});
}

inline boost::json::object capture_of(const CaptureCall& call) {
  return {{"trade_no", "sbt_9"},
          {"out_trade_no", call.capture.out_trade_no},
          {"channel", "sandbox"},
          {"state", "paid"},
          {"amount", 400},
          {"currency", "CNY"},
          {"paid", 400},
          {"refunded", 0},
          {"paid_at", "2026-09-21T14:13:20.000Z"}};
}

struct SandboxSubject {
  static std::unique_ptr<Channel> make() {
    return make_sandbox_channel({"sandbox", "http://127.0.0.1:8090/", kSecret, "https://pay.example/"});
  }

  static std::optional<net::HttpResponse> answer(const ChannelCall& call, EvidenceKind kind, Time at) {
    const bool sending = call.kind == ChannelCallKind::send_payment;
    const bool closing = call.kind == ChannelCallKind::close_payment;
    switch (kind) {
      case EvidenceKind::waiting:
        return trade_answer(call, trade_of(call, "waiting"), at);
      case EvidenceKind::paid:
        if (closing) return too_late("trade_has_success", trade_of(call, "paid", 1000), at);
        return trade_answer(call, trade_of(call, "paid", 1000), at);
      case EvidenceKind::failed:
        if (sending) return signed_answer(400, {{"code", "invalid_parameter"}, {"message", "no such scenario"}}, at);
        if (closing) return too_late("trade_has_failed", trade_of(call, "failed"), at);
        return trade_answer(call, trade_of(call, "failed"), at);
      case EvidenceKind::closed:
        return trade_answer(call, trade_of(call, "closed"), at);
      case EvidenceKind::not_found:
        if (sending) return std::nullopt;
        return signed_answer(404, {{"code", "trade_not_exist"}, {"message", "The trade does not exist."}}, at);
      case EvidenceKind::unknown:
        return std::nullopt;
    }
    return std::nullopt;
  }

  static net::HttpResponse refunded_answer(const ChannelCall& call, Time at) {
    return trade_answer(call, trade_of(call, "paid", 1000, 1000), at);
  }

  static net::HttpResponse answer_about(std::string out_trade_no, const ChannelCall& call, Time at) {
    boost::json::object trade = trade_of(call, "closed");
    trade["out_trade_no"] = out_trade_no;
    return trade_answer(call, trade, at);
  }

  static bool names_trade(ChannelCallKind) { return true; }

  static std::optional<net::HttpResponse> refund_answer(const RefundCall& call, RefundEvidenceKind kind, Time at) {
    const bool sending = call.kind == RefundCallKind::send_refund;
    if (kind == RefundEvidenceKind::refunded) return refund_answer_about(call.out_refund_no, call, at);
    if (kind == RefundEvidenceKind::try_again && !sending)
      return refund_answer_about(call.out_refund_no, call, at, "closed");
    if (kind == RefundEvidenceKind::not_found && !sending)
      return signed_answer(404, {{"code", "refund_not_exist"}}, at);
    if (kind == RefundEvidenceKind::refused && sending) return signed_answer(409, {{"code", "refund_refused"}}, at);
    if (kind == RefundEvidenceKind::not_now && sending) return signed_answer(409, {{"code", "refund_not_now"}}, at);
    if (kind == RefundEvidenceKind::try_again && sending)
      return signed_answer(409, {{"code", "refund_refused_for_now"}}, at);
    return std::nullopt;
  }

  static net::HttpResponse refund_answer_about(std::string out_refund_no, const RefundCall& call, Time at,
                                               std::string_view state = "succeeded") {
    const boost::json::object refund{{"out_refund_no", out_refund_no}, {"amount", call.amount}, {"state", state}};
    return signed_answer(200, {{"refund", refund}}, at);
  }

  static std::optional<net::HttpResponse> statement_answer(const StatementCall& call, Time at) {
    net::HttpResponse response{.status = 200, .body = sandbox_test::statement_file(call.kind)};
    sign(response.headers, response.body, at);
    return response;
  }
  static std::optional<net::HttpResponse> empty_day_answer(const StatementCall&, Time at) {
    return signed_answer(404, {{"code", "no_statement"}}, at);
  }
  static std::optional<net::HttpResponse> unready_statement_answer(const StatementCall&, Time at) {
    return signed_answer(404, {{"code", "statement_not_ready"}}, at);
  }
  static std::string statement_file(const StatementCall& call) { return sandbox_test::statement_file(call.kind); }

  static constexpr MinorUnits kRefundedSum = 1000;

  static bool is_signed(const net::HttpResponse&) { return true; }
  static void remove_signature(net::HttpResponse& response) { remove_signature(response.headers); }
  static void remove_signature(net::HttpRequest& request) { remove_signature(request.headers); }
  static void remove_signature(net::Headers& headers) {
    net::Headers rest;
    for (const auto& [name, value] : headers.fields())
      if (name != "Sandbox-Signature") rest.add(name, value);
    headers = rest;
  }

  static net::HttpRequest paid_notification(const ChannelCall& call, Time at) {
    return notification(notification_body(trade_of(call, "paid", 1000)), at, kSecret);
  }
  static net::HttpRequest forged_notification(const ChannelCall& call, Time at) {
    return notification(notification_body(trade_of(call, "paid", 1000)), at, kWrongSecret);
  }
  static std::optional<net::HttpResponse> authorization_answer(const AuthorizationCall& call,
                                                               AuthorizationEvidenceKind kind, Time at) {
    using enum AuthorizationEvidenceKind;
    const bool sending = call.kind == AuthorizationCallKind::send_authorization;
    const bool releasing = call.kind == AuthorizationCallKind::release_authorization;
    switch (kind) {
      case waiting:
        return authorization_answer_of(call, authorization_of(call, "waiting"), at);
      case authorized:
        return authorization_answer_of(call, held_authorization_of(call), at);
      case released:
        return authorization_answer_of(call, ended_authorization_of(call, "released"), at);
      case expired:
        return authorization_answer_of(call, ended_authorization_of(call, "lapsed"), at);
      case failed:
        if (sending) return signed_answer(400, {{"code", "invalid_parameter"}, {"message", "no such scenario"}}, at);
        return authorization_answer_of(call, authorization_of(call, "failed"), at);
      case closed:
        return authorization_answer_of(call, authorization_of(call, "closed"), at);
      case not_found:
        if (sending) return std::nullopt;
        return signed_answer(404, {{"code", "authorization_not_exist"}}, at);
      case release_refused:
        if (!releasing) return std::nullopt;
        return signed_answer(409, {{"code", "release_refused"}}, at);
      case release_again:
        if (!releasing) return std::nullopt;
        return signed_answer(409, {{"code", "release_exceeds_held"}}, at);
      case unknown:
        return std::nullopt;
    }
    return std::nullopt;
  }

  static std::optional<net::HttpResponse> capture_answer(const CaptureCall& call, EvidenceKind kind, Time at) {
    const bool sending = call.kind == CaptureCallKind::send_capture;
    if (kind == EvidenceKind::paid) return signed_answer(200, {{"trade", capture_of(call)}}, at);
    if (kind == EvidenceKind::failed && sending) return signed_answer(409, {{"code", "capture_refused"}}, at);
    if (kind == EvidenceKind::not_found && !sending) return signed_answer(404, {{"code", "capture_not_exist"}}, at);
    return std::nullopt;
  }

  static net::HttpRequest held_notification(const AuthorizationCall& call, Time at) {
    return notification(authorization_notification_body(held_authorization_of(call)), at, kSecret);
  }

  static net::HttpRequest notification_of(std::string body, Time at) {
    return notification(std::move(body), at, kSecret);
  }
};

}  // namespace finality::channel_contract
