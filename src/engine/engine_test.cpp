#include "engine/engine.h"

#include <filesystem>
#include <thread>

#include "base/crypto/random.h"
#include "engine/test_engine.h"

namespace finality {
namespace {

using namespace test;

std::string code_of(const Reply& reply) { return reply.refusal ? std::string(name_of(reply.refusal->code)) : "ok"; }

class EngineTest : public testing::Test {
 protected:
  StoreScript& script() { return world_.store.script; }
  const EngineCounts& counts() const { return world_.engine->counts(); }
  // Creates a payment of the order whose result is outstanding, and returns its id.
  PaymentId soft_payment(OrderId order) { return PaymentId{world_.execute(world_.payment_for(order)).object->value}; }

  EngineWorld world_;
};

TEST_F(EngineTest, AnswersACommandWithTheObjectAsTheApiShowsIt) {
  const Reply reply = world_.execute(world_.order_request());
  EXPECT_EQ(reply.status, 201);
  EXPECT_NE(reply.body.find(R"("object":"order")"), std::string::npos);
  EXPECT_EQ(reply.object->type, ObjectType::order);
  EXPECT_FALSE(reply.replayed);
}

TEST_F(EngineTest, ARefusalReturnsAProblemAndWritesNothing) {
  const Reply reply = world_.execute(CloseOrder{kMerchant, OrderId{99}});
  EXPECT_EQ(reply.status, 404);
  EXPECT_NE(reply.body.find(R"("code":"not_found")"), std::string::npos);
  EXPECT_NE(reply.body.find(R"("request_id":"req_1")"), std::string::npos);
  EXPECT_EQ(world_.order_count(), 0u);
}

// ---- batches ----

TEST_F(EngineTest, RequestsDuringACommitFormTheNextBatch) {
  script().hold();
  std::vector<std::future<Reply>> replies;
  replies.push_back(world_.submit(world_.order_request()));
  script().wait_for_commit();
  for (int i = 0; i < 100; ++i) replies.push_back(world_.submit(world_.order_request()));
  EXPECT_EQ(world_.engine->queued(), 100u);
  script().release();
  for (auto& reply : replies) EXPECT_EQ(world_.wait(std::move(reply)).status, 201);
  EXPECT_EQ(counts().batches, 2u);
  EXPECT_EQ(counts().commands, 101u);
  EXPECT_EQ(world_.order_count(), 101u);
}

TEST_F(EngineTest, ABatchHasALimit) {
  script().hold();
  std::vector<std::future<Reply>> replies;
  replies.push_back(world_.submit(world_.order_request()));
  script().wait_for_commit();
  for (std::size_t i = 0; i < limits::kBatchCommandsMax + 1; ++i)
    replies.push_back(world_.submit(world_.order_request()));
  script().release();
  for (auto& reply : replies) world_.wait(std::move(reply));
  EXPECT_EQ(counts().batches, 3u);
}

TEST_F(EngineTest, WithinABatchLaterCommandsSeeEarlierDecisions) {
  script().hold();
  auto first = world_.submit(world_.order_request());
  script().wait_for_commit();
  const CreateOrder twice = world_.order_request();
  auto one = world_.submit(twice);
  auto refused = world_.submit(CloseOrder{kMerchant, OrderId{99}});
  auto other = world_.submit(twice);
  script().release();
  const Reply made = world_.wait(std::move(one));
  const Reply same = world_.wait(std::move(other));
  EXPECT_EQ(made.status, 201);
  EXPECT_EQ(same.status, 200);
  EXPECT_EQ(made.object, same.object);
  EXPECT_EQ(code_of(world_.wait(std::move(refused))), "not_found") << "decided in a separate batch";
  EXPECT_EQ(world_.wait(std::move(first)).status, 201);
}

TEST_F(EngineTest, AFullQueueAnswersBusyImmediately) {
  script().hold();
  std::vector<std::future<Reply>> replies;
  replies.push_back(world_.submit(world_.order_request()));
  script().wait_for_commit();
  for (std::size_t i = 0; i < limits::kLaneQueueMax; ++i)
    replies.push_back(world_.submit(CloseOrder{kMerchant, OrderId{99}}));
  auto one_more = world_.submit(world_.keyed(world_.order_request(), "k"));
  ASSERT_TRUE(world_.is_ready(one_more));
  const Reply reply = one_more.get();
  EXPECT_EQ(code_of(reply), "busy");
  EXPECT_EQ(reply.status, 503);
  EXPECT_EQ(counts().busy, 1u);
  script().release();
  for (auto& waiting : replies) world_.wait(std::move(waiting));
  ASSERT_NE(reply.request, nullptr);
  EXPECT_EQ(reply.request->request_id, "req_1");
  EXPECT_EQ(world_.order_count(), 1u);
  EXPECT_EQ(world_.execute(std::move(*reply.request)).status, 201) << "the returned request can be submitted";
  EXPECT_EQ(world_.order_count(), 2u);
}

// ---- effects ----

TEST_F(EngineTest, EffectsArePerformedOnlyOnceTheirCommitIsDurable) {
  const OrderId order = world_.new_order();
  script().hold();
  auto reply = world_.submit(world_.payment_for(order));
  script().wait_for_commit();
  EXPECT_EQ(world_.effect_count(), 0u);
  script().release();
  world_.wait(std::move(reply));
  EXPECT_EQ(world_.effect_count(), 1u);
}

TEST_F(EngineTest, EffectsCarryTheTraceOfTheirRequest) {
  for (const std::string trace : {"one", "", "two"}) {
    Request request = EngineWorld::request_of(world_.payment_for(world_.new_order()));
    request.cause.traceparent = trace;
    world_.execute(std::move(request));
    EXPECT_EQ(std::get<ChannelCall>(world_.effects().back()).traceparent, trace);
  }
  EXPECT_EQ(world_.effect_count(), 3u);
}

TEST_F(EngineTest, AFailedCommitPerformsNoEffects) {
  const OrderId order = world_.new_order();
  script().commits_answer({CommitOutcome::failed});
  EXPECT_EQ(code_of(world_.execute(world_.payment_for(order))), "storage_write_error");
  EXPECT_EQ(world_.effect_count(), 0u);
  EXPECT_TRUE(world_.order(order)->payments.empty());
}

// ---- failures of the store ----

TEST_F(EngineTest, AConflictIsDecidedAgain) {
  script().commits_answer({CommitOutcome::conflict, CommitOutcome::conflict});
  EXPECT_EQ(world_.execute(world_.order_request()).status, 201);
  EXPECT_EQ(counts().conflicts, 2u);
  EXPECT_EQ(world_.order_count(), 1u);
}

TEST_F(EngineTest, RepeatedConflictsReturnBusy) {
  script().commits_answer(std::deque(limits::kConflictTriesMax, CommitOutcome::conflict));
  Reply reply = world_.execute(world_.order_request());
  EXPECT_EQ(code_of(reply), "busy");
  EXPECT_EQ(world_.order_count(), 0u);
  ASSERT_NE(reply.request, nullptr);
  EXPECT_FALSE(reply.request->reply) << "it has been called";
  EXPECT_EQ(world_.execute(std::move(*reply.request)).status, 201) << "the lane accepts the same request again";
  EXPECT_EQ(world_.order_count(), 1u);
}

TEST_F(EngineTest, OnlyATemporaryRefusalReturnsTheRequest) {
  const Reply refused = world_.execute(CloseOrder{kMerchant, OrderId{99}});
  EXPECT_EQ(code_of(refused), "not_found");
  EXPECT_EQ(refused.request, nullptr);
  EXPECT_EQ(world_.execute(world_.order_request()).request, nullptr);
}

TEST_F(EngineTest, AFailedWriteChangesNothingAndIsNotStoredForReplay) {
  const Request request = world_.keyed(world_.order_request(), "k");
  script().commits_answer({CommitOutcome::failed});
  const Reply reply = world_.execute(request);
  EXPECT_EQ(code_of(reply), "storage_write_error");
  EXPECT_EQ(reply.status, 503);
  EXPECT_EQ(world_.order_count(), 0u);
  EXPECT_EQ(world_.execute(request).status, 201);
}

TEST_F(EngineTest, RefusesWritesDuringAFaultAndResumesWithoutARestart) {
  const Request first = world_.keyed(world_.order_request(), "first");
  const Reply before = world_.execute(first);
  EXPECT_EQ(world_.engine->store_fault(), std::nullopt);

  script().set_fault(StoreFault::disk_full);
  const Request second = world_.keyed(world_.order_request(), "second");
  for (int i = 0; i < 3; ++i) EXPECT_EQ(code_of(world_.execute(second)), "storage_write_error");
  EXPECT_EQ(world_.engine->store_fault(), StoreFault::disk_full);
  EXPECT_EQ(world_.execute(first).body, before.body) << "a stored reply needs no write";
  EXPECT_EQ(world_.order_count(), 1u);

  script().set_fault({});
  EXPECT_EQ(world_.execute(second).status, 201) << "the refusal was not stored";
  EXPECT_EQ(world_.engine->store_fault(), std::nullopt);
}

TEST_F(EngineTest, AnIdleLaneFindsThatTheStoreAcceptsWritesAgain) {
  script().set_fault(StoreFault::read_only);
  EXPECT_EQ(code_of(world_.execute(world_.order_request())), "storage_write_error");
  EXPECT_EQ(world_.engine->store_fault(), StoreFault::read_only);
  script().set_fault({});
  const auto deadline = std::chrono::steady_clock::now() + test::kPatience;
  while (world_.engine->store_fault() && std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(world_.engine->store_fault(), std::nullopt);
}

TEST_F(EngineTest, AFailedReadChangesNothing) {
  script().fail_loads(true);
  const Reply reply = world_.execute(world_.order_request());
  EXPECT_EQ(code_of(reply), "storage_read_error");
  EXPECT_EQ(reply.body.find("has failed"), std::string::npos) << "the cause appears in the log only";
  script().fail_loads(false);
  EXPECT_EQ(world_.execute(world_.order_request()).status, 201);
}

TEST(EngineDeathTest, AnUnknownCommitOutcomeAborts) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        EngineWorld world;
        world.store.script.commits_answer({CommitOutcome::lost});
        world.execute(world.order_request());
      },
      "the outcome of the commit is unknown until a restart");
}

