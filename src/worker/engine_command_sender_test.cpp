#include "worker/engine_command_sender.h"

#include "base/limits.h"
#include "worker/testing/fakes.h"

namespace finality {
namespace {

using namespace fakes;

constexpr MerchantId kMerchant{7};

class EngineCommandSenderTest : public testing::Test {
 protected:
  Result<void> send() { return sender_.send(RecordMatches{.merchant_id = kMerchant}, kMerchant); }

  FakeEngine engine_;
  std::vector<Duration> pauses_;
  bool stops_ = false;
  EngineCommandSender sender_{engine_,
                              [this](Duration pause) {
                                pauses_.push_back(pause);
                                return stops_;
                              },
                              CauseKind::statement};
};

TEST_F(EngineCommandSenderTest, SendsWithoutWaitingForTheReply) {
  ASSERT_TRUE(send());
  ASSERT_TRUE(send());
  EXPECT_EQ(engine_.count(), 2u);
  EXPECT_EQ(engine_.request(0).merchant_id, kMerchant);
  EXPECT_EQ(engine_.request(0).cause.kind, CauseKind::statement);
  engine_.reply_to(1);
  engine_.reply_to(0);
  EXPECT_TRUE(sender_.settle());
}

TEST_F(EngineCommandSenderTest, WaitsForTheFirstReplyWhenTooManyCommandsAreInFlight) {
  engine_.answers.push_back(refused(RefusalCode::not_found));
  for (std::size_t i = 0; i < limits::kStatementCommandsInFlightMax; ++i) ASSERT_TRUE(send());
  EXPECT_FALSE(send()) << "the refusal of the first command";
  EXPECT_EQ(engine_.count(), limits::kStatementCommandsInFlightMax);
}

TEST_F(EngineCommandSenderTest, ARefusalOfASentCommandIsAnErrorOfALaterCall) {
  engine_.answers.push_back(refused(RefusalCode::not_found));
  EXPECT_TRUE(send());
  EXPECT_FALSE(sender_.settle());
  EXPECT_TRUE(sender_.settle()) << "nothing is in flight";
}

TEST_F(EngineCommandSenderTest, ASubmittedCommandCanBeRefused) {
  engine_.answers = {refused(RefusalCode::not_found), refused(RefusalCode::not_found)};
  const auto reply = sender_.submit(RecordMatches{.merchant_id = kMerchant}, kMerchant);
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->refusal->code, RefusalCode::not_found);
  EXPECT_FALSE(sender_.require(RecordMatches{.merchant_id = kMerchant}, kMerchant));
}

TEST_F(EngineCommandSenderTest, RepeatsACommandWhileTheEngineIsBusy) {
  engine_.answers = {refused(RefusalCode::busy), refused(RefusalCode::busy), {}};
  ASSERT_TRUE(send());
  EXPECT_TRUE(sender_.settle());
  EXPECT_EQ(pauses_.size(), 2u);
  EXPECT_EQ(engine_.command<RecordMatches>(2).merchant_id, kMerchant);
}

TEST_F(EngineCommandSenderTest, GivesUpWhenTheServerStops) {
  stops_ = true;
  engine_.answers = {refused(RefusalCode::busy)};
  ASSERT_TRUE(send());
  EXPECT_FALSE(sender_.settle());
  EXPECT_EQ(engine_.count(), 1u);
}

}  // namespace
}  // namespace finality
