#include "channel/sandbox/authorization.h"

#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/crypto/encoding.h"
#include "base/limits.h"
#include "channel/parsing/json_fields.h"
#include "channel/sandbox/trade.h"
#include "channel/text_limits.h"
#include "model/out_trade_no.h"

namespace finality::sandbox_channel {
namespace {

using E = AuthorizationEvidenceKind;

constexpr std::size_t kNumberBytesMax = 64;
constexpr std::size_t kFieldBytesMax = 64;
constexpr Duration kHeldFor = std::chrono::days(7);

/// A state of an authorization, and why it ended; empty for other states. `is_held`: an amount is or was held.
struct State {
  std::string_view name;
  std::string_view ended_by;
  E kind;
  bool is_held;
};
constexpr State kStates[] = {
    {"waiting", "", E::waiting, false},       {"held", "", E::authorized, true},
    {"ended", "captured", E::released, true}, {"ended", "released", E::released, true},
    {"ended", "lapsed", E::expired, true},    {"failed", "", E::failed, false},
    {"closed", "", E::closed, false},
};

/// What a refusal proves about an authorization. A refusal without a row proves nothing; if it contains the
/// authorization, that is evidence.
struct AuthorizationRefusal {
  AuthorizationCallKind call;
  int status;
  std::string_view code;
  E kind;
};
constexpr AuthorizationRefusal kAuthorizationRefusals[] = {
    {AuthorizationCallKind::send_authorization, 400, "invalid_parameter", E::failed},
    {AuthorizationCallKind::query_authorization, 404, "authorization_not_exist", E::not_found},
    {AuthorizationCallKind::close_authorization, 404, "authorization_not_exist", E::not_found},
    {AuthorizationCallKind::release_authorization, 404, "authorization_not_exist", E::not_found},
    {AuthorizationCallKind::release_authorization, 400, "invalid_parameter", E::release_refused},
    {AuthorizationCallKind::release_authorization, 409, "release_refused", E::release_refused},
    // The out_request_no stays refused; another one with the amount that is held then can succeed.
    {AuthorizationCallKind::release_authorization, 409, "release_refused_for_now", E::release_again},
    {AuthorizationCallKind::release_authorization, 409, "release_exceeds_held", E::release_again},
};

/// What a refusal proves about a capture. A refusal without a row proves nothing.
struct CaptureRefusal {
  CaptureCallKind call;
  int status;
  std::string_view code;
  EvidenceKind kind;
  bool is_not_now = false;  // the same out_trade_no may be sent again
};
constexpr CaptureRefusal kCaptureRefusals[] = {
    {CaptureCallKind::send_capture, 400, "invalid_parameter", EvidenceKind::failed},
    {CaptureCallKind::send_capture, 404, "authorization_not_exist", EvidenceKind::failed},
    {CaptureCallKind::send_capture, 409, "not_held", EvidenceKind::failed},
    {CaptureCallKind::send_capture, 409, "capture_exceeds_held", EvidenceKind::failed},
    {CaptureCallKind::send_capture, 409, "capture_refused", EvidenceKind::failed},
    {CaptureCallKind::send_capture, 409, "capture_not_now", EvidenceKind::unknown, true},
    {CaptureCallKind::query_capture, 404, "capture_not_exist", EvidenceKind::not_found},
};

// Returns the row for a refusal of a call; null if the table has none.
template <class Table, class Kind>
const auto* find_row(const Table& table, Kind call, const SignedReply& reply) {
  const auto* at = std::ranges::find_if(
      table, [&](const auto& row) { return row.call == call && row.status == reply.status && row.code == reply.code; });
  return at == std::end(table) ? nullptr : at;
}

std::string code_of(const SignedReply& reply) {
  return reply.code.empty() ? fmt::format("http_{}", reply.status) : reply.code;
}

std::string authorization_path(const Authorization& authorization) {
  return "/authorizations/" + percent_encode(authorization.out_trade_no);
}

boost::json::object creation_body(const AuthorizationCall& call, std::string_view notify_url) {
  const Authorization& authorization = call.authorization;
  boost::json::object body{{"out_order_no", authorization.out_trade_no},      {"amount", authorization.amount},
                           {"currency", authorization.currency.text()},       {"subject", call.order.subject},
                           {"expires_at", to_rfc3339(call.order.expires_at)}, {"notify_url", notify_url}};
  if (!call.return_url.empty()) body["return_url"] = call.return_url;
  if (authorization.scenario) body["scenario"] = *authorization.scenario;
  return body;
}

std::optional<MinorUnits> amount_of(const boost::json::object& object, std::string_view name) {
  return whole_field(object, name, 0, limits::kAmountMax);
}

Result<Currency> currency_of(const boost::json::object& object) {
  const auto currency = parse_currency(text_field(object, "currency", kFieldBytesMax).value_or(""));
  if (!currency) return fail("currency is not a currency code");
  return *currency;
}

Result<const State*> state_of(const boost::json::object& authorization) {
  const std::string_view name = text_field(authorization, "state", kFieldBytesMax).value_or("");
  const std::string_view ended_by = text_field(authorization, "ended_by", kFieldBytesMax).value_or("");
  const auto* at =
      std::ranges::find_if(kStates, [&](const State& row) { return row.name == name && row.ended_by == ended_by; });
  if (at == std::end(kStates)) return fail("state and ended_by are not a known state");
  return at;
}

// Copies the totals into `evidence`. Returns an error if they contradict the state.
Result<void> read_totals(const boost::json::object& authorization, const State& state,
                         AuthorizationEvidence& evidence) {
  const auto authorized = amount_of(authorization, "authorized");
  const auto captured = amount_of(authorization, "captured");
  const auto released = amount_of(authorization, "released");
  if (!authorized || !captured || !released)
    return fail("authorized, captured or released is not an amount in minor units");
  if (state.is_held != (*authorized > 0)) return fail("authorized contradicts state");
  if (!state.is_held && (*captured > 0 || *released > 0)) return fail("captured or released contradicts state");
  evidence.authorized = *authorized;
  evidence.captured = *captured;
  evidence.released = *released;
  return {};
}

Result<ReportedCapture> read_capture(const boost::json::value& item) {
  const boost::json::object* capture = item.if_object();
  if (capture == nullptr) return fail("captures has an item that is not an object");
  const auto out_trade_no = text_field(*capture, "out_trade_no", kNumberBytesMax);
  const auto trade_no = text_field(*capture, "trade_no", kNumberBytesMax);
  if (!out_trade_no || !trade_no) return fail("a capture has no out_trade_no or trade_no");
  const auto amount = amount_of(*capture, "amount");
  if (!amount || *amount == 0) return fail("amount of a capture is not a positive amount");
  const auto currency = currency_of(*capture);
  if (!currency) return std::unexpected(currency.error());
  const auto paid_at = parse_rfc3339(text_field(*capture, "paid_at", kFieldBytesMax).value_or(""));
  if (!paid_at) return fail("paid_at of a capture is not an RFC 3339 time");
  return ReportedCapture{std::string(*out_trade_no), std::string(*trade_no), *amount, *currency, *paid_at};
}

Result<void> read_captures(const boost::json::object& authorization, AuthorizationEvidence& evidence) {
  const boost::json::value* member = authorization.if_contains("captures");
  const boost::json::array* captures = member == nullptr ? nullptr : member->if_array();
  if (captures == nullptr) return fail("captures is not a list");
  for (const boost::json::value& item : *captures) {
    Result<ReportedCapture> capture = read_capture(item);
    if (!capture) return std::unexpected(capture.error());
    evidence.captures.push_back(std::move(*capture));
  }
  return {};
}

// Copies the start and the end of the hold, which are optional, into `evidence`.
Result<void> read_times(const boost::json::object& authorization, AuthorizationEvidence& evidence) {
  const std::pair<std::string_view, std::optional<Time>&> times[] = {{"authorized_at", evidence.authorized_at},
                                                                     {"capture_before", evidence.capture_before}};
  for (const auto& [name, time] : times) {
    if (!authorization.contains(name)) continue;
    time = parse_rfc3339(text_field(authorization, name, kFieldBytesMax).value_or(""));
    if (!time) return fail(fmt::format("{} is not an RFC 3339 time", name));
  }
  return {};
}

Result<AuthorizationEvidence> read_evidence(const boost::json::object& authorization) {
  const auto auth_no = text_field(authorization, "auth_no", kNumberBytesMax);
  if (!auth_no) return fail("auth_no is missing");
  const Result<const State*> state = state_of(authorization);
  if (!state) return std::unexpected(state.error());
  const Result<Currency> currency = currency_of(authorization);
  if (!currency) return std::unexpected(currency.error());
  const boost::json::value* unfunded = authorization.if_contains("unfunded");
  if (unfunded == nullptr || !unfunded->is_bool()) return fail("unfunded is not true or false");

  AuthorizationEvidence evidence{.kind = (*state)->kind,
                                 .channel_trade_no = std::string(*auth_no),
                                 .currency = *currency,
                                 .is_unfunded = unfunded->get_bool(),
                                 .channel_payer{text_field(authorization, "payer", kFieldBytesMax).value_or("")},
                                 .code{(*state)->name}};
  if (evidence.kind == E::failed) evidence.message = "the authorization failed at the channel";
  if (auto read = read_totals(authorization, **state, evidence); !read) return std::unexpected(read.error());
  if (auto read = read_captures(authorization, evidence); !read) return std::unexpected(read.error());
  if (auto read = read_times(authorization, evidence); !read) return std::unexpected(read.error());
  return evidence;
}

AuthorizationEvidence unknown(std::string code, std::string message) {
  return {.code = std::move(code), .message = std::move(message)};
}

AuthorizationEvidence broken(std::string_view reason) {
  return unknown("malformed", fmt::format("the channel's response is malformed: {}", reason));
}

AuthorizationEvidence read_state(const AuthorizationCall& call, const boost::json::object& body) {
  Result<ReportedAuthorization> reported = read_authorization(body);
  if (!reported) return broken(reported.error().message);
  if (reported->out_order_no != call.authorization.out_trade_no)
    return unknown("wrong_authorization", "the channel's response is about a different authorization");
  AuthorizationEvidence& evidence = reported->evidence;
  if (call.kind != AuthorizationCallKind::send_authorization) return std::move(evidence);
  if (const auto page = read_page(body)) {
    evidence.action_type = ActionType::redirect;
    evidence.action_url = *page;
  } else if (evidence.kind == E::waiting) {
    return broken("it has no valid page for the payer");
  }
  return std::move(evidence);
}

}  // namespace

net::HttpRequest post(boost::json::object body) {
  fit_texts(kKind, body);
  net::HttpRequest http{.method = "POST", .body = boost::json::serialize(body)};
  http.headers.add("Content-Type", "application/json");
  return http;
}

AuthorizationTerms terms_of(bool shares_trade_no) {
  return {.methods = {"web"},
          .capture_within_max = kHeldFor,
          .refund_by = shares_trade_no ? RefundBy::authorization : RefundBy::capture,
          .shares_trade_no = shares_trade_no};
}

UnsignedRequest request_of(const AuthorizationCall& call, std::string_view notify_url) {
  const Authorization& authorization = call.authorization;
  const std::string path = authorization_path(authorization);
  switch (call.kind) {
    case AuthorizationCallKind::send_authorization:
      return {"/authorizations", post(creation_body(call, notify_url))};
    case AuthorizationCallKind::close_authorization:
      return {path + "/close", {.method = "POST"}};
    case AuthorizationCallKind::release_authorization:
      return {path + "/releases",
              post({{"out_request_no", out_release_no(authorization.out_trade_no, authorization.release_attempts)},
                    {"amount", authorization.release_amount}})};
    case AuthorizationCallKind::query_authorization:
      break;
  }
  return {path, {.method = "GET"}};
}

UnsignedRequest request_of(const CaptureCall& call) {
  const Capture& capture = call.capture;
  if (call.kind == CaptureCallKind::query_capture)
    return {"/captures/" + percent_encode(capture.out_trade_no), {.method = "GET"}};
  return {authorization_path(call.authorization) + "/captures",
          post({{"out_trade_no", capture.out_trade_no}, {"amount", capture.amount}, {"final", capture.is_final}})};
}

AuthorizationEvidence evidence_of(const AuthorizationCall& call, const SignedReply& reply) {
  if (!reply.body) return unknown(reply.code, reply.message);
  if (reply.status == 200) return read_state(call, *reply.body);
  AuthorizationEvidence evidence = unknown(code_of(reply), reply.message);
  if (const auto* row = find_row(kAuthorizationRefusals, call.kind, reply))
    evidence.kind = row->kind;
  else if (reply.status == 409 && reply.body->contains("authorization"))
    return read_state(call, *reply.body);
  return evidence;
}

Evidence evidence_of(const CaptureCall& call, const SignedReply& reply, std::string_view channel) {
  Evidence evidence{.code = reply.code, .message = reply.message};
  if (!reply.body) return evidence;
  if (reply.status != 200) {
    evidence.code = code_of(reply);
    if (const auto* row = find_row(kCaptureRefusals, call.kind, reply)) {
      evidence.kind = row->kind;
      evidence.is_not_now = row->is_not_now;
    }
    return evidence;
  }
  Result<Trade> trade = read_trade(*reply.body, channel);
  if (!trade) {
    evidence.code = "malformed";
    evidence.message = "the channel's response is malformed: " + trade.error().message;
  } else if (trade->out_trade_no != call.capture.out_trade_no) {
    evidence.code = "wrong_trade";
    evidence.message = "the channel's response is about a different capture";
  } else {
    return std::move(trade->evidence);
  }
  return evidence;
}

Result<ReportedAuthorization> read_authorization(const boost::json::object& body) {
  const boost::json::object* authorization = object_field(body, "authorization");
  if (authorization == nullptr) return fail("authorization is missing");
  const auto out_order_no = text_field(*authorization, "out_order_no", kNumberBytesMax);
  if (!out_order_no) return fail("out_order_no is missing");
  Result<AuthorizationEvidence> evidence = read_evidence(*authorization);
  if (!evidence) return std::unexpected(evidence.error());
  return ReportedAuthorization{std::string(*out_order_no), std::move(*evidence)};
}

}  // namespace finality::sandbox_channel