TEST_F(EngineTest, AFencedLaneContinuesUnderAnotherNodeNumber) {
  const Reply before = world_.execute(world_.order_request());
  script().commits_answer({CommitOutcome::fenced});
  const Reply after = world_.execute(world_.order_request());
  EXPECT_EQ(after.status, 201);
  EXPECT_NE(node_of_id(before.object->value), node_of_id(after.object->value));
}

// ---- idempotency ----

TEST_F(EngineTest, TheSameKeyAndBodyReplaysTheFirstReplyByteForByte) {
  const Request request = world_.keyed(world_.order_request(), "k");
  const Reply first = world_.execute(request);
  world_.execute(CloseOrder{kMerchant, OrderId{first.object->value}});  // not visible in the replayed reply
  const Reply again = world_.execute(request);
  EXPECT_TRUE(again.replayed);
  EXPECT_EQ(again.status, 201);
  EXPECT_EQ(again.body, first.body);
  EXPECT_EQ(again.object, first.object);
  EXPECT_EQ(world_.order_count(), 1u);
}

// A spike of the wall clock that reaches the engine must not remain in its time: only ids never decrease.
TEST_F(EngineTest, AClockThatWasAheadForAMomentDoesNotDelayLaterQueries) {
  world_.clock.set(kNow + 1h);
  const OrderId before = world_.new_order();
  world_.clock.set(kNow + 1s);
  const OrderId order = world_.new_order();
  const Reply started = world_.execute(world_.payment_for(order));
  ASSERT_TRUE(started.object) << started.body;
  const auto row = world_.order(order);
  EXPECT_EQ(row->order.created_at, kNow + 1s);
  ASSERT_EQ(row->payments.size(), 1u);
  EXPECT_EQ(row->payments.front().created_at, kNow + 1s);
  ASSERT_TRUE(row->payments.front().due_at);
  EXPECT_LT(*row->payments.front().due_at, kNow + 1min) << "the query after a lost reply";
  EXPECT_GT(order.value, before.value);
  EXPECT_GE(time_of_id(order.value), kNow + 1h) << "ids never decrease";
}

