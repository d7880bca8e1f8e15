#include "query/parse_reconciliation.h"

#include <fmt/format.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <exception>
#include <limits>
#include <string>

#include "channel/parsing/statement_values.h"

namespace finality::query {
namespace {

namespace json = boost::json;

// As wire::fee_text() renders fees.
constexpr int kFeeDigits = 5;
constexpr std::int64_t kFeeMax = std::numeric_limits<std::int64_t>::max();

// The functions below throw the exceptions of Boost.JSON and std::optional, which parse_reconciliation() catches.

std::string text_at(const json::object& object, std::string_view name) {
  return std::string(std::string_view(object.at(name).as_string()));
}

std::string text_if(const json::object& object, std::string_view name) {
  return object.contains(name) ? text_at(object, name) : std::string();
}

std::int64_t number_at(const json::object& object, std::string_view name) { return object.at(name).as_int64(); }

template <DescribedEnum Enum>
Enum enum_at(const json::object& object, std::string_view name) {
  return parse_enum<Enum>(text_at(object, name)).value();
}

Statement statement_of(const json::object& object, const std::string& date) {
  Statement row;
  row.id = parse_id<StatementId>(text_at(object, "id")).value();
  row.kind = enum_at<StatementKind>(object, "kind");
  row.date = date;
  row.file_version = number_at(object, "version");
  row.state = enum_at<StatementState>(object, "state");
  row.lines = number_at(object, "lines");
  if (object.contains("received_at")) row.received_at = parse_rfc3339(text_at(object, "received_at")).value();
  return row;
}

Difference difference_of(const json::object& object, Currency currency) {
  Difference row;
  row.id = parse_id<DifferenceId>(text_at(object, "difference")).value();
  row.difference_class = enum_at<DifferenceClass>(object, "class");
  row.state = enum_at<DifferenceState>(object, "state");
  row.date = text_at(object, "date");
  row.amount = number_at(object, "amount");
  row.currency = currency;
  row.changes_balance = object.at("changes_balance").as_bool();
  row.subject = text_at(object, "subject");
  return row;
}

SideSum sum_of(const json::value& value) {
  return {number_at(value.as_object(), "count"), number_at(value.as_object(), "amount")};
}

void read_trades(const json::object& trades, Reconciliation& row) {
  row.our_payments = sum_of(trades.at("payments").at("ours"));
  row.their_payments = sum_of(trades.at("payments").at("theirs"));
  row.our_refunds = sum_of(trades.at("refunds").at("ours"));
  row.their_refunds = sum_of(trades.at("refunds").at("theirs"));
  row.their_fee_e5 = parse_decimal(text_at(trades, "fees"), kFeeDigits, kFeeMax).value();
}

ledger::Proof proof_of(const json::object& object) {
  return {.books = number_at(object, "books"),
          .statement = number_at(object, "statement"),
          .booked_later = number_at(object, "booked_later"),
          .listed_later = number_at(object, "listed_later"),
          .differences = number_at(object, "differences"),
          .opening = number_at(object, "opening_balance"),
          .unexplained = number_at(object, "unexplained")};
}

void read_differences(const json::object& object, Reconciliation& row) {
  const json::object& counts = object.at("differences").as_object();
  row.open_count = number_at(counts, "open");
  row.carried_count = number_at(counts, "carried");
  for (const json::value& one : object.at("listed_differences").as_array())
    row.open.push_back(difference_of(one.as_object(), row.currency));
  if (!object.contains("further_differences")) return;
  const json::object& further = object.at("further_differences").as_object();
  row.unlisted = {.count = number_at(further, "count"),
                  .proof_count = number_at(further, "in_proof"),
                  .proof_amount = number_at(further, "amount")};
}

Reconciliation row_of(const json::object& object) {
  Reconciliation row;
  row.date = text_at(object, "date");
  row.currency = parse_currency(text_at(object, "currency")).value_or(kNoCurrency);
  row.funds_account = text_if(object, "funds_account");
  for (const json::value& one : object.at("statements").as_array())
    row.statements.push_back(statement_of(one.as_object(), row.date));
  for (const json::value& one : object.at("missing").as_array())
    row.missing.push_back(parse_enum<StatementKind>(std::string_view(one.as_string())).value());
  if (object.contains("trades")) read_trades(object.at("trades").as_object(), row);
  for (const json::value& one : object.at("funds").as_array())
    row.funds.push_back({enum_at<LineKind>(one.as_object(), "kind"),
                         {number_at(one.as_object(), "lines"), number_at(one.as_object(), "amount")}});
  if (object.contains("proof")) row.proof = proof_of(object.at("proof").as_object());
  row.unknown_since = text_if(object, "unknown_since");
  read_differences(object, row);
  row.result = enum_at<ReconciliationResult>(object, "result");
  return row;
}

}  // namespace

Result<Reconciliation> parse_reconciliation(const json::object& object) {
  try {
    return row_of(object);
  } catch (const std::exception& error) {
    return fail(
        fmt::format("the server returned no reconciliation that this program can read ({}): use the program of "
                    "the server's version",
                    error.what()));
  }
}

}  // namespace finality::query
