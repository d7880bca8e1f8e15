// Tests that the audit queries run on a distributed store: every join of distributed tables names the merchant. A
// distributed engine joins tables by their distribution column only.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "model/row_types.h"
#include "store/audit/audit.h"

namespace finality::audit {
namespace {

const std::set<std::string>& distributed_tables() {
  static const std::set<std::string> tables = [] {
    std::set<std::string> names{"nodes"};
    for_each_row_type<RowTypes>([&]<class Row>(std::type_identity<Row>) {
      if (RowTraits<Row>::options.owner != Owner::none) names.emplace(RowTraits<Row>::table);
    });
    return names;
  }();
  return tables;
}

/// Finds the tables of a query that are joined without a condition on the merchant.
class JoinCheck {
 public:
  explicit JoinCheck(const std::string& sql) {
    texts_.emplace_back();
    texts_[0] = read(sql, 0).first;
    find_expressions();
    check(0, {});
  }
  const std::vector<std::string>& findings() const { return findings_; }

 private:
  /// Names of tables that a part of the query can use, and whether they are distributed.
  using Names = std::map<std::string, bool>;
  struct Relation {
    std::string alias;
    std::string table;  // or #N, a subquery
  };

  // Returns the text up to the closing parenthesis, with each subquery replaced by #N and each string by '', and the
  // position after it.
  std::pair<std::string, std::size_t> read(const std::string& sql, std::size_t at) {
    static const std::regex kSubquery(R"(\(\s*(SELECT|WITH|VALUES)\b)");
    std::string text;
    while (at < sql.size() && sql[at] != ')') {
      if (sql[at] == '\'') {
        text += "''";
        at = sql.find('\'', at + 1) + 1;
      } else if (sql[at] == '(') {
        const bool is_subquery = std::regex_search(sql.begin() + static_cast<std::ptrdiff_t>(at), sql.end(), kSubquery,
                                                   std::regex_constants::match_continuous);
        const std::size_t number = texts_.size();
        if (is_subquery) texts_.emplace_back();
        auto [inner, end] = read(sql, at + 1);
        text += is_subquery ? "#" + std::to_string(number) + " " : "(" + inner + ")";
        if (is_subquery) texts_[number] = std::move(inner);
        at = end;
      } else {
        text += sql[at++];
      }
    }
    return {text, at + 1};
  }
  static std::vector<std::smatch> matches(const std::string& text, const std::regex& pattern) {
    return {std::sregex_iterator(text.begin(), text.end(), pattern), std::sregex_iterator()};
  }
  static std::size_t number_of(const std::string& subquery) { return std::stoul(subquery.substr(1)); }