TEST_F(EngineTest, TheSameKeyTwiceInOneBatchIsExecutedOnce) {
  script().hold();
  auto head = world_.submit(world_.order_request());
  script().wait_for_commit();
  const Request request = world_.keyed(world_.order_request(), "k");
  auto first = world_.submit(request);
  auto second = world_.submit(request);
  script().release();
  EXPECT_EQ(world_.wait(std::move(first)).body, world_.wait(std::move(second)).body);
  EXPECT_EQ(world_.order_count(), 2u);
}

TEST_F(EngineTest, TheSameKeyWithAnotherBodyIsRejectedWithoutEffect) {
  world_.execute(world_.keyed(world_.order_request(), "k", "one body"));
  const Reply reply = world_.execute(world_.keyed(world_.order_request(), "k", "another"));
  EXPECT_EQ(code_of(reply), "idempotency_key_reused");
  EXPECT_EQ(reply.status, 422);
  EXPECT_EQ(world_.order_count(), 1u);
}

TEST_F(EngineTest, ARecordWithTheFingerprintOfTheBodyIsReplayedAfterAnUpgrade) {
  const Reply first = world_.execute(world_.keyed(world_.order_request(), "k", "body"));
  Request retry = world_.keyed(world_.order_request(), "k", "the whole request");
  retry.idempotency->body_fingerprint = sha256_16("body");
  const Reply again = world_.execute(retry);
  EXPECT_TRUE(again.replayed);
  EXPECT_EQ(again.body, first.body);
  retry.idempotency->body_fingerprint = sha256_16("another");
  EXPECT_EQ(code_of(world_.execute(retry)), "idempotency_key_reused");
}

