#include "channel/parsing/columns.h"

#include <gtest/gtest.h>

namespace finality {
namespace {

using Cells = std::vector<std::string_view>;

constexpr Column kColumns[] = {{"number"}, {"amount(元)|sum"}, {"note", false}, {"absent", false}};
enum : std::size_t { number, amount, note, absent };

Record record_of(const Cells& cells, std::int64_t line_no = 1) { return {.line_no = line_no, .cells = cells}; }

TEST(Columns, AreFoundByAnyOfTheirNamesInAnyOrder) {
  for (const Cells& header : {Cells{"number", "sum"}, Cells{"sum", "more", "number"}, Cells{"amount（元）", " number"}})
    EXPECT_TRUE(Columns::find(kColumns, record_of(header)));
  const auto columns = Columns::find(kColumns, record_of({"sum", "note", "number", ""}));
  ASSERT_TRUE(columns);
  EXPECT_TRUE(columns->has(note) && !columns->has(absent));
  EXPECT_TRUE(columns->are_adjacent(amount, note) && columns->are_adjacent(note, number));
  EXPECT_FALSE(columns->are_adjacent(note, amount) || columns->are_adjacent(note, absent));
  EXPECT_EQ(columns->name(amount), "sum");
  const Cells cells{"1.00", "x", "7", ""};
  const Record record = record_of(cells);
  Row row(*columns, record);
  EXPECT_EQ(row.number(number), "7");
  EXPECT_EQ(row.amount(amount, *parse_currency("CNY")), 100);
  EXPECT_EQ(row.amount(amount, *parse_currency("JPY")), 0);
  EXPECT_EQ(
      row.error().error().message,
      "line 1, column sum: `1.00` is not an amount of at most 1000000000000000 JPY with at most 0 decimal digits");
}

TEST(Columns, MissingAndDuplicateColumnsAreRejected) {
  EXPECT_EQ(Columns::find(kColumns, record_of({"number"}, 5)).error().message,
            "line 5: the column amount(元) is missing");
  EXPECT_EQ(Columns::find(kColumns, record_of({"number", "sum", "amount(元)"})).error().message,
            "line 1: the column amount(元) occurs twice");
}

TEST(Columns, TheNumberOfCellsMustBeThatOfTheHeader) {
  const auto columns = Columns::find(kColumns, record_of({"number", "sum"}));
  const auto is_accepted = [&](const Cells& cells) {
    const Record record = record_of(cells);
    return Row(*columns, record).error().has_value();
  };
  EXPECT_TRUE(is_accepted({"7", "1"}));
  EXPECT_FALSE(is_accepted({"7", "1", ""}));
  EXPECT_FALSE(is_accepted({"7"}));
  EXPECT_FALSE(is_accepted({"7", "1", "x"}));
}

TEST(Columns, ATextWithSeparatorsMovesTheColumnsAfterIt) {
  auto columns = Columns::find(kColumns, record_of({"number", "note", "sum"}));
  ASSERT_TRUE(columns);
  columns->allow_separator_in(note);
  const Cells cells{"7", "a", "99", "b", "1"};
  const Record record = record_of(cells);
  Row row(*columns, record);
  EXPECT_EQ(row.text(number), "7");
  EXPECT_EQ(row.text(note), "a");
  EXPECT_EQ(row.text(amount), "1");
  const Cells short_cells{"7", "1"};
  const Record short_record = record_of(short_cells);
  EXPECT_FALSE(Row(*columns, short_record).error());
}

TEST(Columns, TheFirstErrorIsReported) {
  const auto columns = Columns::find(kColumns, record_of({"number", "sum"}));
  const Cells cells{"seven", "x"};
  const Record record = record_of(cells, 3);
  Row row(*columns, record);
  EXPECT_EQ(row.count(number), 0);
  EXPECT_EQ(row.fee(amount), 0);
  EXPECT_EQ(row.error().error().message, "line 3, column number: `seven` is not a count");
}

}  // namespace
}  // namespace finality
