#include "base/printable.h"

#include <gtest/gtest.h>

namespace finality {
namespace {

TEST(Printable, KeepsOrdinaryText) {
  for (const char* text : {"", "Tea, 2 boxes", "茶叶两盒 ¥128.50", "a\nb", "C:\\dir \"quoted\"", "😀"})
    EXPECT_EQ(printable(text), text);
}

TEST(Printable, EscapesWhatATerminalExecutesOrHides) {
  struct Row {
    std::string text;
    const char* shown;
  };
  for (const Row& row :
       {Row{"\x1b[31m", "\\u001b[31m"}, Row{"\xc2\x9b\x33\x31m", "\\u009b31m"}, Row{"\x7f", "\\u007f"},
        Row{"a\tb\r", "a\\u0009b\\u000d"}, Row{"\xe2\x80\xae", "\\u202e"}, Row{"\xe2\x80\xa8", "\\u2028"},
        Row{"\xe2\x81\xa6", "\\u2066"}, Row{"\xef\xbb\xbf", "\\ufeff"}, Row{std::string("\0", 1), "\\u0000"}})
    EXPECT_EQ(printable(row.text), row.shown);
}

TEST(Printable, EscapesBytesThatAreNotUtf8) {
  EXPECT_EQ(printable("a\xff\xfe"), "a\\xff\\xfe");
  EXPECT_EQ(printable("\xc2"), "\\xc2");
  EXPECT_EQ(printable("\xe2\x80 x"), "\\xe2\\x80 x");
  EXPECT_EQ(printable("\xc0\x9b"), "\\xc0\\x9b") << "overlong";
}

}  // namespace
}  // namespace finality
