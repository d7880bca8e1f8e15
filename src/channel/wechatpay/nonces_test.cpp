#include "channel/wechatpay/nonces.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace finality::wechatpay {
namespace {

constexpr Time kNow{1'790'000'000'000};

SignatureHead head(const std::string& nonce) { return {"PUB_KEY_ID_1", "1790000000", nonce}; }

TEST(WechatpayNonces, ARepeatedMessageIsAdmittedAndAnotherOneWithItsNonceIsNot) {
  Nonces nonces(10);
  EXPECT_TRUE(nonces.admit(head("a"), "body", kNow));
  EXPECT_TRUE(nonces.admit(head("a"), "body", kNow));
  EXPECT_FALSE(nonces.admit(head("a"), "other", kNow));
  EXPECT_TRUE(nonces.admit(head("a"), "body", kNow));
}

TEST(WechatpayNonces, SerialTimestampAndNonceAreAllCompared) {
  Nonces nonces(10);
  EXPECT_TRUE(nonces.admit({"s", "1", "n"}, "one", kNow));
  EXPECT_TRUE(nonces.admit({"t", "1", "n"}, "two", kNow));
  EXPECT_TRUE(nonces.admit({"s", "2", "n"}, "three", kNow));
  EXPECT_TRUE(nonces.admit({"s", "1", "m"}, "four", kNow));
  EXPECT_FALSE(nonces.admit({"s", "1", "n"}, "two", kNow));
}

TEST(WechatpayNonces, AreRemovedOnceTheirTimestampCannotBeAccepted) {
  Nonces nonces(10);
  EXPECT_TRUE(nonces.admit(head("a"), "body", kNow));
  EXPECT_FALSE(nonces.admit(head("a"), "other", kNow + std::chrono::minutes(10)));
  EXPECT_TRUE(nonces.admit(head("a"), "other", kNow + std::chrono::minutes(10) + Duration{1}));
}

TEST(WechatpayNonces, TheOldestIsRemovedWhenTheCacheIsFull) {
  Nonces nonces(2);
  EXPECT_TRUE(nonces.admit(head("a"), "body", kNow));
  EXPECT_TRUE(nonces.admit(head("b"), "body", kNow));
  EXPECT_TRUE(nonces.admit(head("c"), "body", kNow));
  EXPECT_FALSE(nonces.admit(head("c"), "other", kNow));
  EXPECT_TRUE(nonces.admit(head("a"), "other", kNow));
}

TEST(WechatpayNonces, OnlyOneOfSeveralMessagesWithOneNonceIsAdmitted) {
  constexpr int kThreads = 4;
  constexpr int kRounds = 200;
  Nonces nonces(kRounds);
  for (int round = 0; round < kRounds; ++round) {
    std::vector<char> admitted(kThreads);
    {
      std::vector<std::jthread> threads;
      for (int i = 0; i < kThreads; ++i)
        threads.emplace_back([&nonces, &admitted, round, i] {
          admitted[static_cast<std::size_t>(i)] =
              nonces.admit(head(std::to_string(round)), std::to_string(i), kNow) ? 1 : 0;
        });
    }
    ASSERT_EQ(std::ranges::count(admitted, 1), 1);
  }
}

}  // namespace
}  // namespace finality::wechatpay
