// Renders statements, their lines and differences as JSON objects of the API. Pure.
#pragma once

#include <optional>
#include <string>

#include "model/aggregate.h"
#include "model/statement_line.h"

namespace finality::wire {

/// Renders a statement; with its totals, if `aggregate` has them.
std::string statement_json(const Statement& statement);
std::string statement_json(const StatementAggregate& aggregate);
/// What the comparison found for a line.
struct LineResult {
  std::optional<ObjectRef> match{};  // the document that the line was matched with
  std::optional<DifferenceId> difference{};
};
/// Renders a line of a statement.
std::string statement_line_json(const StatementLine& line, const LineResult& result);
/// Renders a difference; with its newest exception case, if `aggregate` has one.
std::string difference_json(const Difference& difference);
/// `merchant_order_no`: that of the difference's order; omitted if it is empty.
std::string difference_json(const Difference& difference, std::string_view merchant_order_no);
/// Includes the id of the newest case.
std::string difference_json(const DifferenceAggregate& aggregate, std::string_view merchant_order_no = {});

/// Renders a fee in 1/100,000 of the major unit as a decimal text with five digits, such as `0.06000`.
std::string fee_text(std::int64_t fee_e5);

}  // namespace finality::wire
