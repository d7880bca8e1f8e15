#include "store/contract/expiry_contract.h"

namespace finality::store_contract {
namespace {

TEST_P(ExpiryContract, DeletesOldRecordsAndKeepsYoungOnes) {
  const std::vector<IdempotencyRecord> old = {this->record_of_age(2 * kDay), this->record_of_age(kDay + Duration(1))};
  const std::vector<IdempotencyRecord> young = {this->record_of_age(kDay - Duration(1)),
                                                this->record_of_age(Duration(5))};
  this->store(old);
  this->store(young);
  const Expired done = this->expire(this->step());
  EXPECT_EQ(done.idempotency_records, 2u);
  EXPECT_TRUE(done.at_end);
  for (const IdempotencyRecord& record : old) EXPECT_FALSE(this->has(record));
  for (const IdempotencyRecord& record : young) EXPECT_TRUE(this->has(record));
  EXPECT_EQ(this->expire(this->step()).idempotency_records, 0u);
  EXPECT_EQ(this->rows_by_table().at("idempotency_records"), 2);
}

TEST_P(ExpiryContract, AKeyCanBeReusedAfterItsRecordExpired) {
  IdempotencyRecord record = this->record_of_age(2 * kDay);
  this->store(std::vector{record});
  this->expire(this->step());
  record.id.value = this->id_of_age(Duration(0));
  this->store(std::vector{record});
  EXPECT_TRUE(this->has(record));
}

TEST_P(ExpiryContract, ARecordThatReplacedAnOldOneIsKept) {
  const IdempotencyRecord old = this->record_of_age(2 * kDay);
  this->store(std::vector{old});
  IdempotencyRecord young = this->record_of_age(Duration(0));
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
  const IdempotencyRecord record = this->record_of_age(2 * kDay);
  const auto told = this->delivery_of_age(2 * kDay, DeliveryState::delivered);
  this->store(std::vector{record});
  this->store(told);
  WorkingSet replaces = this->load({.idempotency_records = {record.key_hash}});
  WorkingSet changes = this->load({.deliveries = {told.rows.delivery.id}});
  this->expire(this->step());
  replaces.idempotency_records.change(record.key_hash).id.value = this->id_of_age(Duration(0));
  replaces.accept();
  EXPECT_EQ(this->commit(replaces), CommitOutcome::conflict);
  changes.deliveries.change(told.rows.delivery.id).delivery.version += 1;
  changes.accept();
  EXPECT_EQ(this->commit(changes), CommitOutcome::conflict);
  EXPECT_FALSE(this->has(record));
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
  std::vector<IdempotencyRecord> records;
  for (int i = 0; i < 5; ++i) records.push_back(this->record_of_age(9 * kDay - i * kDay));
  this->store(records);
  const auto open = this->delivery_of_age(9 * kDay, DeliveryState::pending);
  const auto done = this->delivery_of_age(8 * kDay, DeliveryState::delivered);
  const auto last = this->delivery_of_age(7 * kDay, DeliveryState::delivered);
  for (const auto& told : {open, done, last}) this->store(told);

  ExpireStep step = this->step(2);
  Expired expired = this->expire(step);
  EXPECT_EQ(expired.idempotency_records, 2u);
  EXPECT_EQ(expired.deliveries, 1u);
  EXPECT_FALSE(expired.at_end);
  EXPECT_EQ(expired.records_after, records[1].id);
  EXPECT_EQ(expired.deliveries_after, done.rows.delivery.id);
  EXPECT_FALSE(this->has(records[1]));
  EXPECT_TRUE(this->has(records[2]));
  EXPECT_TRUE(this->has(last));

  step.records_after = records[2].id;  // records with an id up to this one are not examined
  step.deliveries_after = expired.deliveries_after;
  expired = this->expire(step);
  EXPECT_TRUE(this->has(records[2]));
  EXPECT_FALSE(this->has(records[3]));
  EXPECT_FALSE(this->has(records[4]));
  EXPECT_FALSE(this->has(last));
  EXPECT_TRUE(this->has(open));
}

TEST_P(ExpiryContract, DeletesOldFilesOfComparedAndRejectedStatements) {
  const Statement old = this->statement_of_age(2 * kDay);
  const Statement rejected = this->statement_of_age(3 * kDay, StatementState::rejected);
  const Statement young = this->statement_of_age(Duration(1));
  Statement late = this->statement_of_age(2 * kDay);  // expected long ago, but received now
  late.received_at = kNow;
  for (const Statement& row : {old, rejected, young, late}) this->store(row);
  const Expired done = this->expire(this->step());
  EXPECT_EQ(done.files, 2u);
  EXPECT_TRUE(done.at_end);
  EXPECT_FALSE(this->has_file(old));
  EXPECT_FALSE(this->has_file(rejected));
  EXPECT_TRUE(this->has_file(young));
  EXPECT_TRUE(this->has_file(late));
  EXPECT_EQ(this->expire(this->step()).files, 0u);
}

TEST_P(ExpiryContract, KeepsTheFileWhileAnotherVersionOfItsDayIsCompared) {
  const Statement old = this->statement_of_age(3 * kDay);
  Statement next = this->statement_of_age(2 * kDay, StatementState::received);
  next.channel_account_id = old.channel_account_id;
  next.kind = old.kind;
  next.funds_account = old.funds_account;
  next.date = old.date;
  Statement again = this->statement_of_age(2 * kDay);
  again.is_fetched_again = true;
  for (const Statement& row : {old, next, again}) this->store(row);
  EXPECT_EQ(this->expire(this->step()).files, 0u);
  for (const Statement& row : {old, next, again}) EXPECT_TRUE(this->has_file(row));
}

TEST_P(ExpiryContract, AFileWithoutWorkExpiresInEveryState) {
  for (std::size_t i = 0; i < kCount<StatementState>; ++i) {
    const auto state = static_cast<StatementState>(i);
    const Statement row = this->statement_of_age(2 * kDay, state);
    this->store(row);
    const bool expires = statement_machine.due_effect(state) == StatementEffect::none;
    EXPECT_EQ(this->expire(this->step()).files, expires ? 1U : 0U) << name_of(state);
    EXPECT_EQ(this->has_file(row), !expires) << name_of(state);
  }
}

TEST_P(ExpiryContract, AnExpiredFileIsStoredAgain) {
  const Statement rejected = this->statement_of_age(2 * kDay, StatementState::rejected);
  this->store(rejected);
  EXPECT_EQ(this->expire(this->step()).files, 1U);
  ASSERT_EQ(this->store_again(rejected, 2, "new"), CommitOutcome::ok);
  EXPECT_EQ(this->file_of(rejected), (std::vector<std::string>{"new", "new", ""}));
  EXPECT_EQ(this->expire(this->step()).files, 0U) << "it was received again";
}

TEST_P(ExpiryContract, AFileThatIsStoredAgainReplacesTheStoredParts) {
  const Statement rejected = this->statement_of_age(2 * kDay, StatementState::rejected);
  const Statement other = this->statement_of_age(2 * kDay, StatementState::rejected);
  for (const Statement& row : {rejected, other}) this->store(row);
  ASSERT_EQ(this->store_again(rejected, 1, "new"), CommitOutcome::ok);
  EXPECT_EQ(this->file_of(rejected), (std::vector<std::string>{"new", "", ""}));
  EXPECT_EQ(this->file_of(other), (std::vector<std::string>{"part", "part", ""}));
}

TEST_P(ExpiryContract, AStepExaminesFilesUpToItsLimit) {
  std::vector<Statement> rows;
  for (int i = 0; i < 3; ++i) {
    rows.push_back(this->statement_of_age(9 * kDay - i * kDay));
    this->store(rows.back());
  }
  ExpireStep step = this->step();
  step.files_limit = 2;
  const Expired first = this->expire(step);
  EXPECT_EQ(first.files, 2u);
  EXPECT_FALSE(first.at_end);
  EXPECT_EQ(first.files_after, rows[1].id);
  EXPECT_TRUE(this->has_file(rows[2]));
  step.files_after = first.files_after;
  EXPECT_EQ(this->expire(step).files, 1u);
  EXPECT_FALSE(this->has_file(rows[2]));
}

TEST_P(ExpiryContract, AFencedSessionDeletesNothing) {
  const IdempotencyRecord record = this->record_of_age(2 * kDay);
  this->store(std::vector{record});
  const auto successor = this->place_->take_over(*this->store_, *this->session_);
  EXPECT_EQ(this->session_->expire(this->step()).result.outcome, CommitOutcome::fenced);
  EXPECT_TRUE(this->has(record));
  EXPECT_EQ(successor->expire(this->step()).idempotency_records, 1u);
}

}  // namespace
}  // namespace finality::store_contract