TEST_F(EngineTest, AKeyExpiresAfterOneDay) {
  Request request = world_.keyed(world_.order_request(), "k", "one body");
  world_.execute(request);
  world_.clock.advance(limits::kIdempotencyKept);
  const Reply reply = world_.execute(world_.keyed(world_.order_request(), "k", "another"));
  EXPECT_EQ(reply.status, 201);
  EXPECT_FALSE(reply.replayed);
}

TEST_F(EngineTest, RefusalsAreStoredAsTheTableSpecifies) {
  const OrderId closed = world_.new_order();
  world_.execute(CloseOrder{kMerchant, closed});
  const Reply kept = world_.execute(world_.keyed(world_.payment_for(closed), "kept"));
  EXPECT_EQ(code_of(kept), "order_not_payable");
  const Reply again = world_.execute(world_.keyed(world_.payment_for(closed), "kept"));
  EXPECT_TRUE(again.replayed);
  EXPECT_EQ(again.status, 409);
  EXPECT_EQ(again.body, kept.body);

  EXPECT_EQ(code_of(world_.execute(world_.keyed(CloseOrder{kMerchant, OrderId{99}}, "lost"))), "not_found");
  EXPECT_FALSE(world_.execute(world_.keyed(CloseOrder{kMerchant, OrderId{99}}, "lost")).replayed);
}

TEST_F(EngineTest, OrderInProgressIsNotStoredSoThatTheSameKeyWorksLater) {
  const OrderId order = world_.new_order();
  const PaymentId soft = soft_payment(order);
  const Request request = world_.keyed(world_.payment_for(order), "k");
  EXPECT_EQ(code_of(world_.execute(request)), "payment_in_progress");
  world_.execute(world_.evidence_command(soft, waiting()));
  EXPECT_EQ(world_.execute(request).status, 201);
}

TEST_F(EngineTest, TheIdempotencyRecordPrecedesARefusalByTheCaller) {
  Request request = world_.keyed(world_.order_request(), "k");
  const Reply first = world_.execute(request);
  request.refuse_with = Refusal{RefusalCode::forbidden, "Operators only.", "overdraft", {}};
  EXPECT_EQ(world_.execute(request).body, first.body);
  request.idempotency->key_hash = sha256_16("another key");
  const Reply refused = world_.execute(request);
  EXPECT_EQ(code_of(refused), "forbidden");
  EXPECT_EQ(refused.status, 403);
  EXPECT_EQ(refused.refusal->param, "overdraft");
  EXPECT_EQ(world_.order_count(), 1u);
  request.refuse_with.reset();
  EXPECT_FALSE(world_.execute(request).replayed) << "the refusal is not stored";
}

TEST_F(EngineTest, ACallerThatMayNotSeeTheStoredReplyGetsTheRefusalInstead) {
  Request request = world_.keyed(world_.order_request(), "k");
  const Reply first = world_.execute(request);
  Request viewer = request;
  viewer.refuse_with = Refusal{RefusalCode::forbidden, "The role does not permit this.", {}, {}};
  viewer.may_replay = false;
  const Reply refused = world_.execute(viewer);
  EXPECT_EQ(code_of(refused), "forbidden");
  EXPECT_FALSE(refused.replayed);
  EXPECT_FALSE(refused.object);
  EXPECT_EQ(world_.execute(request).body, first.body) << "the stored reply is unchanged";
}

