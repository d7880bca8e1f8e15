// Table of Alipay's refusal codes, with the evidence that each code gives for each kind of call. Pure data.
//
// A refusal ends a payment, an authorization, a capture or a refund only if Alipay rejected the request before any
// effect and would reject it again. A refund that Alipay rejected temporarily is `not_now` and keeps its
// out_request_no. Every other code, listed or not, is `unknown`, and a query follows.
#pragma once

#include <span>
#include <string_view>

#include "model/evidence.h"

namespace finality::alipay {

struct CodeMeaning {
  std::string_view code;                         // a sub_code; or a code, for all its sub_codes without a row
  EvidenceKind send = EvidenceKind::unknown;     // from precreate, which never creates a trade
  EvidenceKind pay = EvidenceKind::unknown;      // from pay (barcode), which creates and pays the trade
  EvidenceKind query = EvidenceKind::unknown;    // from query, close and cancel
  EvidenceKind capture = EvidenceKind::unknown;  // from pay with auth_no; a send only follows proof that none exists
  RefundEvidenceKind refund = RefundEvidenceKind::unknown;
  RefundEvidenceKind query_refund = RefundEvidenceKind::unknown;
  // From the methods alipay.fund.auth.*, whose sub_codes have no prefix. A cancel is a `release` if it releases a hold.
  AuthorizationEvidenceKind freeze = AuthorizationEvidenceKind::unknown;
  AuthorizationEvidenceKind query_freeze = AuthorizationEvidenceKind::unknown;
  AuthorizationEvidenceKind release = AuthorizationEvidenceKind::unknown;
  std::string_view reason;
};

/// Returns the row of `sub_code` if the table has one, otherwise the row of `code`, otherwise a row with `unknown` for
/// every call. Ignores `sub_code` if `code` is 20000.
const CodeMeaning& meaning_of(std::string_view code, std::string_view sub_code);

/// Returns all rows of the table.
std::span<const CodeMeaning> code_meanings();

/// Implements Channel::config_hint. `code` is a sub_code or code of Alipay, or Rejection::code (alipay/answer.h).
std::string_view config_hint(std::string_view code);

/// What a refusal of a request for a statement proves.
enum class StatementRefusal : std::uint8_t {
  unknown,    // nothing
  not_ready,  // Alipay has not written the statement yet
  empty_day,  // nothing happened on that day, so no statement will exist
};
/// The meaning of a sub_code in the response to a request for a statement.
struct StatementMeaning {
  std::string_view code;
  StatementRefusal refusal = StatementRefusal::unknown;
  std::string_view advice;  // advice for operators if `refusal` is `unknown`; empty for an unlisted sub_code
};
/// Returns the row of `sub_code`, or a row with the default values if `sub_code` is not listed.
const StatementMeaning& statement_meaning_of(std::string_view sub_code);

}  // namespace finality::alipay
