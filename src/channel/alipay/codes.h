// Table of Alipay's refusal codes: the evidence that each code gives, per kind of call. Pure data.
//
// A refusal ends a payment or a refund only if Alipay rejected the request before any effect and would reject it again.
// A refund that Alipay rejected temporarily is `not_now` and keeps its out_request_no. Every other code, listed or not,
// is `unknown`, and a query follows.
#pragma once

#include <span>
#include <string_view>

#include "model/evidence.h"

namespace finality::alipay {

struct CodeMeaning {
  std::string_view code;                       // a sub_code, or the code of all sub_codes without a row
  EvidenceKind send = EvidenceKind::unknown;   // precreate, which creates no trade; the payer's scan does
  EvidenceKind pay = EvidenceKind::unknown;    // payment by barcode, which creates and pays a trade
  EvidenceKind query = EvidenceKind::unknown;  // query, close
  RefundEvidenceKind refund = RefundEvidenceKind::unknown;
  RefundEvidenceKind query_refund = RefundEvidenceKind::unknown;
  std::string_view reason;
};

/// The row of `sub_code`, or else of `code`. With code 20000 the sub_code is ignored. When neither is listed, a row
/// that is `unknown` for every call.
const CodeMeaning& meaning_of(std::string_view code, std::string_view sub_code);

/// The whole table.
std::span<const CodeMeaning> code_meanings();

/// Implements Channel::config_hint. `code` is a sub_code, a code, or the code of a rejected response.
std::string_view config_hint(std::string_view code);

/// Meaning of a sub_code in the response to a statement request.
struct StatementMeaning {
  std::string_view code;
  bool is_none = false;     // no statement exists for that day
  std::string_view advice;  // for operators, when a statement may exist; empty for an unlisted sub_code
};
/// The row of `sub_code`; for an unlisted sub_code, a row with the default values.
const StatementMeaning& statement_meaning_of(std::string_view sub_code);

}  // namespace finality::alipay