TEST_F(EngineTest, AReplayContainsNoSecret) {
  const Request merchant = world_.keyed(Command(CreateMerchant{"Tea", Secret("whsec_dGVh"), Secret("link")}), "m");
  const Request endpoint = world_.keyed(Command(CreateWebhookEndpoint{.merchant_id = kMerchant,
                                                                      .url = "https://shop.example/",
                                                                      .types = {},
                                                                      .acknowledge = {},
                                                                      .secret = Secret("whsec_dGVh")}),
                                        "e");
  for (const Request& request : {merchant, endpoint}) {
    const Reply first = world_.execute(request);
    ASSERT_EQ(first.status, 201) << first.body;
    EXPECT_TRUE(first.body.contains("whsec_dGVh")) << first.body;
    const Reply again = world_.execute(request);
    EXPECT_TRUE(again.replayed);
    EXPECT_EQ(again.status, first.status);
    EXPECT_EQ(again.object, first.object);
    EXPECT_FALSE(again.body.contains("whsec_")) << again.body;
    EXPECT_TRUE(again.body.contains(to_text(*first.object))) << again.body;
  }
  world_.store.script.look([](TestStore& rows) {
    for (const auto& [key, record] : rows.idempotency_records) EXPECT_FALSE(record.body.contains("whsec_"));
    return 0;
  });
}

// ---- replies that wait for a channel ----

class HeldReplyTest : public EngineTest {
 protected:
  HeldReplyTest() {
    order_ = world_.new_order();
    Request request = start();
    request.committed = [this](ObjectRef object, int status) { committed_.set_value({object, status}); };
    reply_ = world_.submit(std::move(request));
    auto [object, status] = committed_.get_future().get();
    payment_ = PaymentId{object.value};
    EXPECT_EQ(status, 201);
  }
  Request start() {
    Request request = world_.keyed(world_.payment_for(order_), "k");
    request.await_answer = true;
    return request;
  }
  void record_evidence(Evidence evidence) { world_.execute(world_.evidence_command(payment_, std::move(evidence))); }

  OrderId order_;
  PaymentId payment_;
  std::promise<std::pair<ObjectRef, int>> committed_;
  std::future<Reply> reply_;
};

TEST_F(HeldReplyTest, IsReleasedByTheChannelsResult) {
  EXPECT_FALSE(world_.is_ready(reply_));
  record_evidence(waiting());
  const Reply reply = world_.wait(std::move(reply_));
  EXPECT_EQ(reply.status, 201);
  EXPECT_EQ(reply.object, ObjectRef(payment_));
  EXPECT_NE(reply.body.find(R"("state":"pending")"), std::string::npos) << reply.body;
}

TEST_F(HeldReplyTest, IsRenderedOnce) {
  const int held = world_.renderer.replies;
  EXPECT_EQ(held, 1) << "the reply of the order only";
  Request request = EngineWorld::request_of(world_.evidence_command(payment_, waiting()));
  std::promise<Reply> recorded;
  // The worker's requests do not set Request::show, so their replies are not rendered.
  request.reply = [&](Reply reply) { recorded.set_value(std::move(reply)); };
  world_.engine->submit(std::move(request));
  const Reply reply = world_.wait(std::move(reply_));
  EXPECT_NE(reply.body.find(R"("state":"pending")"), std::string::npos) << reply.body;
  world_.wait(recorded.get_future());
  EXPECT_EQ(world_.renderer.replies, held + 1);
}

TEST_F(HeldReplyTest, IsNotReleasedWhileTheResultIsOutstanding) {
  record_evidence(unknown());
  EXPECT_FALSE(world_.is_ready(reply_));
  record_evidence(failed());
  EXPECT_NE(world_.wait(std::move(reply_)).body.find(R"("state":"failed")"), std::string::npos);
}

TEST_F(HeldReplyTest, IsReleasedWithTheCurrentObjectIfNoRequestWasSent) {
  record_evidence(unknown());
  EXPECT_FALSE(world_.is_ready(reply_));
  world_.engine->release_unsent(kMerchant, {PaymentId{payment_.value + 1}, "send_payment"});  // another payment
  world_.engine->release_unsent(kMerchant, {payment_, "query_payment"});  // another request about it
  for (int i = 0; i < 2; ++i) world_.new_order();                         // the lane has then handled both
  EXPECT_FALSE(world_.is_ready(reply_));
  world_.engine->release_unsent(kMerchant, {payment_, "send_payment"});
  const Reply reply = world_.wait(std::move(reply_));
  EXPECT_EQ(reply.status, 201);
  EXPECT_TRUE(reply.show_object);
  EXPECT_EQ(reply.object, ObjectRef(payment_));
  EXPECT_EQ(world_.order(order_)->payments[0].state, PaymentState::processing);
  EXPECT_TRUE(world_.execute(start()).replayed) << "the key is no longer in use";
}

