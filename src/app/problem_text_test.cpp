#include "app/problem_text.h"

#include <gtest/gtest.h>

namespace finality::app {
namespace {

TEST(ProblemText, IsOneLineWithTitleDetailFieldAndRequest) {
  EXPECT_EQ(problem_text(R"({"type":"urn:x","title":"Invalid request","status":400,"code":"invalid_request",)"
                         R"("detail":"The field date must be a day.","param":"date","request_id":"req_1"})"),
            "Invalid request: The field date must be a day. (field date, request req_1)");
  EXPECT_EQ(problem_text(R"({"title":"Not found","detail":"Check the id.","request_id":"req_2"})"),
            "Not found: Check the id. (request req_2)");
  EXPECT_EQ(problem_text(R"({"title":"Busy"})"), "Busy");
}

TEST(ProblemText, ControlCharactersAreEscaped) {
  const std::string text = problem_text(R"({"title":"a\nb","detail":"\u001b[31m","param":7})");
  EXPECT_TRUE(text.starts_with("a b: ")) << text;
  EXPECT_FALSE(text.contains('\x1b')) << text;
}

TEST(ProblemText, AnotherBodyIsShownFromItsBegin) {
  EXPECT_EQ(problem_text("<html>\nbad gateway"), "<html> bad gateway");
  EXPECT_EQ(problem_text("[1]"), "[1]");
  EXPECT_EQ(problem_text(R"({"detail":"x"})"), R"({"detail":"x"})");
  EXPECT_EQ(problem_text(std::string(1000, 'x')).size(), 300u);
  EXPECT_EQ(problem_text(""), "");
}

}  // namespace
}  // namespace finality::app
