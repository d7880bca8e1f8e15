// SQL statements of the PostgreSQL store, each declared with the tables and shards it touches. Connection::send() takes
// nothing else, and each SqlStatement registers itself, so that the inventory is complete
// (docs/reference/statements.md).
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
  none,       // the statement names no table
  merchants,  // the shards of the merchants it names; one shard for one merchant
  node,       // the shard of the node's number
  reference,  // any machine for reads, every machine for writes: each has a full copy of the table
  every,      // all shards
};

/// The variant of a statement's text.
enum class Form : std::uint8_t {
  plain,
  locking,  // the rows it finds stay locked until the transaction ends
  sharded,  // names the merchants, so that other shards are not queried; has its lists in a form that Citus can join
};

/// A statement's list parameters as a table `v`. Several unnest() calls in one SELECT cost a third less per row than
/// one unnest() of several arrays, which first materializes the rows of each array. The sharded form uses the single
/// call, because Citus can join it with shards.
struct RowsText {
  std::string listed;    // "(SELECT unnest($1::bigint[]) AS id, …) AS v"
  std::string function;  // "unnest($1::bigint[], …) AS v(id, …)"
};

/// The declaration of a statement. Where its forms differ, the text has a placeholder:
///   @rows  the list parameters as a table: `rows.function` in the sharded form, `rows.listed` in the others
///   @of    the condition on the merchant (`owners`), in the sharded form only
///   @sub   the same at the end of a subquery, which Citus then runs before the outer query
///   @lock  FOR UPDATE, in the locking form only
struct Declared {
  std::string name;  // "load.orders": unique
  Shards shards = Shards::none;
  std::string tables;  // the tables it names, in alphabetical order, separated by a space
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
  /// REQUIRES: has(form).
  const std::string& text(Form form) const { return texts_[static_cast<std::size_t>(form)]; }
  /// Whether the statement has a text of that form. Every statement has a plain one.
  bool has(Form form) const { return form == Form::plain || !text(form).empty(); }

 private:
  Declared declared_;
  std::array<std::string, 3> texts_;  // by form; empty where the plain text is used
};

/// All statements, sorted by name.
std::vector<const SqlStatement*> all_statements();

/// Forbids further declarations, because many threads read the list once the first connection is open.
void close_inventory();

/// The inventory as a page of the documentation, or as JSON.
std::string statements_page();
std::string statements_json();

}  // namespace finality::postgres
