#include "worker/effects/webhook_signature.h"

#include <gtest/gtest.h>

namespace finality {
namespace {

const Secret kSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
const Secret kOtherSecret("whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX");
constexpr std::string_view kId = "msg_p5jXN8AQM9LWM0D4loKWxJek";
constexpr Time kAt{1'614'265'330'000};
constexpr std::string_view kBody = R"({"test": 2432232314})";
constexpr std::string_view kSignature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";

// The expected signature is from standard-webhooks, libraries/javascript/src/webhook.test.ts.
TEST(WebhookSignature, MatchesTheReferenceImplementation) {
  EXPECT_EQ(webhook_signature({kSecret}, kId, kAt, kBody), kSignature);
}

TEST(WebhookSignature, IgnoresMilliseconds) {
  EXPECT_EQ(webhook_signature({kSecret}, kId, kAt + Duration(999), kBody), kSignature);
  EXPECT_EQ(webhook_timestamp(kAt + Duration(999)), "1614265330");
}

TEST(WebhookSignature, SignsWithOldAndNewSecretDuringRotation) {
  const auto other = webhook_signature({kOtherSecret}, kId, kAt, kBody);
  ASSERT_TRUE(other);
  EXPECT_NE(*other, kSignature);
  EXPECT_EQ(webhook_signature({kOtherSecret, kSecret}, kId, kAt, kBody), *other + " " + std::string(kSignature));
}

TEST(WebhookSignature, CoversIdTimestampAndBody) {
  EXPECT_NE(webhook_signature({kSecret}, "msg_other", kAt, kBody), kSignature);
  EXPECT_NE(webhook_signature({kSecret}, kId, kAt + std::chrono::seconds(1), kBody), kSignature);
  EXPECT_NE(webhook_signature({kSecret}, kId, kAt, "{}"), kSignature);
}

TEST(WebhookSignature, AnInvalidSecretIsAnErrorThatDoesNotRepeatIt) {
  EXPECT_FALSE(webhook_signature({}, kId, kAt, kBody));
  for (const char* secret : {"", "whsec_", "whsec_not base64", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_abc"}) {
    const auto refused = webhook_signature({kSecret, Secret(secret)}, kId, kAt, kBody);
    ASSERT_FALSE(refused) << secret;
    EXPECT_EQ(refused.error().message.find("MfKQ9r8"), std::string::npos);
  }
}

}  // namespace
}  // namespace finality