TEST_F(HeldReplyTest, ItsKeyIsInUseWhileItIsHeld) {
  const Reply reply = world_.execute(start());
  EXPECT_EQ(code_of(reply), "idempotency_key_in_use");
  EXPECT_EQ(reply.status, 409);
  EXPECT_EQ(world_.order(order_)->payments.size(), 1u);
  record_evidence(waiting());
}

TEST_F(HeldReplyTest, AfterTheReplyARepeatedRequestShowsTheCurrentObject) {
  record_evidence(waiting());
  world_.wait(std::move(reply_));
  const Reply again = world_.execute(start());
  EXPECT_TRUE(again.replayed);
  EXPECT_TRUE(again.show_object);
  EXPECT_EQ(again.status, 201);
  EXPECT_EQ(again.object, ObjectRef(payment_));
}

TEST_F(HeldReplyTest, AfterTheWaitARepeatedRequestShowsTheCurrentObject) {
  world_.clock.advance(limits::kAnswerWait + 1s);
  const Reply again = world_.execute(start());
  EXPECT_TRUE(again.show_object);
  EXPECT_EQ(again.object, ObjectRef(payment_));
  EXPECT_EQ(world_.order(order_)->payments.size(), 1u);
}

TEST_F(HeldReplyTest, DrainingAnswersWithTheCurrentObject) {
  world_.engine->drain();
  const Reply reply = world_.wait(std::move(reply_));
  EXPECT_EQ(reply.status, 201);
  EXPECT_NE(reply.body.find(R"("state":"processing")"), std::string::npos);
}

TEST_F(HeldReplyTest, DrainingAnswersAllHeldReplies) {
  CreateOrder paid_at_once = world_.order_request();
  paid_at_once.payment = PaymentFields{.channel = "sandbox", .method = "redirect"};
  Request request = EngineWorld::request_of(std::move(paid_at_once));
  request.await_answer = true;
  std::promise<void> held;
  request.committed = [&](ObjectRef, int) { held.set_value(); };
  std::future<Reply> of_order = world_.submit(std::move(request));
  held.get_future().get();
  world_.new_order();  // a further batch, so that the lane's rows no longer contain the objects of the held replies
  world_.engine->drain();
  EXPECT_NE(world_.wait(std::move(reply_)).body.find(to_text(payment_)), std::string::npos);
  const Reply reply = world_.wait(std::move(of_order));
  EXPECT_EQ(reply.status, 201);
  EXPECT_NE(reply.body.find(to_text(OrderId{reply.object->value})), std::string::npos) << reply.body;
  EXPECT_NE(reply.body.find(R"("state":"processing")"), std::string::npos) << reply.body;
}

TEST_F(HeldReplyTest, DrainingLetsTheCallerShowAnObjectThatCannotBeRead) {
  script().fail_loads(true);
  world_.engine->drain();
  const Reply reply = world_.wait(std::move(reply_));
  EXPECT_EQ(reply.status, 201);
  EXPECT_TRUE(reply.show_object);
  EXPECT_EQ(reply.object, ObjectRef(payment_));
}

// ---- draining ----

TEST_F(EngineTest, DrainingFinishesQueuedRequestsAndRejectsNewOnes) {
  script().hold();
  std::vector<std::future<Reply>> replies;
  replies.push_back(world_.submit(world_.order_request()));
  script().wait_for_commit();
  for (int i = 0; i < 10; ++i) replies.push_back(world_.submit(world_.order_request()));
  std::thread drainer([this] { world_.engine->drain(); });
  script().release();
  drainer.join();
  for (auto& reply : replies) EXPECT_EQ(world_.wait(std::move(reply)).status, 201);
  EXPECT_EQ(code_of(world_.execute(world_.order_request())), "busy");
}

// ---- invariant violations ----

