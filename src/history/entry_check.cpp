// Checks account statements (GET /v1/accounts/{id}/entries). The balances of consecutive entries must match. An entry
// must be unique, constant, and caused by a request. A complete statement must contain all changes that happened before
// the request for the statement.
#include <boost/json/array.hpp>

#include <algorithm>
#include <set>

#include "history/money.h"

namespace finality::history {
namespace {

namespace json = boost::json;

struct Line {
  const Request* request = nullptr;
  const json::object* fields = nullptr;
};

/// One statement: its pages, concatenated.
struct AccountStatement {
  std::vector<Line> lines;  // entries, newest first
  std::int64_t begun = 0;
  bool is_complete = false;
};

struct Statements {
  std::vector<Line> lines;  // entries in all responses
  std::vector<AccountStatement> statements;
};

void add_page(Statements& all, const Request& request) {
  const json::value* data = request.answer().if_contains("data");
  const json::value* has_more = request.answer().if_contains("has_more");
  if (data == nullptr || !data->is_array() || has_more == nullptr) return;
  AccountStatement* statement = nullptr;
  if (const auto after = request.query.find("starting_after"); after != request.query.end()) {
    for (AccountStatement& open : all.statements)
      if (!open.is_complete && !open.lines.empty() && text(*open.lines.back().fields, "id") == after->second)
        statement = &open;
  } else if (!request.query.contains("ending_before") && !request.query.contains("from") &&
             !request.query.contains("to")) {
    statement = &all.statements.emplace_back(AccountStatement{.begun = request.operation->call});
  }
  for (const json::value& element : data->get_array()) {
    if (!element.is_object()) continue;
    all.lines.push_back({&request, &element.get_object()});
    if (statement != nullptr) statement->lines.push_back(all.lines.back());
  }
  if (statement != nullptr) statement->is_complete = *has_more == false;
}

void check_chain(std::string_view account, const AccountStatement& statement, Findings& findings) {
  for (std::size_t i = 1; i < statement.lines.size(); ++i) {
    const Line &newer = statement.lines[i - 1], &older = statement.lines[i];
    if (number(*newer.fields, "balance_before") != number(*older.fields, "balance_after"))
      findings.add(account, "balances of entries are consistent", {newer.request->place, older.request->place},
                   "balance_before of {} is not balance_after of {}", text(*newer.fields, "id"),
                   text(*older.fields, "id"));
  }
}

/// Identifies the transfer or hold that an entry posts. Not used for wallet payments and refunds, because the server
/// assigns their references.
struct Posting {
  std::string_view source, reference, type;
  friend auto operator<=>(const Posting&, const Posting&) = default;
};

std::optional<Posting> posting_of(const json::object& fields) {
  const std::string_view type = text(fields, "type");
  if (type != "transfer" && type != "transfer_reversed" && type != "hold_posted") return std::nullopt;
  return Posting{text(fields, "source"), text(fields, "reference"), type};
}

/// References and amounts of all requested changes of an account; nullopt if an amount is unknown.
using RequestedChanges = std::optional<std::set<std::pair<std::string_view, std::int64_t>>>;

RequestedChanges requested_changes(const AccountModel& book) {
  if (book.unknown) return std::nullopt;
  RequestedChanges all(std::in_place);
  for (const Delta& move : book.moves)
    if (move.requested) all->insert({move.what, move.by.balance});
  return all;
}

void check_line(std::string_view account, const Line& line, const RequestedChanges& requested,
                std::map<std::string_view, const Line*>& known, std::map<Posting, const Line*>& posted,
                Findings& findings) {
  const json::object& fields = *line.fields;
  const std::string_view id = text(fields, "id");
  const auto [at, is_new] = known.try_emplace(id, &line);
  if (!is_new) {
    if (*at->second->fields != fields)
      findings.add(account, "entries never change", {at->second->request->place, line.request->place},
                   "{} changed between two answers", id);
    return;
  }
  const auto amount = number(fields, "amount"), before = number(fields, "balance_before");
  if (amount && before && number(fields, "balance_after") != *before + *amount)
    findings.add(account, "balances of entries are consistent", {line.request->place},
                 "{}: balance_before plus amount is not balance_after", id);
  const auto posting = posting_of(fields);
  if (!posting) return;
  const auto [first, is_first] = posted.try_emplace(*posting, &line);
  if (!is_first)
    findings.add(account, "one entry per posting", {first->second->request->place, line.request->place},
                 "{} of {} has two entries", posting->type, posting->reference);
  const bool was_requested = !requested || requested->contains({posting->reference, amount.value_or(0)});
  if (!was_requested)
    findings.add(account, "every movement has a request", {line.request->place}, "{} of {} over {} has no request",
                 posting->type, posting->reference, amount.value_or(0));
}

void check_complete(std::string_view account, const AccountStatement& statement, const AccountModel& book,
                    Findings& findings) {
  std::set<std::pair<std::string_view, std::int64_t>> there;
  for (const Line& line : statement.lines)
    there.insert({text(*line.fields, "reference"), number(*line.fields, "amount").value_or(0)});
  for (const Delta& move : book.moves) {
    const bool is_due = move.certain && move.is_numbered && move.by.balance != 0 && move.window.until < statement.begun;
    if (!is_due || there.contains({move.what, move.by.balance})) continue;
    std::vector<std::size_t> shown{move.reported_at};
    if (!statement.lines.empty()) shown.push_back(statement.lines.front().request->place);
    findings.add(account, "a statement is complete", std::move(shown), "{} over {} was reported, but has no entry",
                 move.what, move.by.balance);
  }
}

}  // namespace

void check_entries(const Reading& reading, const std::map<std::string_view, AccountModel>& books, Findings& findings) {
  std::map<std::string_view, Statements> all;
  std::vector<const Request*> pages;
  for (const Request& request : reading.requests)
    if (request.matches({"accounts", "*", "entries"}) && request.outcome == OperationOutcome::done)
      pages.push_back(&request);
  std::ranges::sort(pages, {}, [](const Request* page) { return page->operation->call; });
  for (const Request* page : pages) add_page(all[page->path[1]], *page);
  const AccountModel nothing;
  for (const auto& [account, statements] : all) {
    const auto at = books.find(account);
    const AccountModel& book = at != books.end() ? at->second : nothing;
    const RequestedChanges requested = requested_changes(book);
    std::map<std::string_view, const Line*> known;
    std::map<Posting, const Line*> posted;
    for (const Line& line : statements.lines) check_line(account, line, requested, known, posted, findings);
    for (const AccountStatement& statement : statements.statements) {
      check_chain(account, statement, findings);
      if (statement.is_complete) check_complete(account, statement, book, findings);
    }
  }
}

}  // namespace finality::history
