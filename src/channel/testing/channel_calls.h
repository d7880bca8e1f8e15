// Calls of all kinds for the contract suites of channel adapters, and a listener that passes bytes to every parser.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>

#include "channel/authorizations.h"
#include "channel/channel.h"
#include "channel/refunds.h"
#include "channel/statements.h"
#include "model/out_trade_no.h"

namespace finality::channel_contract {

inline constexpr Time kNow{1'790'000'000'000};

/// Returns a call for a payment of 10.00 CNY, with the payer fields of all payment methods.
inline ChannelCall call_of(ChannelCallKind kind, const Channel& channel, std::string_view method = "") {
  ChannelCall call{.kind = kind, .deadline = kNow + limits::kChannelTimeout};
  call.order.subject = "Tea";
  call.order.expires_at = kNow + std::chrono::hours(1);
  call.return_url = "https://pay.example/return/t";
  call.payment.id = PaymentId{8};
  call.payment.created_at = kNow;
  call.payment.channel = channel.name();
  call.payment.method = method.empty() ? channel.capabilities().methods.front() : std::string(method);
  call.payment.payer = R"({"openid":"o-1","auth_code":"287634438256643940","client_ip":"203.0.113.7"})";
  call.payment.amount = 1000;
  call.payment.currency = *parse_currency("CNY");
  call.payment.out_trade_no = out_number(MerchantId{7}, 8);
  if (kind != ChannelCallKind::send_payment) call.payment.channel_trade_no = "2026112122001400000000000008";
  return call;
}

/// Returns a call for a refund of 3.00 CNY of a trade of 10.00 CNY.
inline RefundCall refund_call_of(RefundCallKind kind, const Channel& channel) {
  RefundCall call{.kind = kind, .merchant_id = MerchantId{7}, .channel = channel.name(), .deadline = kNow};
  call.channel_trade_no = "2026112122001400000000000008";
  call.out_refund_no = out_number(MerchantId{7}, 9);
  call.amount = 300;
  call.trade_amount = 1000;
  call.currency = *parse_currency("CNY");
  return call;
}

/// Returns a call for an authorization of 10.00 CNY: nothing is known to be held before a send or a close, and all of
/// it is held before a release.
inline AuthorizationCall authorization_call_of(AuthorizationCallKind kind, const Channel& channel,
                                               std::string_view method = "") {
  AuthorizationCall call{.kind = kind, .deadline = kNow + limits::kChannelTimeout};
  call.order.subject = "Tea";
  call.order.expires_at = kNow + std::chrono::hours(1);
  call.return_url = "https://pay.example/return/t";
  Authorization& authorization = call.authorization;
  authorization.id = AuthorizationId{8};
  authorization.merchant_id = MerchantId{7};
  authorization.order_id = OrderId{6};
  authorization.created_at = kNow;
  authorization.channel = channel.name();
  authorization.method = method.empty() ? channel.capabilities().authorization->methods.front() : std::string(method);
  authorization.payer = R"({"openid":"o-1","auth_code":"287634438256643940","client_ip":"203.0.113.7"})";
  authorization.amount = 1000;
  authorization.currency = *parse_currency("CNY");
  authorization.ordinal = 1;
  authorization.out_trade_no = out_authorization_no(MerchantId{7}, OrderId{6}, 1);
  if (kind == AuthorizationCallKind::send_authorization || kind == AuthorizationCallKind::close_authorization)
    return call;
  authorization.channel_trade_no = "2026112110002001000000000008";
  authorization.channel_payer = "2088102534368455";
  authorization.authorized_amount = 1000;
  authorization.authorized_at = kNow;
  authorization.release_attempts = 1;
  authorization.release_amount = 1000;
  return call;
}

/// Returns a call for a capture of 4.00 CNY of an authorization of 10.00 CNY.
inline CaptureCall capture_call_of(CaptureCallKind kind, const Channel& channel) {
  CaptureCall call{.kind = kind, .deadline = kNow + limits::kChannelTimeout};
  const AuthorizationCall held = authorization_call_of(AuthorizationCallKind::query_authorization, channel);
  call.order = held.order;
  call.authorization = held.authorization;
  call.capture.id = CaptureId{9};
  call.capture.amount = 400;
  call.capture.currency = *parse_currency("CNY");
  call.capture.out_trade_no = out_capture_no(MerchantId{7}, OrderId{6}, 1);
  return call;
}

inline const StatementCall kStatement{.kind = StatementKind::trades, .date = "2026-09-21"};

/// Returns a call for the trades and, for each account, for the funds; empty if the channel does not implement
/// Statements.
inline std::vector<StatementCall> all_statement_calls(const Channel& channel) {
  if (channel.statements() == nullptr) return {};
  std::vector<StatementCall> calls = {kStatement};
  StatementCall funds{.kind = StatementKind::funds, .date = kStatement.date};
  const StatementPlan& plan = channel.statements()->statement_plan();
  if (plan.funds_accounts.empty()) calls.push_back(funds);
  for (const std::string_view account : plan.funds_accounts) {
    funds.funds_account = account;
    calls.push_back(funds);
  }
  return calls;
}

inline std::vector<ChannelCallKind> all_call_kinds() {
  return {ChannelCallKind::send_payment, ChannelCallKind::query_payment, ChannelCallKind::close_payment};
}

/// Returns all payment calls for which the worker sends a request: query and close with the first payment method of the
/// channel, and send with each payment method that needs a request of the worker.
inline std::vector<ChannelCall> all_calls(const Channel& channel) {
  std::vector<ChannelCall> calls = {call_of(ChannelCallKind::query_payment, channel),
                                    call_of(ChannelCallKind::close_payment, channel)};
  for (const std::string& method : channel.capabilities().methods) {
    ChannelCall send = call_of(ChannelCallKind::send_payment, channel, method);
    if (!channel.answer_without_asking(send, kNow)) calls.push_back(std::move(send));
  }
  return calls;
}

/// Returns all refund calls; empty if the channel does not implement Refunds.
inline std::vector<RefundCall> all_refund_calls(const Channel& channel) {
  if (channel.refunds() == nullptr) return {};
  return {refund_call_of(RefundCallKind::send_refund, channel), refund_call_of(RefundCallKind::query_refund, channel)};
}

/// Returns all authorization calls for which the worker sends a request: sends with each method that needs one, and the
/// other kinds; empty if the channel does not implement Authorizations.
inline std::vector<AuthorizationCall> all_authorization_calls(const Channel& channel) {
  if (channel.authorizations() == nullptr) return {};
  using enum AuthorizationCallKind;
  std::vector<AuthorizationCall> calls;
  for (const AuthorizationCallKind kind : {query_authorization, close_authorization, release_authorization})
    calls.push_back(authorization_call_of(kind, channel));
  for (const std::string& method : channel.capabilities().authorization->methods) {
    AuthorizationCall send = authorization_call_of(send_authorization, channel, method);
    if (!channel.authorizations()->answer_without_asking(send, kNow)) calls.push_back(std::move(send));
  }
  return calls;
}

/// Returns all capture calls; empty if the channel does not implement Authorizations.
inline std::vector<CaptureCall> all_capture_calls(const Channel& channel) {
  if (channel.authorizations() == nullptr) return {};
  return {capture_call_of(CaptureCallKind::send_capture, channel),
          capture_call_of(CaptureCallKind::query_capture, channel)};
}

inline void expect_same(const UpstreamRequest& first, const UpstreamRequest& second) {
  EXPECT_EQ(first.url, second.url);
  EXPECT_EQ(first.http.headers.fields(), second.http.headers.fields());
  EXPECT_EQ(first.http.body, second.http.body);
  EXPECT_TRUE(first.url.starts_with("http") && first.url.ends_with(first.http.target)) << first.url;
}

inline Evidence read_response(const Channel& channel, const ChannelCall& call, net::HttpResponse response) {
  return channel.evidence_of(call, UpstreamResponse{std::move(response), ""}, kNow);
}

inline RefundEvidence read_response(const Channel& channel, const RefundCall& call, net::HttpResponse response) {
  return channel.refunds()->evidence_of(call, UpstreamResponse{std::move(response), ""}, kNow);
}

/// REQUIRES: the channel implements Authorizations.
inline AuthorizationEvidence read_response(const Channel& channel, const AuthorizationCall& call,
                                           net::HttpResponse response) {
  return channel.authorizations()->evidence_of(call, UpstreamResponse{std::move(response), ""}, kNow);
}
inline Evidence read_response(const Channel& channel, const CaptureCall& call, net::HttpResponse response) {
  return channel.authorizations()->evidence_of(call, UpstreamResponse{std::move(response), ""}, kNow);
}

/// REQUIRES: the channel implements Statements.
inline Result<StatementAnswer> read_response(const Channel& channel, const StatementCall& call,
                                             net::HttpResponse response) {
  return channel.statements()->statement_answer_of(call, UpstreamResponse{std::move(response), ""}, kNow);
}

/// Passes arbitrary bytes to every parser of a channel, in the contract suite and in fuzzers.
/// believes_nothing_of(bytes) is true if every parser rejects the bytes.
class Listener {
 public:
  explicit Listener(const Channel& channel)
      : channel_(channel),
        calls_(all_calls(channel)),
        refund_calls_(all_refund_calls(channel)),
        authorization_calls_(all_authorization_calls(channel)),
        capture_calls_(all_capture_calls(channel)) {}

  bool believes_nothing_of(std::string_view bytes) const {
    for (const int status : {200, 204, 400, 404, 409, 500})
      if (yields_evidence({.status = status, .body = std::string(bytes)})) return false;
    const net::HttpRequest notification{
        .method = "POST", .target = "/notify/" + channel_.name(), .body = std::string(bytes)};
    return !channel_.verify(notification, kNow);
  }

 private:
  bool yields_evidence(const net::HttpResponse& response) const {
    const auto is_known = [&](const auto& call) {
      const auto evidence = read_response(channel_, call, response);
      return evidence.kind != decltype(evidence.kind)::unknown;
    };
    return std::ranges::any_of(calls_, is_known) || std::ranges::any_of(refund_calls_, is_known) ||
           std::ranges::any_of(authorization_calls_, is_known) || std::ranges::any_of(capture_calls_, is_known) ||
           (channel_.statements() != nullptr && read_response(channel_, kStatement, response).has_value());
  }

  const Channel& channel_;
  std::vector<ChannelCall> calls_;
  std::vector<RefundCall> refund_calls_;
  std::vector<AuthorizationCall> authorization_calls_;
  std::vector<CaptureCall> capture_calls_;
};

}  // namespace finality::channel_contract
