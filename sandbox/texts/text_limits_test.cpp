#include "sandbox/texts/text_limits.h"

#include <gtest/gtest.h>

#include <set>

namespace finality::sandbox {
namespace {

TEST(SandboxTextLimits, AFieldHasOneRowWithASize) {
  for (const auto rows : {wechatpay_texts(), alipay_texts(), simple_texts()}) {
    std::set<std::string_view> fields;
    for (const TextLimit& row : rows) {
      EXPECT_TRUE(fields.insert(row.field).second) << row.field;
      EXPECT_LE(row.min, row.max) << row.field;
      EXPECT_GT(row.max, 0U) << row.field;
      EXPECT_EQ(&text_limit(rows, row.field), &row);
    }
  }
}

TEST(SandboxTextLimits, ASetIsABracketOfARegularExpression) {
  const TextLimit number{"number", "", 1, 9, CountedUnit::bytes, R"(0-9a-f_\-|)"};
  for (const std::string_view good : {"0", "9", "a", "f", "_", "-", "|", "0f-|"})
    EXPECT_TRUE(is_accepted(number, good)) << good;
  for (const std::string_view bad : {"", "g", "A", "/", ":", "\\", "茶", "0 1"})
    EXPECT_FALSE(is_accepted(number, bad)) << bad;
  const TextLimit title{"title", "", 0, 9, CountedUnit::characters, "^/=&"};
  for (const std::string_view good : {"", "茶", "a-b", "^"}) EXPECT_TRUE(is_accepted(title, good)) << good;
  for (const std::string_view bad : {"/", "a=b", "a&"}) EXPECT_FALSE(is_accepted(title, bad)) << bad;
}

TEST(SandboxTextLimits, UnitsCountBytesCharactersAndLetters) {
  EXPECT_EQ(count_in(CountedUnit::bytes, "aé茶🎁"), 10U);
  EXPECT_EQ(count_in(CountedUnit::characters, "aé茶🎁"), 4U);
  EXPECT_EQ(count_in(CountedUnit::letters, "aé茶🎁"), 9U);
}

TEST(SandboxTextLimits, ATextThatIsNoUtf8IsRefused) {
  EXPECT_FALSE(is_accepted(text_limit(wechatpay_texts(), "/description"), "\xE8\x8C"));
}

}  // namespace
}  // namespace finality::sandbox
