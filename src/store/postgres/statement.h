// SQL statements of the PostgreSQL store, each declared with the tables and shards that it uses. The constructor of
// SqlStatement registers the statement, and Connection::send() accepts only an SqlStatement. So the inventory of
// statements (docs/reference/statements.md) is complete.
//
// Statements must be constructed at namespace scope, before main() begins.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace finality::postgres {

/// The shards that a statement is sent to when the tables are distributed by merchant.
enum class Shards : std::uint8_t {
  none,       // no shard: the statement uses no table
  merchants,  // the shards of the merchants in its parameters; each merchant is on one shard
  node,       // the shard of the node number in its parameters
  reference,  // reads: any machine; writes: every machine, because each has a full copy of the table
  every,      // all shards: the statement has no merchant or node number as a parameter
};

/// A variant of a statement's SQL text.
enum class Form : std::uint8_t {
  plain,
  locking,  // locks the selected rows until the transaction ends
  sharded,  // has a condition on the merchants, so that only their shards are queried; for distributed stores
};

/// SQL text that turns the list parameters of a statement into a table `v`. `listed` calls unnest() once per array,
/// which takes a third less time per row than `function`, one unnest() of all arrays. The sharded form uses `function`,
/// because Citus can join only that with shards.
struct RowsText {
  std::string listed;    // "(SELECT unnest($1::bigint[]) AS id, …) AS v"
  std::string function;  // "unnest($1::bigint[], …) AS v(id, …)"
};

/// The declaration of a statement. Where its forms differ, the text has a placeholder:
///   @rows  the list parameters as a table: `rows.function` in the sharded form, `rows.listed` in the others
///   @of    the condition on the merchants (`owners`), in the sharded form only
///   @sub   `owners` at the end of a subquery, with an OFFSET so that Citus runs the subquery first; sharded form only
///   @lock  FOR UPDATE, in the locking form only
struct Declared {
  std::string name;  // unique, for example "load.orders"
  Shards shards = Shards::none;
  std::string tables;  // the tables that the statement uses, in alphabetical order, separated by spaces
  std::string purpose;
  std::string text;
  std::string owners = {};  // " AND merchant_id = ANY($2::bigint[])"
  RowsText rows = {};
};

class SqlStatement {
 public:
  explicit SqlStatement(Declared declared);
  SqlStatement(const SqlStatement&) = delete;
  SqlStatement& operator=(const SqlStatement&) = delete;
  ~SqlStatement() = default;

  const std::string& name() const { return declared_.name; }
  Shards shards() const { return declared_.shards; }
  const std::string& tables() const { return declared_.tables; }
  const std::string& purpose() const { return declared_.purpose; }
  /// The SQL text of the statement in `form`. REQUIRES: has(form).
  const std::string& text(Form form) const { return texts_[static_cast<std::size_t>(form)]; }
  /// Whether the statement has a text in `form`. Every statement has a text in Form::plain.
  bool has(Form form) const { return form == Form::plain || !text(form).empty(); }

 private:
  Declared declared_;
  std::array<std::string, 3> texts_;  // by form; empty: the plain text is used
};

/// Returns all declared statements, sorted by name, and forbids further declarations.
std::vector<const SqlStatement*> all_statements();

/// Forbids further declarations. Called before the first connection is opened, because threads then read the list
/// without a lock.
void close_inventory();

/// Returns the inventory of statements as a Markdown page of the documentation, or as JSON.
std::string statements_page();
std::string statements_json();

}  // namespace finality::postgres
