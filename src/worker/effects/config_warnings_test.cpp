// Each suspected misconfiguration is counted, but logged at most once per interval.
#include "worker/effects/config_warnings.h"

#include <gtest/gtest.h>

#include "base/limits.h"
#include "worker/effects/perform_call.h"
#include "worker/effects/send_request.h"
#include "worker/testing/fakes.h"

namespace finality {
namespace {

using namespace fakes;

class ConfigWarningsTest : public testing::Test {
 protected:
  using Counted = std::vector<std::pair<std::string, std::string>>;

  ConfigWarningsTest() { channel_.settings_of["bad_signature"] = "check the key"; }

  FakeChannel channel_;
  Counted counted_;
  ConfigWarnings config_warnings_{
      [this](const std::string& channel, const std::string& reason) { counted_.emplace_back(channel, reason); }};
};

TEST_F(ConfigWarningsTest, AreCountedEachTimeAndLoggedAtIntervals) {
  EXPECT_TRUE(config_warnings_.note(channel_, "bad_signature", "why", kNow));
  EXPECT_FALSE(
      config_warnings_.note(channel_, "bad_signature", "why", kNow + limits::kConfigWarningInterval - Duration{1}));
  EXPECT_TRUE(config_warnings_.note(channel_, "bad_signature", "why", kNow + limits::kConfigWarningInterval));
  EXPECT_FALSE(
      config_warnings_.note(channel_, "bad_signature", "why", kNow + limits::kConfigWarningInterval + Duration{1}));
  EXPECT_EQ(counted_, Counted(4, {"fake", "bad_signature"}));
}

TEST_F(ConfigWarningsTest, OfDifferentReasonsAreLoggedSeparately) {
  channel_.settings_of["unsigned"] = "check the id";
  EXPECT_TRUE(config_warnings_.note(channel_, "bad_signature", "why", kNow));
  EXPECT_TRUE(config_warnings_.note(channel_, "unsigned", "why", kNow));
  EXPECT_FALSE(config_warnings_.note(channel_, "unsigned", "why", kNow));
}

TEST_F(ConfigWarningsTest, AreNotLoggedForCodesUnrelatedToSettings) {
  for (const char* code : {"", "paid", "ACQ.SYSTEM_ERROR"})
    EXPECT_FALSE(config_warnings_.note(channel_, code, "why", kNow));
  EXPECT_TRUE(counted_.empty());
}

class AnswersThatWarn : public testing::Test {
 protected:
  AnswersThatWarn() { world_.channel->settings_of["unknown"] = "check the key"; }
  bool is_suppressed() {  // whether a repeated warning is not logged, because the interval has not ended
    return !world_.context->config_warnings.note(*world_.channel, "unknown", "why", world_.clock.now());
  }

  World world_;
};

TEST_F(AnswersThatWarn, ToPaymentCallsAreRecorded) {
  world_.inside([&] {
    perform_call(world_.context, channel_call(ChannelCallKind::send_payment),
                 world_.in_flight->admit({EffectKind::channel_call, {}, MerchantId{7}}));
  });
  world_.client.finish(0, answered(200, "unknown"));
  EXPECT_TRUE(is_suppressed());
}

TEST_F(AnswersThatWarn, ToRefundCallsAreRecorded) {
  RefundCall call{.kind = RefundCallKind::send_refund, .merchant_id = MerchantId{7}, .channel = "fake"};
  call.deadline = kNow + std::chrono::seconds(10);
  world_.inside([&] {
    perform_call(world_.context, call, world_.in_flight->admit({EffectKind::channel_call, {}, MerchantId{7}}));
  });
  world_.client.finish(0, answered(200, "unknown"));
  EXPECT_TRUE(is_suppressed());
}

TEST_F(AnswersThatWarn, AreNotRecordedWithoutAResponse) {
  world_.channel->settings_of["timeout"] = "check the key";
  world_.inside([&] {
    perform_call(world_.context, channel_call(ChannelCallKind::send_payment),
                 world_.in_flight->admit({EffectKind::channel_call, {}, MerchantId{7}}));
  });
  world_.client.finish(0, unanswered("no response"));
  EXPECT_TRUE(world_.context->config_warnings.note(*world_.channel, "timeout", "why", world_.clock.now()));
}

}  // namespace
}  // namespace finality
