#include "history/changes.h"

namespace finality::history {

namespace json = boost::json;

int add(AccountModel& book, Amounts by, const Times& times, std::string_view what) {
  by.changes = 1;
  book.moves.push_back({.by = by,
                        .window = {times.window.from == kNever ? 0 : times.window.from, times.window.until},
                        .certain = times.is_reported(),
                        .requested = times.requested,
                        .requested_at = times.requested ? times.requested_at : times.reported_at,
                        .reported_at = times.is_reported() ? times.reported_at : times.requested_at,
                        .what = what});
  return static_cast<int>(book.moves.size()) - 1;
}

Number number_of(std::string_view merchant, const json::object& fields) {
  const std::string_view source = text(fields, "source");
  return {merchant, source.empty() ? "api" : source, text(fields, "reference")};
}

Terms terms_of(const json::object& fields, std::string_view debit) {
  return {text(fields, debit), text(fields, "credit_account"), number(fields, "amount")};
}

}  // namespace finality::history
