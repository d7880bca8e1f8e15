#include "store/postgres/statement.h"

#include <algorithm>
#include <atomic>

#include "base/check.h"

namespace finality::postgres {
namespace {

struct Inventory {
  std::vector<const SqlStatement*> statements;
  std::atomic<bool> closed = false;
};

Inventory& inventory() {
  static Inventory the_one;
  return the_one;
}

std::string replaced(std::string text, std::string_view mark, std::string_view by) {
  for (std::size_t at = 0; (at = text.find(mark, at)) != std::string::npos; at += by.size())
    text.replace(at, mark.size(), by);
  return text;
}

}  // namespace

SqlStatement::SqlStatement(Declared declared) : declared_(std::move(declared)) {
  const std::string& marked = declared_.text;
  const std::string& owners = declared_.owners;
  const RowsText& rows = declared_.rows;
  const bool says_whose = marked.contains("@of") || marked.contains("@sub");
  const bool has_rows = marked.contains("@rows");
  FINALITY_CHECK(says_whose == !owners.empty(),
                 "a statement has placeholder @of or @sub without owners, or owners without one");
  FINALITY_CHECK(has_rows == !rows.listed.empty(),
                 "a statement has placeholder @rows without rows, or rows without it");
  FINALITY_CHECK(!has_rows || !marked.contains("@lock"), "a statement has both placeholders @rows and @lock");
  const auto set = [&](Form form, std::string_view table, std::string_view of, std::string_view sub,
                       std::string_view lock) {
    std::string text = replaced(replaced(replaced(marked, "@rows", table), "@of", of), "@sub", sub);
    texts_[static_cast<std::size_t>(form)] = replaced(std::move(text), "@lock", lock);
  };
  set(Form::plain, rows.listed, "", "", "");
  if (marked.contains("@lock")) set(Form::locking, rows.listed, "", "", " FOR UPDATE");
  // Citus plans a subquery with OFFSET separately. Without OFFSET, it may reject the query because the subquery is not
  // joined on the merchant.
  if (says_whose || has_rows) set(Form::sharded, rows.function, owners, says_whose ? owners + " OFFSET 0" : "", "");
  FINALITY_CHECK(!inventory().closed, "a statement was declared after the first connection was opened");
  inventory().statements.push_back(this);
}

std::vector<const SqlStatement*> all_statements() {
  close_inventory();
  std::vector<const SqlStatement*> statements = inventory().statements;
  std::ranges::sort(statements, {}, &SqlStatement::name);
  const auto twice = std::ranges::adjacent_find(statements, {}, &SqlStatement::name);
  FINALITY_CHECK(twice == statements.end(), "two statements have the same name");
  return statements;
}

void close_inventory() { inventory().closed.store(true, std::memory_order_relaxed); }

}  // namespace finality::postgres
