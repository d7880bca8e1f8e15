#include "channel/alipay/fund_auth_evidence.h"

#include <algorithm>
#include <iterator>

#include "base/limits.h"
#include "channel/alipay/codes.h"
#include "channel/alipay/fund_auth.h"
#include "channel/alipay/values.h"
#include "channel/parsing/json_fields.h"

namespace finality::alipay {
namespace {

using E = AuthorizationEvidenceKind;

constexpr std::size_t kFieldBytesMax = 64;

/// A value of order_status: the evidence if something was frozen, and if nothing was; `unknown` if that contradicts it.
struct Status {
  std::string_view name;
  E frozen;
  E never_frozen;
};
constexpr Status kStatuses[] = {
    {"INIT", E::unknown, E::waiting},
    {"AUTHORIZED", E::authorized, E::unknown},
    {"FINISH", E::released, E::unknown},  // paid, and nothing is left
    {"CLOSED", E::released, E::closed},   // all was released, or the payer did not authorize in time
};

/// The value of `status` of one freeze.
struct FreezeStatus {
  std::string_view name;
  E kind;
};
constexpr FreezeStatus kFreezeStatuses[] = {{"INIT", E::waiting}, {"SUCCESS", E::authorized}, {"CLOSED", E::closed}};

template <class Row, std::size_t size>
const Row* find_row(const Row (&table)[size], std::string_view name) {
  const auto* at = std::ranges::find(table, name, &Row::name);
  return at == std::end(table) ? nullptr : at;
}

std::string_view field_of(const AlipayReply& answer, std::string_view name) {
  return text_field(answer.node, name, kFieldBytesMax).value_or("");
}

AuthorizationEvidence unknown(std::string code, std::string message) {
  return {.code = std::move(code), .message = std::move(message)};
}

AuthorizationEvidence broken(const std::string& reason) {
  return unknown("malformed", "the channel's response is malformed: " + reason);
}

// An absent amount is 0.
std::optional<MinorUnits> amount_of(std::string_view text) {
  return text.empty() ? std::optional<MinorUnits>(0) : parse_yuan(text);
}

Result<Currency> currency_of(std::string_view text) {
  const auto currency = parse_currency(text.empty() ? "CNY" : text);
  if (!currency || exponent_of(*currency) != 2) return fail("trans_currency is not a currency with two decimals");
  return *currency;
}

// Copies the totals into `evidence`. Returns the amount that is still held.
Result<MinorUnits> read_amounts(const FundAuthFields& fields, AuthorizationEvidence& evidence) {
  const auto frozen = amount_of(fields.total_freeze_amount);
  const auto paid = amount_of(fields.total_pay_amount);
  const auto rest = amount_of(fields.rest_amount);
  if (!frozen || !paid || !rest) return fail("a total is not an amount in yuan");
  if (*paid > *frozen || *rest > *frozen - *paid) return fail("the totals exceed total_freeze_amount");
  evidence.authorized = *frozen;
  evidence.captured = *paid;
  evidence.released = *frozen - *paid - *rest;
  if (!fields.total_unfreeze_amount.empty() && parse_yuan(fields.total_unfreeze_amount) != evidence.released)
    return fail("total_unfreeze_amount contradicts the other totals");
  return *rest;
}

AuthorizationEvidence read_query(const AlipayReply& answer) {
  auto evidence = read_totals({.auth_no = field_of(answer, "auth_no"),
                               .order_status = field_of(answer, "order_status"),
                               .total_freeze_amount = field_of(answer, "total_freeze_amount"),
                               .total_pay_amount = field_of(answer, "total_pay_amount"),
                               .total_unfreeze_amount = {},
                               .rest_amount = field_of(answer, "rest_amount"),
                               .currency = field_of(answer, "trans_currency"),
                               .pre_auth_type = field_of(answer, "pre_auth_type"),
                               .payer_user_id = field_of(answer, "payer_user_id"),
                               .payer_open_id = field_of(answer, "payer_open_id"),
                               .frozen_at = field_of(answer, "gmt_trans")});
  return evidence ? std::move(*evidence) : broken(evidence.error().message);
}

// Reads the response to a freeze, which reports this operation only: nothing was captured or released before it.
AuthorizationEvidence read_frozen(const AlipayReply& answer) {
  const FreezeStatus* status = find_row(kFreezeStatuses, field_of(answer, "status"));
  if (status == nullptr) return broken("status is unknown");
  const bool is_held = status->kind == E::authorized;
  const std::string_view amount = is_held ? field_of(answer, "amount") : "";
  auto evidence = read_totals({.auth_no = field_of(answer, "auth_no"),
                               .order_status = is_held ? "AUTHORIZED" : status->name,
                               .total_freeze_amount = amount,
                               .total_pay_amount = {},
                               .total_unfreeze_amount = {},
                               .rest_amount = amount,
                               .currency = field_of(answer, "trans_currency"),
                               .pre_auth_type = field_of(answer, "pre_auth_type"),
                               .payer_user_id = field_of(answer, "payer_user_id"),
                               .payer_open_id = field_of(answer, "payer_open_id"),
                               .frozen_at = field_of(answer, "gmt_trans")});
  if (!evidence) return broken(evidence.error().message);
  evidence->code = status->name;
  return std::move(*evidence);
}

AuthorizationEvidence read_voucher(const AlipayReply& answer) {
  const auto code = text_field(answer.node, "code_value", limits::kUrlMax);
  if (!code || !is_printable(*code)) return broken("it has no valid code_value for the payer");
  AuthorizationEvidence evidence{.kind = E::waiting, .code = answer.code};
  evidence.action_type = ActionType::qr_code;
  evidence.action_code = *code;
  return evidence;
}

// Returns the evidence that the amount of the release was the whole rest. The response does not state the totals, but
// Alipay never raises a hold, so they follow if the amounts known before account for all of it. Otherwise `unknown`,
// and a query follows.
AuthorizationEvidence read_released(const AuthorizationCall& call, std::string_view code) {
  const Authorization& row = call.authorization;
  const bool is_all = call.kind == AuthorizationCallKind::release_authorization && row.authorized_amount > 0 &&
                      row.captured_amount + row.released_amount + row.release_amount == row.authorized_amount;
  if (!is_all) return unknown(std::string(code), "released; a query returns the totals");
  AuthorizationEvidence evidence{.kind = E::released,
                                 .channel_trade_no = row.channel_trade_no,
                                 .authorized = row.authorized_amount,
                                 .captured = row.captured_amount,
                                 .released = row.released_amount + row.release_amount,
                                 .currency = row.currency,
                                 .is_unfunded = row.unfunded,
                                 .code{code}};
  return evidence;
}

// Reads the response to a cancel. Without an action it is `unknown`, because the payer may still authorize.
AuthorizationEvidence read_cancelled(const AuthorizationCall& call, const AlipayReply& answer) {
  const std::string_view action = field_of(answer, "action");
  if (action == "close") return {.kind = E::closed, .code = "close"};
  if (action == "unfreeze") return read_released(call, action);
  return unknown("not_cancelled", "the cancel had no effect");
}

AuthorizationEvidence read_unfrozen(const AuthorizationCall& call, const AlipayReply& answer) {
  if (field_of(answer, "status") != "SUCCESS") return broken("status is not SUCCESS");
  if (parse_yuan(field_of(answer, "amount")) != call.authorization.release_amount)
    return broken("amount is not the requested one");
  return read_released(call, "SUCCESS");
}

AuthorizationEvidence read_success(const AuthorizationCall& call, const AlipayReply& answer) {
  const std::string_view method = call_of(call);
  if (method == kFundAuthQuery) return read_query(answer);
  if (method == kFundAuthCancel) return read_cancelled(call, answer);
  if (method == kUnfreeze) return read_unfrozen(call, answer);
  if (method == kVoucher) return read_voucher(answer);
  if (method == kFreeze) return read_frozen(answer);
  return unknown("not_asked", "this authorization method sends no request");
}

// Whether Alipay may have the authorization: it has reported its auth_no, or the payer may have scanned the QR code. A
// refused repetition of the send must not end it then.
bool may_be_there(const Authorization& authorization) {
  return authorization.channel_trade_no.has_value() || authorization.state == AuthorizationState::pending;
}

E kind_of(const CodeMeaning& meaning, const AuthorizationCall& call) {
  switch (call.kind) {
    case AuthorizationCallKind::send_authorization:
      return may_be_there(call.authorization) ? E::unknown : meaning.freeze;
    case AuthorizationCallKind::release_authorization:
      return meaning.release;
    case AuthorizationCallKind::query_authorization:
    case AuthorizationCallKind::close_authorization:
      break;
  }
  return meaning.query_freeze;
}

}  // namespace

Result<AuthorizationEvidence> read_totals(const FundAuthFields& fields) {
  const Status* status = find_row(kStatuses, fields.order_status);
  if (status == nullptr) return fail("order_status is unknown");
  const Result<Currency> currency = currency_of(fields.currency);
  if (!currency) return std::unexpected(currency.error());
  AuthorizationEvidence evidence{
      .currency = *currency,
      .is_unfunded = fields.pre_auth_type == "CREDIT_AUTH",
      .channel_payer{fields.payer_user_id.empty() ? fields.payer_open_id : fields.payer_user_id},
      .code{fields.order_status}};
  if (!fields.auth_no.empty()) evidence.channel_trade_no = fields.auth_no;
  const Result<MinorUnits> rest = read_amounts(fields, evidence);
  if (!rest) return std::unexpected(rest.error());
  evidence.kind = evidence.authorized > 0 ? status->frozen : status->never_frozen;
  if (evidence.kind == E::authorized && *rest == 0) evidence.kind = E::released;
  if (evidence.kind == E::unknown) return fail("total_freeze_amount contradicts order_status");
  if (evidence.kind == E::released && *rest > 0) return fail("rest_amount contradicts order_status");
  if (evidence.authorized > 0 && !evidence.channel_trade_no) return fail("auth_no is missing");
  if (evidence.authorized == 0 || fields.frozen_at.empty()) return evidence;
  evidence.authorized_at = parse_beijing(fields.frozen_at);
  if (!evidence.authorized_at) return fail("gmt_trans is not in the format yyyy-MM-dd HH:mm:ss");
  return evidence;
}

AuthorizationEvidence read_evidence(const AuthorizationCall& call, const AlipayReply& answer) {
  const bool waits = call_of(call) == kFreeze && answer.code == "10003";  // for the payer's password
  if (!answer.is_ok() && !waits) {
    AuthorizationEvidence evidence = unknown(answer.most_specific_code(), answer.message);
    evidence.kind = kind_of(meaning_of(answer.code, answer.sub_code), call);
    return evidence;
  }
  if (field_of(answer, "out_order_no") != call.authorization.out_trade_no)
    return unknown("wrong_authorization", "the channel's response is about a different authorization");
  if (!waits) return read_success(call, answer);
  AuthorizationEvidence evidence{.kind = E::waiting, .code = answer.code, .message = answer.message};
  if (const std::string_view auth_no = field_of(answer, "auth_no"); !auth_no.empty())
    evidence.channel_trade_no = auth_no;
  return evidence;
}

}  // namespace finality::alipay