  void find_expressions() {
    static const std::regex kExpression(
        R"((?:WITH|,)\s+(\w+)(?:\([\w, ]*\))? AS (NOT MATERIALIZED |MATERIALIZED )?(#\d+))");
    for (const std::string& text : texts_)
      for (const std::smatch& match : matches(text, kExpression))
        if (match[2] == "MATERIALIZED ")
          materialized_.insert(match[1]);
        else
          expressions_[match[1]] = number_of(match[3]);
  }
  static std::vector<Relation> relations_in(const std::string& text) {
    static const std::regex kRelation(R"(\b(?:FROM|JOIN)\s+(#\d+|\w+)(?:\s+(?:AS\s+)?(\w+))?)");
    static const std::set<std::string> kWords = {"ON",    "WHERE",  "JOIN",   "LEFT",   "GROUP", "ORDER",
                                                 "UNION", "EXCEPT", "WINDOW", "HAVING", "LIMIT"};
    std::vector<Relation> found;
    for (const std::smatch& match : matches(text, kRelation)) {
      const std::string alias = match[2];
      found.push_back({alias.empty() || kWords.contains(alias) ? match[1].str() : alias, match[1]});
    }
    return found;
  }
  bool is_distributed(const std::string& table) const {
    if (materialized_.contains(table)) return false;
    const auto expression = expressions_.find(table);
    if (table[0] != '#' && expression == expressions_.end()) return distributed_tables().contains(table);
    const std::string& text = texts_[table[0] == '#' ? number_of(table) : expression->second];
    return std::ranges::any_of(relations_in(text), [&](const Relation& one) { return is_distributed(one.table); });
  }
  // Checks a subquery. `outer`: the names of the queries around it, if it may refer to them.
  void check(std::size_t number, const Names& outer) {
    static const std::regex kSet(R"(\b(UNION ALL|UNION|EXCEPT)\b)");
    const std::string text = texts_[number];
    for (std::sregex_token_iterator part(text.begin(), text.end(), kSet, -1); part != std::sregex_token_iterator();
         ++part)
      check_select(*part, outer);
  }
  void check_select(const std::string& text, const Names& outer) {
    static const std::regex kEdge(R"((\w+)\.merchant_id = (\w+)\.merchant_id)");
    static const std::regex kSubquery(R"(#\d+)");
    static const std::regex kColumn(R"(\b(\w+)\.\w+)");
    const std::vector<Relation> relations = relations_in(text);
    Names names = outer;
    std::set<std::string> own;
    for (const Relation& one : relations) {
      names[one.alias] = is_distributed(one.table);
      own.insert(one.alias);
    }
    // The tables of one merchant: those of the outer query that this one refers to, otherwise the first table.
    std::set<std::string> joined;
    for (const std::smatch& match : matches(text, kColumn))
      if (const auto name = outer.find(match[1]); name != outer.end() && name->second && !own.contains(match[1]))
        joined.insert(match[1]);
    for (const Relation& one : relations)
      if (joined.empty() && names[one.alias]) joined.insert(one.alias);
    for (std::size_t before = 0; before != joined.size();) {
      before = joined.size();
      for (const std::smatch& match : matches(text, kEdge))
        if (joined.contains(match[1]) || joined.contains(match[2])) joined.insert({match[1], match[2]});
    }
    for (const Relation& one : relations)
      if (names[one.alias] && !joined.contains(one.alias))
        findings_.push_back(one.alias + " (" + one.table + ") in: " + text);
    for (const std::smatch& match : matches(text, kSubquery)) {
      const bool is_table =
          std::ranges::any_of(relations, [&](const Relation& one) { return one.table == match.str(); });
      const bool is_expression =
          std::ranges::any_of(expressions_, [&](const auto& one) { return one.second == number_of(match.str()); });
      check(number_of(match.str()), is_table || is_expression ? Names() : names);
    }
  }

  std::vector<std::string> texts_;                  // of the query, and of its subqueries
  std::set<std::string> materialized_;              // table expressions that are computed first
  std::map<std::string, std::size_t> expressions_;  // other table expressions, with the numbers of their subqueries
  std::vector<std::string> findings_;
};

TEST(MerchantJoinsTest, EveryJoinOfDistributedTablesNamesTheMerchant) {
  for (const AuditQuestion& question : audit_questions()) {
    SCOPED_TRACE(question.invariant);
    for (const std::string& finding : JoinCheck(question.sql).findings()) ADD_FAILURE() << finding;
  }
}

TEST(MerchantJoinsTest, TheCheckFindsJoinsWithoutTheMerchant) {
  const std::pair<const char*, std::size_t> queries[] = {
      {"SELECT 1 FROM orders o JOIN payments p ON p.order_id = o.id", 1},
      {"SELECT 1 FROM orders o JOIN payments p ON p.order_id = o.id AND p.merchant_id = o.merchant_id", 0},
      {"SELECT 1 FROM orders o LEFT JOIN (SELECT order_id FROM payments) p ON p.order_id = o.id", 1},
      {"SELECT 1 FROM orders o WHERE NOT EXISTS (SELECT 1 FROM cases c WHERE c.root_id = o.id)", 1},
      {"SELECT 1 FROM orders o WHERE (o.id > 0 AND EXISTS (SELECT 1 FROM cases c WHERE c.merchant_id = o.merchant_id))",
       0},
      {"SELECT 1 FROM payments p JOIN channel_accounts a ON a.id = p.channel_account_id", 0},
      {"WITH all_orders AS (SELECT id FROM orders) SELECT 1 FROM payments p JOIN all_orders o ON o.id = p.order_id", 1},
      {"WITH few AS MATERIALIZED (SELECT id FROM orders) SELECT 1 FROM payments p JOIN few o ON o.id = p.order_id", 0}};
  for (const auto& [sql, findings] : queries) EXPECT_EQ(JoinCheck(sql).findings().size(), findings) << sql;
}

}  // namespace
}  // namespace finality::audit
