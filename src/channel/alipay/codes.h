// What a refusal of Alipay's means, as one table: which code proves what, about which call. Pure data.
//
// The rule: a refusal ends a payment or a refund only where Alipay turned the request away before it did anything, and
// would turn it away again. A refund that it turned away for the moment is `not_now`, and keeps its number. Everything
// else is `unknown`, and so is every code that is not listed: a query follows.
#pragma once

#include <span>
#include <string_view>

#include "model/evidence.h"

namespace finality::alipay {

struct CodeMeaning {
  std::string_view code;  // a sub_code, or a code that covers all sub_codes that have no row of their own
  EvidenceKind send = EvidenceKind::unknown;  // a precreate: it makes no trade, the payer does
  EvidenceKind pay = EvidenceKind::unknown;   // a payment by barcode: it makes a trade and has it paid
  EvidenceKind ask = EvidenceKind::unknown;   // a query, a close
  RefundEvidenceKind refund = RefundEvidenceKind::unknown;
  RefundEvidenceKind ask_refund = RefundEvidenceKind::unknown;
  std::string_view reason;
};

/// The row of `sub_code`, or else of `code`; one that knows nothing where neither is listed, or the code is 20000.
const CodeMeaning& meaning_of(std::string_view code, std::string_view sub_code);

/// The whole table.
std::span<const CodeMeaning> code_meanings();

/// Which settings to look at where an answer came to that code (a sub_code, a code, or why it is not believed):
/// Channel::config_hint.
std::string_view config_hint(std::string_view code);

/// What a sub_code says of a statement that was asked for.
struct StatementMeaning {
  std::string_view code;
  bool is_none = false;     // there is no statement of that day
  std::string_view advice;  // for an operator, where there may be one; empty for a code that is not listed
};
const StatementMeaning& statement_meaning_of(std::string_view sub_code);

}  // namespace finality::alipay
