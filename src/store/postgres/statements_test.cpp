// Tests that the declared tables and shards of each statement match the plan that the server makes for the statement.
#include <algorithm>
#include <boost/json.hpp>
#include <functional>
#include <set>

#include "model/row_types.h"
#include "store/postgres/archivist.h"
#include "store/postgres/statement.h"
#include "store/postgres/testing/test_server.h"

namespace finality::postgres {
namespace {

bool has_plan(const SqlStatement& statement) {
  return std::ranges::any_of(std::array{"SELECT ", "WITH ", "INSERT ", "UPDATE ", "DELETE "},
                             [&](const char* word) { return statement.text(Form::plain).starts_with(word); });
}

bool writes(const SqlStatement& statement) {
  const std::string& text = statement.text(Form::plain);
  return has_plan(statement) && !text.starts_with("S") && !text.starts_with("W");
}

std::string text_of(const boost::json::object& node, std::string_view key) {
  const boost::json::value* value = node.if_contains(key);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : "";
}

using Visit = std::function<void(const boost::json::object&)>;

void visit_nodes(const boost::json::object& node, const Visit& visit) {
  visit(node);
  if (const boost::json::value* plans = node.if_contains("Plans"))
    for (const boost::json::value& plan : plans->as_array()) visit_nodes(plan.as_object(), visit);
}

/// Plans statements on a store whose tables have the primary keys of a distributed store.
class PostgresStatementsTest : public testing::Test {
 protected:
  PostgresStatementsTest() {
    execute(
        "SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; SET enable_hashjoin = off; "
        "SET enable_mergejoin = off");
  }

  std::string execute(const std::string& sql) {
    const auto reply = connection_->execute(sql);
    FINALITY_CHECK(reply.has_value(), sql + ": " + reply.error().message);
    return reply->rows() > 0 ? PQgetvalue(reply->raw(), 0, 0) : "";
  }
  /// Returns the server's generic plan for the statement.
  boost::json::object plan(const SqlStatement& statement, Form form) {
    execute("PREPARE one AS " + statement.text(form));
    const std::string arguments = execute(
        "SELECT array_to_string(array_fill('NULL'::text, ARRAY[cardinality(parameter_types)]), ', ') "
        "FROM pg_prepared_statements WHERE name = 'one'");
    const std::string explained =
        execute("EXPLAIN (VERBOSE, FORMAT JSON) EXECUTE one" + (arguments.empty() ? "" : "(" + arguments + ")"));
    execute("DEALLOCATE one");
    return boost::json::parse(explained).at(0).at("Plan").as_object();
  }
  std::string tables_in(const boost::json::object& plan) {
    std::set<std::string> tables;
    visit_nodes(plan, [&](const auto& node) { tables.insert(text_of(node, "Relation Name")); });
    std::string names;
    for (const std::string& table : tables)
      if (!table.empty()) names += (names.empty() ? "" : " ") + table;
    return names;
  }
  /// Calls `visit` for each scan of a table in the plan, with the table's name and the conditions of the scan.
  static void each_scan(const boost::json::object& plan,
                        const std::function<void(const std::string& table, const std::string& conditions)>& visit) {
    visit_nodes(plan, [&](const auto& node) {
      if (text_of(node, "Relation Name").empty() || !text_of(node, "Node Type").contains("Scan")) return;
      visit(text_of(node, "Relation Name"),
            text_of(node, "Index Cond") + text_of(node, "Filter") + text_of(node, "Recheck Cond"));
    });
  }
  static Form widest(const SqlStatement& statement) {
    return statement.has(Form::sharded) ? Form::sharded : Form::plain;
  }

