// Checks of parsed statements for fuzzers: what holds for the lines of every file that a parser accepts.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/crypto/encoding.h"
#include "base/limits.h"
#include "channel/statements.h"

namespace finality {

inline void check_line(StatementKind kind, const StatementLine& line) {
  FINALITY_CHECK(std::abs(line.amount) <= limits::kAmountMax, "an amount above the limit");
  FINALITY_CHECK(parse_currency(line.currency.text()).has_value(), "an unknown currency");
  for (const std::string& text : {line.line_id, line.channel_trade_no, line.out_trade_no, line.channel_refund_no,
                                  line.out_refund_no, line.text}) {
    const bool is_one_line = std::ranges::none_of(text, [](unsigned char c) { return c < ' ' || c == 0x7f; });
    FINALITY_CHECK(is_utf8(text) && is_one_line && text.size() <= 2048, "a text that cannot be stored");
  }
  if (kind == StatementKind::funds) {
    FINALITY_CHECK(!line.line_id.empty() && line.balance, "a line of funds without an identifier or a balance");
    return;
  }
  if (kind == StatementKind::bank) {
    const LineKind expected = line.amount < 0 ? LineKind::bank_debit : LineKind::bank_credit;
    FINALITY_CHECK(line.kind == expected || line.amount == 0, "the sign of a bank line differs from its direction");
    FINALITY_CHECK(line.out_trade_no.empty() && line.discount == 0 && line.fee_e5 == 0, "not a bank line");
    return;
  }
  FINALITY_CHECK(line.kind == LineKind::payment || line.kind == LineKind::refund, "neither a payment nor a refund");
  FINALITY_CHECK(line.amount >= 0 && line.discount >= 0 && line.discount <= line.amount, "an impossible discount");
}

/// Checks that a small file did not cost much: its work and its output are at most a multiple of its size. `output`:
/// bytes that the parser passed on.
inline void check_amplification(const ParseBudget& budget, std::size_t input_bytes, std::uint64_t output) {
  const ParseLimits allowed = parse_limits_of(input_bytes);
  FINALITY_CHECK(budget.work() <= allowed.work_max, "more work than the limit for a file of this size");
  FINALITY_CHECK(output <= allowed.output_bytes_max, "more output than the limit for a file of this size");
  FINALITY_CHECK(!budget.is_stopped(), "a stop without a request");
}

/// Parses a file as a statement of each kind of the plan and checks the lines and the sums. `funds_account` is the
/// account of the funds.
inline void check_statement(const Statements& statements, std::string_view file, std::string funds_account = {}) {
  const StatementPlan& plan = statements.statement_plan();
  std::vector<StatementKind> kinds(plan.kinds.begin(), plan.kinds.end());
  kinds.insert(kinds.end(), plan.uploaded_kinds.begin(), plan.uploaded_kinds.end());
  for (const StatementKind kind : kinds) {
    const StatementCall call{.kind = kind,
                             .funds_account = kind == StatementKind::funds ? funds_account : std::string(),
                             .date = "2026-09-21"};
    std::vector<StatementSums> expected;
    std::int64_t line_no = 0;
    std::uint64_t texts = 0;
    ParseBudget budget(file.size());
    const auto sums = statements.parse(call, file, budget, [&](StatementLine&& line) {
      FINALITY_CHECK(line.line_no > line_no, "line numbers must increase");
      line_no = line.line_no;
      check_line(kind, line);
      FINALITY_CHECK(add_line(expected, line), "an overflow");
      texts += line.line_id.size() + line.text.size();
      return true;
    });
    check_amplification(budget, file.size(), texts);
    if (!sums) continue;
    std::vector<StatementSums> counted = *sums;
    std::erase_if(counted, [](const StatementSums& one) { return one.lines == 0; });  // states balances only
    const bool is_same =
        std::ranges::equal(counted, expected, [](const StatementSums& one, const StatementSums& other) {
          return one.currency == other.currency && one.lines == other.lines && one.paid == other.paid &&
                 one.refunded == other.refunded && one.fee_e5 == other.fee_e5 && one.credits == other.credits &&
                 one.debits == other.debits;
        });
    FINALITY_CHECK(is_same, "the sums differ from the lines");
  }
}

}  // namespace finality
