// Files that an attacker builds so that a small file costs much: what every parser of statements must refuse within its
// budget.
#pragma once

#include <string>
#include <vector>

#include "channel/testing/statement_fixtures.h"

namespace finality {

struct HostileFile {
  std::string name;
  std::string file;
};

inline std::vector<HostileFile> hostile_files() {
  constexpr std::size_t kLarge = 2 << 20;
  const std::string zeros(kLarge, '\0');
  const std::string blank_lines(kLarge, '\n');
  std::string deep_xml;
  for (int i = 0; i < 100'000; ++i) deep_xml += "<a>";
  std::string many_elements = "<Document><BkToCstmrStmt><Stmt>";
  for (int i = 0; i < 100'000; ++i) many_elements += "<Ntry/>";
  return {{"zeros", gzip(zeros)},
          {"blank lines", gzip(blank_lines)},
          {"blank lines, not packed", blank_lines},
          {"one line", gzip(std::string(kLarge, 'a'))},
          {"one cell", '"' + std::string(kLarge, 'a')},
          {"one cell of lines", '"' + blank_lines},
          {"many cells", std::string(kLarge, ',')},
          {"invalid GB18030", std::string(kLarge, '\xff')},
          {"deep XML", deep_xml},
          {"deep XML, packed", gzip(deep_xml)},
          {"deep JSON", std::string(kLarge, '[')},
          {"one attribute", "<a b=\"" + std::string(kLarge, 'a')},
          {"many elements", many_elements},
          {"entities", "<!DOCTYPE a [<!ENTITY b \"bbbb\"><!ENTITY c \"&b;&b;&b;\">]><a>&c;</a>"}};
}

/// Expects that the parser refuses each hostile file within its budget.
inline void expect_hostile_files_refused(const Statements& statements, const StatementCall& call) {
  static const std::vector<HostileFile> kFiles = hostile_files();
  for (const auto& [name, file] : kFiles) {
    ParseBudget budget(file.size());
    const auto sums = statements.parse(call, file, budget, [](StatementLine&&) { return true; });
    EXPECT_FALSE(sums) << name;
    EXPECT_LE(budget.work(), budget.limits().work_max) << name;
    EXPECT_FALSE(budget.is_stopped()) << name;
  }
}

/// Expects that a parser with too small a budget refuses a genuine file and names the limit, and that a stop after its
/// first line ends it.
inline void expect_budget_kept(const Statements& statements, const StatementCall& call, std::string_view file) {
  ParseBudget small({.input_bytes = file.size(), .output_bytes_max = 1 << 20, .work_max = 10});
  const auto refused = statements.parse(call, file, small, [](StatementLine&&) { return true; });
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().message.contains("work limit of 10 units")) << refused.error().message;
  EXPECT_FALSE(small.is_stopped());

  std::stop_source stop;
  ParseBudget budget(file.size(), stop.get_token());
  int lines = 0;
  const auto stopped = statements.parse(call, file, budget, [&](StatementLine&&) {
    ++lines;
    stop.request_stop();
    return true;
  });
  EXPECT_FALSE(stopped);
  EXPECT_TRUE(budget.is_stopped());
  EXPECT_EQ(lines, 1) << "no line is passed on after the stop";
}

}  // namespace finality
