#include "worker/effects/perform_delivery.h"

#include "base/testing/recorded_log.h"
#include "worker/effects/webhook_signature.h"
#include "worker/testing/fakes.h"

namespace finality {
namespace {

using namespace fakes;
using namespace std::chrono_literals;

class PerformDeliveryTest : public testing::Test {
 protected:
  void perform(const DeliveryAttempt& attempt) {
    world_.inside([&] {
      perform_delivery(world_.context, attempt, world_.in_flight->admit({EffectKind::delivery, {}, MerchantId{7}}));
    });
  }

  World world_;
};

TEST_F(PerformDeliveryTest, SendsASignedNotification) {
  const DeliveryAttempt attempt = delivery_attempt();
  perform(attempt);
  ASSERT_EQ(world_.client.count(), 1u);
  const net::Call call = world_.client.call_at(0);
  EXPECT_EQ(call.url, "https://shop.example/hook");
  EXPECT_EQ(call.method, "POST");
  EXPECT_EQ(call.body, attempt.delivery.body);
  EXPECT_EQ(call.headers.get("content-type"), "application/json");
  EXPECT_EQ(call.headers.get("user-agent"), "Finality/1.2.3");
  const std::string id = to_text(DeliveryId{9});
  EXPECT_TRUE(id.starts_with("msg_"));
  EXPECT_EQ(call.headers.get("webhook-id"), id);
  EXPECT_EQ(call.headers.get("webhook-timestamp"), "1790000000");
  EXPECT_EQ(call.headers.get("webhook-signature"), webhook_signature(attempt.secrets, id, kNow, call.body));
}

TEST_F(PerformDeliveryTest, ABodyThatAnEarlierVersionStoredIsSentWithoutFieldsForOperators) {
  DeliveryAttempt attempt = delivery_attempt();
  attempt.delivery.body =
      R"({"type":"case.opened","timestamp":"t","data":{"id":"cas_1","object":"case","evidence":[{"key":"key_1"}],)"
      R"("note":"a private note","created_at":"t"}})";
  perform(attempt);
  const net::Call call = world_.client.call_at(0);
  EXPECT_EQ(call.body,
            R"({"type":"case.opened","timestamp":"t","data":{"id":"cas_1","object":"case","created_at":"t"}})");
  EXPECT_EQ(call.headers.get("webhook-signature"),
            webhook_signature(attempt.secrets, to_text(DeliveryId{9}), kNow, call.body));
}

TEST_F(PerformDeliveryTest, PassesTheTraceOn) {
  DeliveryAttempt attempt = delivery_attempt();
  attempt.traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  perform(attempt);
  EXPECT_EQ(world_.client.call_at(0).headers.get("traceparent"), attempt.traceparent);
}

TEST_F(PerformDeliveryTest, TheNextAttemptKeepsItsIdAndHasANewSignature) {
  perform(delivery_attempt());
  world_.clock.set(kNow + 4s);
  perform(delivery_attempt());
  const net::Call first = world_.client.call_at(0);
  const net::Call second = world_.client.call_at(1);
  EXPECT_EQ(first.headers.get("webhook-id"), second.headers.get("webhook-id"));
  EXPECT_EQ(second.headers.get("webhook-timestamp"), "1790000004");
  EXPECT_NE(first.headers.get("webhook-signature"), second.headers.get("webhook-signature"));
}

TEST_F(PerformDeliveryTest, TheSignatureStatesTheTimeOfTheMachine) {
  TestClock machine(kNow - 24h);
  world_.context->options.signing_clock = &machine;
  const DeliveryAttempt attempt = delivery_attempt();
  perform(attempt);
  const net::Call call = world_.client.call_at(0);
  EXPECT_EQ(call.headers.get("webhook-timestamp"), webhook_timestamp(kNow - 24h));
  EXPECT_EQ(call.headers.get("webhook-signature"),
            webhook_signature(attempt.secrets, to_text(DeliveryId{9}), kNow - 24h, call.body));
}

TEST_F(PerformDeliveryTest, IsSentOnlyToPublicAndAllowedAddresses) {
  world_.policy.allow_private = {"127.0.0.1"};
  perform(delivery_attempt());
  EXPECT_TRUE(world_.client.call_at(0).public_only);
  EXPECT_EQ(world_.client.call_at(0).allow_private, std::vector<std::string>{"127.0.0.1"});
}

TEST_F(PerformDeliveryTest, TimeoutIsTheDeadlineOrThePolicysTimeout) {
  world_.policy.webhook_timeout = 15s;
  DeliveryAttempt attempt = delivery_attempt();
  attempt.deadline = kNow + 10s;
  perform(attempt);
  EXPECT_EQ(world_.client.call_at(0).timeout, 10s);
  attempt.deadline = kNow + 60s;
  perform(attempt);
  EXPECT_EQ(world_.client.call_at(1).timeout, 15s);
  attempt.deadline = kNow;
  perform(attempt);
  EXPECT_EQ(world_.client.count(), 2u);
  EXPECT_EQ(world_.context->counters.effects_late, 1u);
}

TEST_F(PerformDeliveryTest, TheResultIsReportedToTheEngine) {
  perform(delivery_attempt());
  world_.client.finish(0, answered(204));
  const auto result = world_.engine.command<RecordDelivery>(0);
  EXPECT_EQ(result.merchant_id, MerchantId{7});
  EXPECT_EQ(result.delivery_id, DeliveryId{9});
  EXPECT_TRUE(result.acknowledged);
  EXPECT_EQ(result.status, 204);
  EXPECT_EQ(world_.engine.request(0).merchant_id, MerchantId{7});
  EXPECT_EQ(world_.engine.request(0).cause.kind, CauseKind::timer);
  EXPECT_EQ(world_.context->counters.deliveries_acknowledged, 1u);
  EXPECT_EQ(world_.in_flight->count(), 1u);
  world_.engine.reply_to(0);
  EXPECT_EQ(world_.in_flight->count(), 0u);
}

TEST_F(PerformDeliveryTest, NamesTheMerchantThatChoseTheUrl) {
  perform(delivery_attempt());
  EXPECT_EQ(world_.client.call_at(0).url_owner, 7);
}

TEST_F(PerformDeliveryTest, AnAttemptOverALimitOfTheClientIsPostponedAndNotRecorded) {
  DeliveryAttempt attempt = delivery_attempt();
  attempt.delivery.due_at = attempt.deadline + limits::kEffectMargin;
  perform(attempt);
  world_.client.finish(0, {.failure = "too many look-ups of host names in progress", .over_limit = true});
  EXPECT_EQ(world_.engine.count(), 0u);
  EXPECT_EQ(world_.context->counters.deliveries_postponed, 1u);
  EXPECT_EQ(world_.context->counters.deliveries, 0u) << "no attempt was made";
  EXPECT_EQ(world_.in_flight->count(), 0u);
}

TEST_F(PerformDeliveryTest, AResendOverALimitOfTheClientIsRecordedBecauseItsRowIsNotDueAgain) {
  perform(delivery_attempt());
  world_.client.finish(0, {.failure = "too many look-ups of host names in progress", .over_limit = true});
  EXPECT_EQ(world_.engine.command<RecordDelivery>(0).error, "too many look-ups of host names in progress");
  EXPECT_EQ(world_.context->counters.deliveries_postponed, 0u);
  EXPECT_EQ(world_.context->counters.deliveries, 1u);
}

TEST_F(PerformDeliveryTest, AFailedAttemptIsOneLineOfTheLogWithoutTheUrl) {
  const RecordedLog log;
  DeliveryAttempt attempt = delivery_attempt();
  attempt.delivery.url = "https://shop.example/hook?token=hidden";
  attempt.delivery.type = "order.succeeded";
  perform(attempt);
  world_.client.finish(0, answered(503));
  EXPECT_EQ(log.text(), "msg=\"webhook delivery failed\" delivery=" + to_text(DeliveryId{9}) +
                            " merchant=" + to_text(MerchantId{7}) +
                            " type=order.succeeded host=shop.example attempt=1 error=\"status 503\"\n");
}

TEST_F(PerformDeliveryTest, WithoutAUsableSecretNothingIsSent) {
  DeliveryAttempt attempt = delivery_attempt();
  attempt.secrets = {Secret("not a webhook secret")};
  perform(attempt);
  EXPECT_EQ(world_.client.count(), 0u);
  const auto result = world_.engine.command<RecordDelivery>(0);
  EXPECT_FALSE(result.acknowledged);
  EXPECT_FALSE(result.status);
  EXPECT_EQ(result.error, "not sent: a webhook secret must start with whsec_");
}

TEST(ResultOfDelivery, OnlyTheConfiguredResponseAcknowledges) {
  struct Case {
    Acknowledge acknowledge;
    int status;
    const char* body;
    bool acknowledged;
    const char* error;
  };
  using enum Acknowledge;
  const Case cases[] = {
      {status, 200, "", true, ""},
      {status, 204, "", true, ""},
      {status, 299, "fail", true, ""},
      {status, 302, "", false, "status 302, and redirects are not followed"},
      {status, 404, "success", false, "status 404"},
      {status, 500, "", false, "status 500"},
      {success_body, 200, "success", true, ""},
      {success_body, 201, "success", true, ""},
      {success_body, 200, "success\n", false, "status 200, but the body is not exactly `success`"},
      {success_body, 200, "\"success\"", false, "status 200, but the body is not exactly `success`"},
      {success_body, 204, "", false, "status 204, but the body is not exactly `success`"},
      {success_body, 500, "success", false, "status 500"},
  };
  for (const Case& row : cases) {
    Delivery delivery;
    delivery.acknowledge = row.acknowledge;
    const RecordDelivery result = result_of_delivery(delivery, answered(row.status, row.body), kNow);
    EXPECT_EQ(result.acknowledged, row.acknowledged) << row.status << ' ' << row.body;
    EXPECT_EQ(result.status, row.status);
    EXPECT_EQ(result.error, row.error);
    EXPECT_FALSE(result.gone);
  }
}

TEST(ResultOfDelivery, NoResponseHasNoStatus) {
  const RecordDelivery result =
      result_of_delivery({}, unanswered("address not allowed: shop.example is at 10.0.0.1, which is not public"), kNow);
  EXPECT_FALSE(result.acknowledged);
  EXPECT_FALSE(result.status);
  EXPECT_EQ(result.error, "address not allowed: shop.example is at 10.0.0.1, which is not public");
}

TEST(ResultOfDelivery, PassesOnRetryAfterAndGone) {
  net::CallResult outcome = answered(429);
  outcome.response.headers.add("retry-after", "120");
  EXPECT_EQ(result_of_delivery({}, outcome, kNow).retry_after, 120s);
  outcome.response.status = 200;
  EXPECT_FALSE(result_of_delivery({}, outcome, kNow).retry_after);
  EXPECT_TRUE(result_of_delivery({}, answered(410), kNow).gone);
}

}  // namespace
}  // namespace finality
