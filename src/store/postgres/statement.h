// The statements that a PostgreSQL store may send, each with what it touches. A Connection sends nothing else, and a
// Statement lists itself, so none is missing from the inventory (docs/reference/statements.md).
//
// They are made before main() begins, at namespace scope; none later.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace finality::postgres {

/// Which shards a statement goes to where the tables are distributed by merchant.
enum class Shards : std::uint8_t {
  none,       // it names no table
  merchants,  // those of the merchants it names; one where it names one
  node,       // the one of the node's number
  reference,  // its table is whole on every machine
  every,      // all of them
};

/// In which words a statement is sent.
enum class Form : std::uint8_t {
  plain,
  locking,  // the rows it finds stay locked until the transaction ends
  sharded,  // it says whose rows it means, so that other shards are not asked; its lists are in words that Citus joins
};

/// A statement's lists as a table `v`. Lists that a SELECT unfolds side by side cost a third less for each row than a
/// function of several lists, which keeps every list's rows apart first. Citus takes the function: it is what it joins
/// with shards.
struct RowsText {
  std::string listed;    // "(SELECT unnest($1::bigint[]) AS id, …) AS v"
  std::string function;  // "unnest($1::bigint[], …) AS v(id, …)"
};

/// What a statement is declared as. Where its forms differ its text holds a mark:
///   @rows  its lists as a table; the function of them in the sharded form
///   @of    a condition on the merchant (`owners`) in the sharded form
///   @sub   the same at the end of a subquery, which shards are to answer before the rest is asked
///   @lock  FOR UPDATE in the locking form
struct Declared {
  std::string name;  // "load.orders": unique
  Shards shards = Shards::none;
  std::string tables;  // those it names, separated by a space, in the order of the alphabet
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
  /// Whether the form differs from the plain one.
  bool has(Form form) const { return form == Form::plain || !text(form).empty(); }

 private:
  Declared declared_;
  std::array<std::string, 3> texts_;  // by form; empty where it is the plain one's
};

/// All of them, by name.
std::vector<const SqlStatement*> all_statements();

/// No statement may be declared any more: from the first connection on the list is read by many threads.
void close_inventory();

/// The inventory as a page of the documentation, or as JSON.
std::string statements_page();
std::string statements_json();

}  // namespace finality::postgres
