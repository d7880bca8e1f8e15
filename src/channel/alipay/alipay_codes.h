// What a refusal of Alipay's means, as one table: which code proves what, about which call. Pure data.
//
// The rule: a refusal ends a payment or a refund only where Alipay turned the request away before it did anything, and
// would turn it away again. Everything else is `unknown`, and so is every code that is not listed: a query follows.
#pragma once

#include <span>
#include <string_view>

#include "model/evidence.h"

namespace finality::alipay {

struct CodeMeaning {
  std::string_view code;  // a sub_code, or a code that covers all sub_codes that have no row of their own
  EvidenceKind send = EvidenceKind::unknown;
  EvidenceKind ask = EvidenceKind::unknown;  // a query, a close
  RefundEvidenceKind refund = RefundEvidenceKind::unknown;
  RefundEvidenceKind ask_refund = RefundEvidenceKind::unknown;
  std::string_view reason;
};

/// The row of `sub_code`, or else of `code`; one that knows nothing where neither is listed.
const CodeMeaning& meaning_of(std::string_view code, std::string_view sub_code);

/// The whole table.
std::span<const CodeMeaning> code_meanings();

/// What an operator should know when there is no statement; empty for a code that says nothing of statements.
std::string_view statement_advice(std::string_view sub_code);

}  // namespace finality::alipay
