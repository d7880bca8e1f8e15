#include "app/text_table.h"

#include <gtest/gtest.h>

namespace finality::app {
namespace {

TEST(TextTable, ColumnsAreAsWideAsTheirWidestCell) {
  constexpr TextColumn kColumns[] = {{"id"}, {"amount", true}, {"subject"}};
  EXPECT_EQ(text_table(kColumns, {{"dif_1", "-0.48 CNY", "tea"}, {"dif_22", "1200.00 CNY", ""}}),
            "id           amount  subject\n"
            "dif_1     -0.48 CNY  tea\n"
            "dif_22  1200.00 CNY\n");
}

TEST(TextTable, WithoutRowsHasItsTitles) {
  constexpr TextColumn kColumns[] = {{"id"}, {"amount", true}};
  EXPECT_EQ(text_table(kColumns, {}), "id  amount\n");
}

TEST(TextTable, WideCharactersTakeTwoPositions) {
  constexpr TextColumn kColumns[] = {{"order"}, {"state"}};
  EXPECT_EQ(text_table(kColumns, {{"茶-1", "open"}, {"tea-1", "open"}}),
            "order  state\n"
            "茶-1   open\n"
            "tea-1  open\n");
  EXPECT_EQ(text_width("é茶→x"), 5u);
  EXPECT_EQ(text_width("\xff\xe8"), 2u) << "invalid bytes";
}

}  // namespace
}  // namespace finality::app