  TestDatabase database_ = TestDatabase::distributed();
  std::unique_ptr<Connection> connection_ = must(Connection::open({.conninfo = database_.url()}, Use::read));
};

TEST_F(PostgresStatementsTest, AccountStatementsAndChangedOrdersAreReadByTheirIndexes) {
  const std::pair<std::string_view, const char*> expected[] = {
      {"read.entries_indexed", "entries_by_account"}, {"read.entries_ahead", "entries_ahead"},
      {"read.entries_of_account", "entries_pkey"},    {"read.entries_of_order", "entries_pkey"},
      {"read.changed_orders", "changes_to_check"},    {"read.cases_of_identities", "cases_of_identities"}};
  for (const auto& [name, its_index] : expected) {
    const std::string index = its_index;
    const std::vector<const SqlStatement*> all = all_statements();
    const auto at = std::ranges::find(all, name, &SqlStatement::name);
    ASSERT_TRUE(at != all.end()) << name;
    bool is_found = false;
    visit_nodes(plan(**at, Form::plain), [&](const boost::json::object& node) {
      is_found = is_found || text_of(node, "Index Name") == index;
      EXPECT_NE(text_of(node, "Node Type"), "Seq Scan") << text_of(node, "Relation Name");
    });
    EXPECT_TRUE(is_found) << name << " does not use " << index;
  }
}

TEST_F(PostgresStatementsTest, EachStatementUsesExactlyItsDeclaredTables) {
  std::set<std::string> all;
  for (const SqlStatement* statement : all_statements()) {
    SCOPED_TRACE(statement->name());
    EXPECT_EQ(statement->tables().empty(), statement->shards() == Shards::none);
    EXPECT_FALSE(statement->purpose().empty());
    for (const Form form : {Form::plain, Form::locking, Form::sharded})
      if (has_plan(*statement) && statement->has(form)) {
        EXPECT_EQ(tables_in(plan(*statement, form)), statement->tables());
      }
    all.insert(statement->tables());
  }
  EXPECT_GT(all.size(), 20U);
}

TEST_F(PostgresStatementsTest, AStatementForShardsOfMerchantsNamesThemForEveryTableItReads) {
  int scans = 0;
  for (const SqlStatement* statement : all_statements()) {
    if (statement->shards() != Shards::merchants) continue;
    SCOPED_TRACE(statement->text(widest(*statement)));
    each_scan(plan(*statement, widest(*statement)), [&](const std::string& table, const std::string& conditions) {
      const std::string column = table == "merchants" ? "id" : "merchant_id";
      EXPECT_TRUE(conditions.contains(column + " = ANY ($") || conditions.contains(column + " = $"))
          << table << ": " << conditions;
      ++scans;
    });
    if (statement->text(Form::plain).starts_with("INSERT INTO")) {
      const std::string columns = statement->text(Form::plain).substr(0, statement->text(Form::plain).find(')'));
      EXPECT_TRUE(columns.contains("merchant_id") || statement->tables() == "merchants");
    }
  }
  EXPECT_GT(scans, 60);
}

// Some tables have an index by merchant, which lists use. A statement that selects rows by key must not use this index:
// it would read all rows of the merchant.
TEST_F(PostgresStatementsTest, NamingTheMerchantsDoesNotReadAllTheirRows) {
  for (const std::string table :
       {"orders", "accounts", "prices", "adjustments", "fees", "webhook_endpoints", "differences"})
    database_.run("DO $$ DECLARE name text; BEGIN FOR name IN SELECT attname FROM pg_attribute WHERE attrelid = '" +
                  table +
                  "'::regclass AND attnotnull AND attnum > 0 AND attname NOT IN ('id', 'merchant_id') LOOP "
                  "EXECUTE format('ALTER TABLE " +
                  table +
                  " ALTER %I DROP NOT NULL, ALTER %I DROP DEFAULT', name, name); "
                  "END LOOP; END $$; "
                  "INSERT INTO " +
                  table +
                  " (id, merchant_id) SELECT g, g % 10 FROM generate_series(1, 10000) g; "
                  "ANALYZE " +
                  table);
  for (const SqlStatement* statement : all_statements()) {
    if (!statement->has(Form::sharded)) continue;
    visit_nodes(plan(*statement, Form::sharded), [&](const boost::json::object& node) {
      EXPECT_FALSE(text_of(node, "Index Name").contains("by_merchant")) << statement->text(Form::sharded);
    });
  }
}

TEST_F(PostgresStatementsTest, AStatementForTheShardOfANodeNamesItsNumber) {
  int seen = 0;
  for (const SqlStatement* statement : all_statements()) {
    if (statement->shards() != Shards::node) continue;
    EXPECT_EQ(statement->tables(), "nodes");
    const std::string& text = statement->text(Form::plain);
    EXPECT_TRUE(text.contains("WHERE number = $1") || text.contains("VALUES ($1,")) << text;
    ++seen;
  }
  EXPECT_EQ(seen, 6);
}

// Citus evaluates a function once, on the machine that the client is connected to. It rejects volatile functions, and
// in ON CONFLICT … DO UPDATE all functions that are not immutable.
TEST_F(PostgresStatementsTest, WritesCallNoFunctionThatCitusRejects) {
  for (const SqlStatement* statement : all_statements()) {
    if (!writes(*statement)) continue;
    const std::string& text = statement->text(widest(*statement));
    const std::string called = "SELECT count(*) FROM (SELECT (regexp_matches($text$" + text +
                               "$text$, '([a-z_]+)\\(', 'g'))[1] AS name) AS c JOIN pg_proc p ON p.proname = c.name "
                               "WHERE p.provolatile ";
    EXPECT_EQ(execute(called + "= 'v'"), "0") << text;
    if (text.contains("DO UPDATE")) EXPECT_EQ(execute(called + "<> 'i'"), "0") << text;
  }
}

// With ON CONFLICT DO NOTHING, Citus would count skipped rows as inserted, and a session would not detect the conflict.
TEST_F(PostgresStatementsTest, OnShardsAnInsertOfAnExistingRowIsAnError) {
  std::size_t seen = 0;
  for (const SqlStatement* statement : all_statements()) {
    const std::string& text = statement->text(widest(*statement));
    if (!text.starts_with("INSERT") || !text.contains("unnest")) continue;
    EXPECT_FALSE(text.contains("ON CONFLICT")) << text;
    ++seen;
  }
  EXPECT_EQ(seen, boost::mp11::mp_size<RowTypes>::value);
}

TEST_F(PostgresStatementsTest, OnShardsNothingIsLocked) {
  int locking = 0;
  for (const SqlStatement* statement : all_statements()) {
    for (const Form form : {Form::plain, Form::sharded})
      if (statement->has(form)) {
        EXPECT_FALSE(statement->text(form).contains("FOR UPDATE")) << statement->name();
      }
    locking += statement->has(Form::locking);
  }
  // load.*: orders, deliveries, unknown_receipts, statements, differences, transfers, adjustments, accounts,
  // identity_checks;
  // write.unchanged.*: orders, deliveries, unknown_receipts, statements, differences, accounts; archive.lock.*: 2
  EXPECT_EQ(locking, 17);
}

// The linker omits an object file that nothing refers to, and its statements are then missing from the inventory. Only
// this test refers to the archivist of PostgreSQL.
TEST_F(PostgresStatementsTest, TheInventoryContainsTheArchiveStatements) {
  EXPECT_FALSE(open_archivist("postgres://user@127.0.0.1:1/none"));
  EXPECT_TRUE(std::ranges::any_of(all_statements(), [](const SqlStatement* statement) {
    return statement->name().starts_with("archive.remove.");
  }));
}

using PostgresStatementsDeathTest = PostgresStatementsTest;

TEST_F(PostgresStatementsDeathTest, NoStatementCanBeDeclaredAfterTheFirstConnection) {
  EXPECT_DEATH(SqlStatement({.name = "late", .purpose = "none", .text = "SELECT 1"}), "after the first connection");
}

TEST_F(PostgresStatementsTest, ThePageAndTheJsonContainEveryStatement) {
  const boost::json::array list = boost::json::parse(statements_json()).as_array();
  const std::string page = statements_page();
  EXPECT_EQ(list.size(), all_statements().size());
  for (const boost::json::value& one : list) {
    EXPECT_TRUE(page.contains("| `" + std::string(one.at("name").as_string()) + "` |"));
    EXPECT_FALSE(one.at("shards").as_string().empty());
  }
}

}  // namespace
}  // namespace finality::postgres
