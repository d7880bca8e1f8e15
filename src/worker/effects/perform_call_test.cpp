#include "worker/effects/perform_call.h"

#include <boost/json/parse.hpp>

#include "worker/effects/send_request.h"
#include "worker/testing/fakes.h"

namespace finality {
namespace {

using namespace fakes;

class PerformCallTest : public testing::Test {
 protected:
  template <class Call>
  void perform(const Call& call) {
    world_.inside([&] {
      perform_call(world_.context, call, world_.in_flight->admit({EffectKind::channel_call, {}, MerchantId{7}}));
    });
  }
  CallResult result() const { return std::get<CallResult>(world_.engine.request(0).cause.trigger); }

  World world_;
};

TEST_F(PerformCallTest, SendsTheChannelsRequestWithTheTimeThatIsLeft) {
  world_.clock.set(kNow + std::chrono::seconds(3));
  perform(channel_call(ChannelCallKind::send_payment));
  ASSERT_EQ(world_.client.count(), 1u);
  const net::Call sent = world_.client.call_at(0);
  EXPECT_EQ(sent.url, "http://upstream/send_payment");
  EXPECT_EQ(sent.method, "POST");
  EXPECT_EQ(sent.body, R"({"asks":"something"})");
  EXPECT_EQ(sent.headers.get("X-Signature"), "a secret thing");
  EXPECT_EQ(sent.timeout, std::chrono::seconds(7));
  EXPECT_FALSE(sent.public_only);
}

TEST_F(PerformCallTest, PassesTheTraceToTheChannelAndToTheResultsCommand) {
  perform(channel_call(ChannelCallKind::send_payment));
  ChannelCall traced = channel_call(ChannelCallKind::send_payment);
  traced.traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  perform(traced);
  EXPECT_EQ(world_.client.call_at(0).headers.get("traceparent"), "");
  EXPECT_EQ(world_.client.call_at(1).headers.get("traceparent"), traced.traceparent);
  world_.client.finish(1, answered(200, "waiting"));
  EXPECT_EQ(world_.engine.request(0).cause.traceparent, traced.traceparent);
}

TEST_F(PerformCallTest, SendsNothingOnceTheDeadlineHasPassed) {
  ChannelCall call = channel_call(ChannelCallKind::send_payment);
  call.deadline = kNow;
  perform(call);
  EXPECT_EQ(world_.client.count(), 0u);
  EXPECT_EQ(world_.engine.count(), 0u);
  EXPECT_EQ(world_.in_flight->count(), 0u);
  EXPECT_EQ(world_.context->counters.effects_late, 1u);
}

TEST_F(PerformCallTest, AnAnswerBecomesEvidence) {
  perform(channel_call(ChannelCallKind::query_payment));
  world_.clock.set(kNow + std::chrono::seconds(1));
  world_.client.finish(0, answered(200, "paid"));
  const auto command = world_.engine.command<RecordEvidence>(0);
  EXPECT_EQ(command.merchant_id, MerchantId{7});
  EXPECT_EQ(command.payment_id, PaymentId{8});
  EXPECT_EQ(command.channel, "fake");
  EXPECT_EQ(command.out_trade_no, "our-number");
  EXPECT_EQ(command.evidence.kind, EvidenceKind::paid);
  EXPECT_EQ(command.evidence.asked_at, kNow);
  EXPECT_EQ(world_.engine.request(0).merchant_id, MerchantId{7});
  EXPECT_EQ(command.evidence.code, "paid");
  EXPECT_EQ(result().call, "query_payment");
  EXPECT_EQ(result().status, 200);
  EXPECT_TRUE(result().called);
}

TEST_F(PerformCallTest, TheExchangeIsRecorded) {
  perform(channel_call(ChannelCallKind::send_payment));
  world_.client.finish(0, answered(400, R"({"code":"NO","openid":"o123"})"));
  const auto exchange = boost::json::parse(world_.engine.request(0).cause.exchange);
  EXPECT_EQ(exchange, boost::json::parse(R"({"request":{"method":"POST","path":"/send_payment",
                                                        "body":{"asks":"something"}},
                                             "response":{"status":400,"body":{"code":"NO","openid":"***"}}})"));
}

TEST_F(PerformCallTest, FieldsHiddenByAChannelAreMaskedInTheExchange) {
  world_.context->options.mask = Mask({.hidden = {"iban"}, .shown = {}});
  perform(channel_call(ChannelCallKind::send_payment));
  world_.client.finish(0, answered(400, R"({"code":"NO","debtor_iban":"DE00"})"));
  EXPECT_TRUE(world_.engine.request(0).cause.exchange.contains(R"("debtor_iban":"***")"));
}

TEST_F(PerformCallTest, AKnownReplyIsReportedImmediately) {
  world_.channel->known = Evidence{.kind = EvidenceKind::waiting,
                                   .asked_at = kNow,
                                   .action_type = ActionType::redirect,
                                   .action_url = "https://pay.example/1"};
  perform(channel_call(ChannelCallKind::send_payment));
  EXPECT_EQ(world_.client.count(), 0u);
  EXPECT_EQ(world_.context->counters.channel_calls, 0u);
  EXPECT_EQ(world_.engine.command<RecordEvidence>(0).evidence.action_url, "https://pay.example/1");
  EXPECT_EQ(result().call, "send_payment");
  EXPECT_FALSE(result().called);
  EXPECT_EQ(world_.engine.request(0).cause.exchange, "");
}

TEST_F(PerformCallTest, WhileTheBreakerIsOpenNothingIsSentAndTheResultRemainsOutstanding) {
  open_breaker(world_);
  for (const ChannelCallKind kind : {ChannelCallKind::send_payment, ChannelCallKind::query_payment}) {
    ChannelCall call = channel_call(kind);
    call.payment.state = PaymentState::processing;
    perform(call);
  }
  EXPECT_EQ(world_.client.count(), 0u);
  EXPECT_EQ(world_.channel->requests_made, 0) << "no signature is computed";
  ASSERT_EQ(world_.engine.count(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    const Evidence evidence = world_.engine.command<RecordEvidence>(i).evidence;
    EXPECT_EQ(evidence.kind, EvidenceKind::unknown);
    EXPECT_EQ(evidence.code, kHeldCode);
  }
  EXPECT_FALSE(result().sent);
  EXPECT_EQ(world_.context->breakers.held("fake"), 2u);
  EXPECT_EQ(world_.engine.unsent(),
            (std::vector<UnsentCall>{{PaymentId{8}, "send_payment"}, {PaymentId{8}, "query_payment"}}))
      << "the clients that wait for these calls are answered";
}

TEST_F(PerformCallTest, WhileTheBreakerIsOpenNoResultBecomesOutstanding) {
  open_breaker(world_);
  for (const PaymentState state : {PaymentState::pending, PaymentState::closed, PaymentState::succeeded}) {
    ChannelCall call = channel_call(ChannelCallKind::query_payment);
    call.payment.state = state;
    perform(call);
  }
  EXPECT_EQ(world_.client.count(), 0u);
  EXPECT_EQ(world_.engine.count(), 0u);
  EXPECT_EQ(world_.in_flight->count(), 0u);
  EXPECT_EQ(world_.engine.unsent(), std::vector<UnsentCall>(3, {PaymentId{8}, "query_payment"}))
      << "the clients that wait for these calls are answered";
}

TEST_F(PerformCallTest, AClientWaitsForTheReplyToARequestThatWasSent) {
  perform(channel_call(ChannelCallKind::send_payment));
  world_.client.finish(0, unanswered("no response"));
  EXPECT_TRUE(world_.engine.unsent().empty());
}

TEST_F(PerformCallTest, OneProbeTestsWhetherTheChannelRespondsAgain) {
  open_breaker(world_);
  world_.clock.set(kNow + limits::kBreakerPauseFirst);
  for (int i = 0; i < 3; ++i) perform(channel_call(ChannelCallKind::query_payment));
  ASSERT_EQ(world_.client.count(), 1u);
  world_.client.finish(0, answered(404, "not_found"));
  EXPECT_EQ(world_.engine.command<RecordEvidence>(0).evidence.kind, EvidenceKind::not_found);
  perform(channel_call(ChannelCallKind::query_payment));
  EXPECT_EQ(world_.client.count(), 2u);
}

TEST_F(PerformCallTest, TimeoutsAndServerErrorsOpenTheBreaker) {
  for (std::size_t i = 0; i < limits::kBreakerConsecutiveFailures; ++i) {
    ChannelCall call = channel_call(ChannelCallKind::send_payment);
    call.payment.out_trade_no = std::to_string(i);
    perform(call);
    world_.client.finish(i, i % 2 == 0 ? unanswered("no response") : answered(500 + static_cast<int>(i)));
  }
  EXPECT_TRUE(world_.context->breakers.is_down("fake", world_.clock.now()));
  EXPECT_FALSE(world_.context->breakers.is_down("another", world_.clock.now()));
}

TEST_F(PerformCallTest, NoResponseIsUnknown) {
  perform(channel_call(ChannelCallKind::send_payment));
  world_.client.finish(0, unanswered("no response from upstream within 10000 ms"));
  EXPECT_EQ(world_.engine.command<RecordEvidence>(0).evidence.kind, EvidenceKind::unknown);
  EXPECT_EQ(result().failure, "no response from upstream within 10000 ms");
  EXPECT_TRUE(result().sent);
  EXPECT_EQ(world_.context->counters.channel_calls_unanswered, 1u);
}

TEST_F(PerformCallTest, DistinguishesQueriesFromOtherCalls) {
  using enum ChannelCallKind;
  const std::pair<ChannelCallKind, CauseKind> cases[] = {{send_payment, CauseKind::channel_reply},
                                                         {close_payment, CauseKind::channel_reply},
                                                         {query_payment, CauseKind::query}};
  for (std::size_t i = 0; i < std::size(cases); ++i) {
    perform(channel_call(cases[i].first));
    world_.client.finish(i, answered(200, "waiting"));
    EXPECT_EQ(world_.engine.request(i).cause.kind, cases[i].second);
  }
}

TEST_F(PerformCallTest, AChannelThatIsNotConfiguredIsReported) {
  ChannelCall call = channel_call(ChannelCallKind::query_payment);
  call.payment.channel = "removed";
  perform(call);
  EXPECT_EQ(world_.client.count(), 0u);
  const Evidence evidence = world_.engine.command<RecordEvidence>(0).evidence;
  EXPECT_EQ(evidence.kind, EvidenceKind::unknown);
  EXPECT_EQ(evidence.code, "channel_not_configured");
  EXPECT_FALSE(result().status);
  EXPECT_FALSE(result().sent);
}

TEST_F(PerformCallTest, IsInFlightUntilItsEvidenceIsDecided) {
  perform(channel_call(ChannelCallKind::send_payment));
  EXPECT_EQ(world_.in_flight->count(), 1u);
  world_.client.finish(0, answered(200, "waiting"));
  EXPECT_EQ(world_.in_flight->count(), 1u);
  world_.engine.reply_to(0);
  EXPECT_EQ(world_.in_flight->count(), 0u);
}

TEST_F(PerformCallTest, AResponseAfterShutdownIsDropped) {
  perform(channel_call(ChannelCallKind::send_payment));
  world_.context->guard.close();
  world_.client.finish(0, answered(200, "paid"));
  EXPECT_EQ(world_.engine.count(), 0u);
  EXPECT_EQ(world_.in_flight->count(), 0u);
}

TEST_F(PerformCallTest, TheTimelineShowsNoSecret) {
  perform(channel_call(ChannelCallKind::send_payment));
  world_.client.finish(0, answered(200, "waiting"));
  EXPECT_EQ(world_.engine.request(0).cause.exchange.find("secret"), std::string::npos);
}

// A reversal can be due on a channel without refunds. It is recorded as refused without a request, which opens a case.
TEST(PerformCall, AChannelWithoutRefundsRefusesWithoutARequest) {
  World world;
  world.channels.push_back(std::make_unique<PlainChannel>());
  EXPECT_FALSE(capabilities_of(*world.channels.back()).refunds);
  const RefundCall call{.kind = RefundCallKind::send_refund,
                        .merchant_id = MerchantId{7},
                        .channel = "plain",
                        .deadline = kNow + std::chrono::seconds(10)};
  world.inside([&] {
    perform_call(world.context, call, world.in_flight->admit({EffectKind::channel_call, {}, MerchantId{7}}));
  });
  EXPECT_EQ(world.client.count(), 0u);
  const auto command = world.engine.command<RecordRefund>(0);
  EXPECT_EQ(command.evidence.kind, RefundEvidenceKind::refused);
  EXPECT_EQ(command.evidence.code, "refunds_not_supported");
  EXPECT_EQ(command.evidence.message, "the channel plain does not support refunds");
}

TEST_F(PerformCallTest, RequestsAboutAuthorizationsBecomeEvidenceAboutThem) {
  using enum AuthorizationCallKind;
  const std::pair<AuthorizationCallKind, CauseKind> cases[] = {{send_authorization, CauseKind::channel_reply},
                                                               {query_authorization, CauseKind::query},
                                                               {close_authorization, CauseKind::channel_reply},
                                                               {release_authorization, CauseKind::channel_reply}};
  for (std::size_t i = 0; i < std::size(cases); ++i) {
    perform(authorization_call(cases[i].first));
    EXPECT_EQ(world_.client.call_at(i).url, "http://upstream/" + std::string(name_of(cases[i].first)));
    world_.client.finish(i, answered(200, "authorized"));
    const auto command = world_.engine.command<RecordAuthorization>(i);
    EXPECT_EQ(command.merchant_id, MerchantId{7});
    EXPECT_EQ(command.order_id, OrderId{5});
    EXPECT_EQ(command.channel, "fake");
    EXPECT_EQ(command.out_trade_no, "our-numbera1");
    EXPECT_EQ(command.evidence.kind, AuthorizationEvidenceKind::authorized);
    EXPECT_EQ(world_.engine.request(i).cause.kind, cases[i].second);
  }
}

TEST_F(PerformCallTest, RequestsAboutCapturesBecomeEvidenceAboutThem) {
  using enum CaptureCallKind;
  for (std::size_t i = 0; const CaptureCallKind kind : {send_capture, query_capture}) {
    perform(capture_call(kind));
    EXPECT_EQ(world_.client.call_at(i).url, "http://upstream/" + std::string(name_of(kind)));
    world_.client.finish(i, answered(200, "paid"));
    const auto command = world_.engine.command<RecordCapture>(i);
    EXPECT_EQ(command.order_id, OrderId{5});
    EXPECT_EQ(command.channel, "fake");
    EXPECT_EQ(command.out_trade_no, "our-numberc1");
    EXPECT_EQ(command.evidence.kind, EvidenceKind::paid);
    EXPECT_EQ(world_.engine.request(i).cause.kind, kind == query_capture ? CauseKind::query : CauseKind::channel_reply);
    ++i;
  }
}

TEST_F(PerformCallTest, AnAuthorizationThatThePayerSubmitsNeedsNoRequest) {
  world_.channel->known_authorization = {.kind = AuthorizationEvidenceKind::waiting,
                                         .action_url = "https://pay.example/1"};
  perform(authorization_call(AuthorizationCallKind::send_authorization));
  EXPECT_EQ(world_.client.count(), 0u);
  EXPECT_EQ(world_.engine.command<RecordAuthorization>(0).evidence.action_url, "https://pay.example/1");
  EXPECT_FALSE(result().called);
}

TEST_F(PerformCallTest, WithoutAResponseTheResultOfACaptureOrReleaseIsUnknown) {
  perform(capture_call(CaptureCallKind::send_capture));
  world_.client.finish(0, unanswered("no response"));
  EXPECT_EQ(world_.engine.command<RecordCapture>(0).evidence.kind, EvidenceKind::unknown);
  perform(authorization_call(AuthorizationCallKind::release_authorization));
  world_.client.finish(1, unanswered("no response"));
  EXPECT_EQ(world_.engine.command<RecordAuthorization>(1).evidence.kind, AuthorizationEvidenceKind::unknown);
}

// A due authorization that holds an amount is only watched: nothing is outstanding while its channel is down.
TEST_F(PerformCallTest, WhileTheBreakerIsOpenCapturesAndReleasesRemainOutstanding) {
  open_breaker(world_);
  AuthorizationCall watched = authorization_call(AuthorizationCallKind::query_authorization);
  watched.authorization.state = AuthorizationState::authorized;
  perform(watched);
  EXPECT_EQ(world_.engine.count(), 0u);
  AuthorizationCall release = authorization_call(AuthorizationCallKind::release_authorization);
  release.authorization.state = AuthorizationState::releasing;
  perform(release);
  perform(capture_call(CaptureCallKind::send_capture));
  EXPECT_EQ(world_.client.count(), 0u);
  ASSERT_EQ(world_.engine.count(), 2u);
  EXPECT_EQ(world_.engine.command<RecordAuthorization>(0).evidence.kind, AuthorizationEvidenceKind::unknown);
  EXPECT_EQ(world_.engine.command<RecordCapture>(1).evidence.kind, EvidenceKind::unknown);
}

// A channel can lose its authorizations, for example by another version of this server.
TEST_F(PerformCallTest, AChannelWithoutAuthorizationsRefusesOnlySends) {
  world_.channels.push_back(std::make_unique<PlainChannel>());
  const auto kind_of = [&](auto call) {
    call.authorization.channel = "plain";
    const std::size_t at = world_.engine.count();
    perform(call);
    using Recorded =
        std::conditional_t<std::is_same_v<decltype(call), CaptureCall>, RecordCapture, RecordAuthorization>;
    const auto evidence = world_.engine.template command<Recorded>(at).evidence;
    EXPECT_EQ(evidence.code, "authorizations_not_supported");
    return evidence.kind;
  };
  using enum AuthorizationCallKind;
  EXPECT_EQ(kind_of(authorization_call(send_authorization)), AuthorizationEvidenceKind::failed);
  for (const AuthorizationCallKind kind : {query_authorization, close_authorization, release_authorization})
    EXPECT_EQ(kind_of(authorization_call(kind)), AuthorizationEvidenceKind::unknown) << name_of(kind);
  EXPECT_EQ(kind_of(capture_call(CaptureCallKind::send_capture)), EvidenceKind::failed);
  EXPECT_EQ(kind_of(capture_call(CaptureCallKind::query_capture)), EvidenceKind::unknown);
  EXPECT_EQ(world_.client.count(), 0u);
}

TEST_F(PerformCallTest, TheEnginePerformsCallsOfTheWallet) {
  AuthorizationCall release = authorization_call(AuthorizationCallKind::release_authorization);
  release.authorization.channel = kWallet;
  release.traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  perform(release);
  CaptureCall capture = capture_call(CaptureCallKind::send_capture);
  capture.authorization.channel = kWallet;
  perform(capture);
  EXPECT_EQ(world_.client.count(), 0u);
  const ObjectRef rows[] = {release.authorization.id, capture.capture.id};
  for (std::size_t i = 0; i < std::size(rows); ++i) {
    const auto command = world_.engine.command<SettleWalletHold>(i);
    EXPECT_EQ(command.merchant_id, MerchantId{7});
    EXPECT_EQ(command.order_id, OrderId{5});
    EXPECT_EQ(command.row, rows[i]);
    EXPECT_EQ(command.currency, capture.capture.currency);
    EXPECT_EQ(world_.engine.request(i).merchant_id, MerchantId{7});
    EXPECT_EQ(world_.engine.request(i).cause.kind, CauseKind::timer);
  }
  EXPECT_EQ(world_.engine.request(0).cause.traceparent, release.traceparent);
}

}  // namespace
}  // namespace finality