TEST_F(EngineTest, AnInvariantViolationParksItsOrderAndTheLaneContinues) {
  const OrderId order = world_.new_order();
  const PaymentId payment = soft_payment(order);
  script().look([&](TestStore& rows) {  // corrupts the row, as a disk error or a manual change could
    rows.orders.at(order).order.state = OrderState::succeeded;
    return 0;
  });
  const Reply reply = world_.execute(world_.evidence_command(payment, waiting()));
  EXPECT_EQ(code_of(reply), "illegal_transition");
  EXPECT_EQ(world_.execute(world_.order_request()).status, 201);  // runs after the parking command
  EXPECT_EQ(counts().parked, 1u);
  const OrderAggregate parked = *world_.order(order);
  EXPECT_TRUE(parked.order.parked);
  EXPECT_EQ(parked.payments[0].state, PaymentState::processing) << "the violating decision is rolled back";
  ASSERT_EQ(parked.cases.size(), 1u);
  EXPECT_EQ(parked.cases[0].kind, CaseKind::invariant_violation);
  EXPECT_NE(parked.cases[0].evidence.find("is succeeded with 0 succeeded payments"), std::string::npos);
}

// ---- over the embedded store ----

class Directory {
 public:
  Directory() : path_(std::filesystem::temp_directory_path() / ("finality-engine-" + random_hex(8))) {
    std::filesystem::create_directory(path_);
  }
  ~Directory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string url() const { return "sqlite:" + (path_ / "finality.db").string(); }

 private:
  std::filesystem::path path_;
};

TEST(EngineOverSqlite, AfterAClockThatWasAheadARestartedEngineHasTheRightTime) {
  const Directory directory;
  MerchantId merchant;
  std::int64_t last_id = 0;
  for (const Time now : {kNow + 1h, kNow + 1s}) {
    auto store = open_store({.url = directory.url()});
    ASSERT_TRUE(store.has_value()) << store.error().message;
    EngineWorld world(store->get());
    world.clock.set(now);
    if (last_id == 0)
      merchant = {world.execute(CreateMerchant{"Tea", Secret("whsec_dGVh"), Secret("link")}).object->value};
    CreateOrder command = world.order_request();
    command.merchant_id = merchant;
    command.merchant_order_no = to_rfc3339(now);
    Request request = EngineWorld::request_of(command);
    request.merchant_id = merchant;
    const OrderId id{world.execute(request).object->value};
    EXPECT_GT(id.value, last_id);
    last_id = id.value;
    auto reader = (*store)->open_reader();
    ASSERT_TRUE(reader.has_value()) << reader.error().message;
    const auto order = (*reader)->order(id);
    ASSERT_TRUE(order.has_value() && order->has_value());
    EXPECT_EQ((*order)->order.created_at, now);
    EXPECT_EQ((*order)->order.due_at, (*order)->order.expires_at);
    world.engine->drain();
    const auto report = (*store)->audit();
    ASSERT_TRUE(report.has_value());
    EXPECT_TRUE(report->violations.empty());
  }
}

TEST(EngineOverSqlite, AfterARestartARepeatedRequestIsReplayedByteForByte) {
  const Directory directory;
  std::string first_body;
  Request request;
  for (const bool restarted : {false, true}) {
    auto store = open_store({.url = directory.url()});
    ASSERT_TRUE(store.has_value()) << store.error().message;
    EngineWorld world(store->get());
    if (!restarted) {
      const Reply merchant = world.execute(CreateMerchant{"Tea", Secret("whsec_dGVh"), Secret("link")});
      const Reply account = world.execute(RegisterChannelAccount{.channel = "sandbox", .kind = "sandbox"});
      world.policy.accounts["sandbox"] = {.id = ChannelAccountId{account.object->value}, .channel = "sandbox"};
      CreateOrder order = world.order_request();
      order.merchant_id = MerchantId{merchant.object->value};
      order.payment = PaymentFields{.channel = "sandbox", .method = "redirect"};
      request = world.keyed(order, "k");
      request.merchant_id = order.merchant_id;
      first_body = world.execute(request).body;
      EXPECT_NE(first_body.find(R"("state":"processing")"), std::string::npos);
    } else {
      const Reply again = world.execute(request);
      EXPECT_TRUE(again.replayed);
      EXPECT_EQ(again.body, first_body);
    }
    world.engine->drain();
    const auto report = (*store)->audit();
    ASSERT_TRUE(report.has_value());
    EXPECT_TRUE(report->violations.empty());
  }
}

}  // namespace
}  // namespace finality
