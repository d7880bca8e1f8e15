#include "store/contract/expiry_contract.h"

namespace finality::store_contract {
namespace {

TEST_P(ExpiryContract, DeletesOldRecordsAndKeepsYoungOnes) {
  const std::vector<IdempotencyRecord> old = {this->answer_of_age(2 * kDay), this->answer_of_age(kDay + Duration(1))};
  const std::vector<IdempotencyRecord> young = {this->answer_of_age(kDay - Duration(1)),
                                                this->answer_of_age(Duration(5))};
  this->store(old);
  this->store(young);
  const Expired done = this->expire(this->step());
  EXPECT_EQ(done.idempotency_records, 2u);
  EXPECT_TRUE(done.at_end);
  for (const IdempotencyRecord& answer : old) EXPECT_FALSE(this->has(answer));
  for (const IdempotencyRecord& answer : young) EXPECT_TRUE(this->has(answer));
  EXPECT_EQ(this->expire(this->step()).idempotency_records, 0u);
  EXPECT_EQ(this->rows_by_table().at("idempotency_records"), 2);
}

TEST_P(ExpiryContract, AKeyCanBeReusedAfterItsRecordExpired) {
  IdempotencyRecord answer = this->answer_of_age(2 * kDay);
  this->store(std::vector{answer});
  this->expire(this->step());
  answer.id.value = this->id_of_age(Duration(0));
  this->store(std::vector{answer});
  EXPECT_TRUE(this->has(answer));
}

TEST_P(ExpiryContract, ARecordThatReplacedAnOldOneIsKept) {
  const IdempotencyRecord old = this->answer_of_age(2 * kDay);
  this->store(std::vector{old});
  IdempotencyRecord young = this->answer_of_age(Duration(0));
  young.key_hash = old.key_hash;
  WorkingSet rows = this->load({.idempotency_records = {old.key_hash}});
  rows.idempotency_records.change(old.key_hash) = young;
  rows.accept();
  ASSERT_EQ(this->commit(rows), CommitOutcome::ok);
  this->expire(this->step());
  EXPECT_TRUE(this->has(young));
  EXPECT_EQ(this->rows_by_table().at("idempotency_records"), 1);
}

TEST_P(ExpiryContract, ABatchThatReadADeletedRecordConflicts) {
  const IdempotencyRecord answer = this->answer_of_age(2 * kDay);
  const auto told = this->delivery_of_age(2 * kDay, DeliveryState::delivered);
  this->store(std::vector{answer});
  this->store(told);
  WorkingSet replaces = this->load({.idempotency_records = {answer.key_hash}});
  WorkingSet changes = this->load({.deliveries = {told.rows.delivery.id}});
  this->expire(this->step());
  replaces.idempotency_records.change(answer.key_hash).id.value = this->id_of_age(Duration(0));
  replaces.accept();
  EXPECT_EQ(this->commit(replaces), CommitOutcome::conflict);
  changes.deliveries.change(told.rows.delivery.id).delivery.version += 1;
  changes.accept();
  EXPECT_EQ(this->commit(changes), CommitOutcome::conflict);
  EXPECT_FALSE(this->has(answer));
  EXPECT_FALSE(this->has(told));
}

TEST_P(ExpiryContract, DeletesFinishedDeliveriesWithTheirStepsAndCases) {
  const auto delivered = this->delivery_of_age(2 * kDay, DeliveryState::delivered);
  const auto given_up = this->delivery_of_age(3 * kDay, DeliveryState::given_up);
  const auto young = this->delivery_of_age(Duration(1), DeliveryState::delivered);
  this->store(delivered);
  this->store(given_up);
  this->store(young);
  const Expired done = this->expire(this->step());
  EXPECT_EQ(done.deliveries, 2u);
  EXPECT_FALSE(this->has(delivered));
  EXPECT_FALSE(this->has(given_up));
  EXPECT_TRUE(this->has(young));
}

TEST_P(ExpiryContract, KeepsUnfinishedDeliveries) {
  const auto pending = this->delivery_of_age(2 * kDay, DeliveryState::pending);
  const auto exhausted = this->delivery_of_age(2 * kDay, DeliveryState::exhausted);
  auto with_case = this->delivery_of_age(2 * kDay, DeliveryState::given_up);
  with_case.rows.cases.back().state = CaseState::proposed;
  auto sent_again_of_late = this->delivery_of_age(2 * kDay, DeliveryState::delivered);
  sent_again_of_late.last.at = kBefore;
  for (const auto& told : {pending, exhausted, with_case, sent_again_of_late}) this->store(told);
  const Expired done = this->expire(this->step());
  EXPECT_EQ(done.deliveries, 0u);
  EXPECT_TRUE(done.at_end);
  for (const auto& told : {pending, exhausted, with_case, sent_again_of_late}) EXPECT_TRUE(this->has(told));
}

TEST_P(ExpiryContract, AStepExaminesAtMostItsLimit) {
  std::vector<IdempotencyRecord> answers;
  for (int i = 0; i < 5; ++i) answers.push_back(this->answer_of_age(9 * kDay - i * kDay));
  this->store(answers);
  const auto open = this->delivery_of_age(9 * kDay, DeliveryState::pending);
  const auto done = this->delivery_of_age(8 * kDay, DeliveryState::delivered);
  const auto last = this->delivery_of_age(7 * kDay, DeliveryState::delivered);
  for (const auto& told : {open, done, last}) this->store(told);

  ExpireStep step = this->step(2);
  Expired went = this->expire(step);
  EXPECT_EQ(went.idempotency_records, 2u);
  EXPECT_EQ(went.deliveries, 1u);
  EXPECT_FALSE(went.at_end);
  EXPECT_EQ(went.records_after, answers[1].id);
  EXPECT_EQ(went.deliveries_after, done.rows.delivery.id);
  EXPECT_FALSE(this->has(answers[1]));
  EXPECT_TRUE(this->has(answers[2]));
  EXPECT_TRUE(this->has(last));

  step.records_after = answers[2].id;  // earlier rows are not read
  step.deliveries_after = went.deliveries_after;
  went = this->expire(step);
  EXPECT_TRUE(this->has(answers[2]));
  EXPECT_FALSE(this->has(answers[3]));
  EXPECT_FALSE(this->has(answers[4]));
  EXPECT_FALSE(this->has(last));
  EXPECT_TRUE(this->has(open));
}

TEST_P(ExpiryContract, AFencedSessionDeletesNothing) {
  const IdempotencyRecord answer = this->answer_of_age(2 * kDay);
  this->store(std::vector{answer});
  const auto successor = this->place_->take_over(*this->store_, *this->session_);
  EXPECT_EQ(this->session_->expire(this->step()).result.outcome, CommitOutcome::fenced);
  EXPECT_TRUE(this->has(answer));
  EXPECT_EQ(successor->expire(this->step()).idempotency_records, 1u);
}

}  // namespace
}  // namespace finality::store_contract
