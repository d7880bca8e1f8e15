#include "http/server/request_id.h"

#include <gtest/gtest.h>

namespace finality::http {
namespace {

TEST(RequestIds, AreOrderedAndUniqueAcrossProcesses) {
  RequestIds one;
  RequestIds other;
  const std::string first = one.next({1'800'000'000'000});
  const std::string second = one.next({1'800'000'000'000});
  const std::string third = one.next({1'800'000'000'001});
  EXPECT_TRUE(first.starts_with("req_"));
  EXPECT_LT(first, second);
  EXPECT_LT(second, third);
  EXPECT_NE(first, other.next({1'800'000'000'000}));
}

TEST(Traceparent, IsKeptWhenItIsValid) {
  const std::string valid = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  EXPECT_EQ(valid_traceparent(valid), valid);
  EXPECT_EQ(valid_traceparent("cc" + valid.substr(2) + "-what"), "cc" + valid.substr(2));
  for (const std::string& wrong :
       {std::string(), valid.substr(1), valid + "-what", "ff" + valid.substr(2),
        std::string("00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01"),
        std::string("00-00000000000000000000000000000000-00f067aa0ba902b7-01"),
        std::string("00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01"), "cc" + valid.substr(2) + "what"})
    EXPECT_EQ(valid_traceparent(wrong), "") << wrong;
}

}  // namespace
}  // namespace finality::http
