// What every store must pass, part four: what was kept long enough goes, and nothing else. How it is instantiated:
// store/store_contract.h.
#pragma once

#include "store/store_contract.h"

namespace finality::store_contract {

inline const Time kBefore = kNow - std::chrono::hours(24);  // what is older goes
inline constexpr Duration kDay = std::chrono::hours(24);

template <class Place>
class ExpiryContract : public StoreContract<Place> {
 protected:
  /// The first id made `age` before now, and the next ones.
  std::int64_t id_of_age(Duration age) { return first_id_at(kNow - age) + this->filler_.number(); }

  Answer answer_of_age(Duration age) {
    Answer answer = this->filler_.template row<Answer>();
    answer.id.value = id_of_age(age);
    return answer;
  }
  void store(const std::vector<Answer>& answers) {
    Needs needs;
    for (const Answer& answer : answers) needs.answers.push_back(answer.key_hash);
    WorkingSet rows = this->load(needs);
    for (const Answer& answer : answers) rows.answers.insert(answer.key_hash, answer);
    rows.accept();
    ASSERT_EQ(this->commit(rows), CommitOutcome::ok);
  }
  bool has(const Answer& answer) {
    const WorkingSet rows = this->load({.answers = {answer.key_hash}});
    const Answer* found = rows.answers.find(answer.key_hash);
    return found != nullptr && found->id == answer.id;
  }

  /// A delivery that was made `age` ago, with one case and one event of that time.
  struct Told {
    DeliveryAggregate rows;
    Event last;
  };
  Told delivery_of_age(Duration age, DeliveryState state) {
    Told told{make_delivery(this->filler_), this->filler_.template row<Event>()};
    Delivery& delivery = told.rows.delivery;
    delivery.id.value = id_of_age(age);
    delivery.created_at = kNow - age;
    delivery.state = state;
    for (Case& row : told.rows.cases) {
      row.root_id = delivery.id.value;
      row.merchant_id = delivery.merchant_id;
      row.state = CaseState::resolved;
    }
    told.last.root_id = delivery.id.value;
    told.last.merchant_id = delivery.merchant_id;
    told.last.at = kNow - age;
    return told;
  }
  void store(const Told& told) {
    WorkingSet rows = this->load({.deliveries = {told.rows.delivery.id}});
    rows.deliveries.insert(told.rows.delivery.id, told.rows);
    rows.events.push_back(told.last);
    rows.accept();
    ASSERT_EQ(this->commit(rows), CommitOutcome::ok);
  }
  bool has(const Told& told) {
    const DeliveryId id = told.rows.delivery.id;
    const bool there = must(this->reader_->delivery(id)).has_value();
    EXPECT_EQ(must(this->reader_->events(id.value, {}, {}, true)).rows.size(), there ? 1u : 0u);
    for (const Case& row : told.rows.cases) EXPECT_EQ(must(this->reader_->find_case(row.id)).has_value(), there);
    return there;
  }

  ExpireStep step(std::size_t limit = 100) const {
    return {.answers_before = kBefore, .deliveries_before = kBefore, .limit = limit};
  }
  Expired expire(const ExpireStep& step) {
    Expired done = this->session_->expire(step);
    EXPECT_EQ(done.result.outcome, CommitOutcome::ok) << done.result.message;
    return done;
  }
};

TYPED_TEST_SUITE_P(ExpiryContract);

TYPED_TEST_P(ExpiryContract, OldAnswersGoAndYoungOnesStay) {
  const std::vector<Answer> old = {this->answer_of_age(2 * kDay), this->answer_of_age(kDay + Duration(1))};
  const std::vector<Answer> young = {this->answer_of_age(kDay - Duration(1)), this->answer_of_age(Duration(5))};
  this->store(old);
  this->store(young);
  const Expired done = this->expire(this->step());
  EXPECT_EQ(done.answers, 2u);
  EXPECT_TRUE(done.at_end);
  for (const Answer& answer : old) EXPECT_FALSE(this->has(answer));
  for (const Answer& answer : young) EXPECT_TRUE(this->has(answer));
  EXPECT_EQ(this->expire(this->step()).answers, 0u);
  EXPECT_EQ(this->rows_by_table().at("answers"), 2);
}

TYPED_TEST_P(ExpiryContract, AKeyWhoseAnswerIsGoneIsNew) {
  Answer answer = this->answer_of_age(2 * kDay);
  this->store(std::vector{answer});
  this->expire(this->step());
  answer.id.value = this->id_of_age(Duration(0));
  this->store(std::vector{answer});
  EXPECT_TRUE(this->has(answer));
}

TYPED_TEST_P(ExpiryContract, AnAnswerThatReplacedAnOldOneStays) {
  const Answer old = this->answer_of_age(2 * kDay);
  this->store(std::vector{old});
  Answer young = this->answer_of_age(Duration(0));
  young.key_hash = old.key_hash;
  WorkingSet rows = this->load({.answers = {old.key_hash}});
  rows.answers.change(old.key_hash) = young;
  rows.accept();
  ASSERT_EQ(this->commit(rows), CommitOutcome::ok);
  this->expire(this->step());
  EXPECT_TRUE(this->has(young));
  EXPECT_EQ(this->rows_by_table().at("answers"), 1);
}

TYPED_TEST_P(ExpiryContract, ABatchThatReadWhatIsGoneIsDecidedAgain) {
  const Answer answer = this->answer_of_age(2 * kDay);
  const auto told = this->delivery_of_age(2 * kDay, DeliveryState::delivered);
  this->store(std::vector{answer});
  this->store(told);
  WorkingSet replaces = this->load({.answers = {answer.key_hash}});
  WorkingSet changes = this->load({.deliveries = {told.rows.delivery.id}});
  this->expire(this->step());
  replaces.answers.change(answer.key_hash).id.value = this->id_of_age(Duration(0));
  replaces.accept();
  EXPECT_EQ(this->commit(replaces), CommitOutcome::conflict);
  changes.deliveries.change(told.rows.delivery.id).delivery.version += 1;
  changes.accept();
  EXPECT_EQ(this->commit(changes), CommitOutcome::conflict);
  EXPECT_FALSE(this->has(answer));
  EXPECT_FALSE(this->has(told));
}

TYPED_TEST_P(ExpiryContract, FinishedDeliveriesGoWithTheirStepsAndCases) {
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

TYPED_TEST_P(ExpiryContract, ADeliveryThatIsNotOverStays) {
  const auto pending = this->delivery_of_age(2 * kDay, DeliveryState::pending);
  const auto exhausted = this->delivery_of_age(2 * kDay, DeliveryState::exhausted);
  auto on_the_desk = this->delivery_of_age(2 * kDay, DeliveryState::given_up);
  on_the_desk.rows.cases.back().state = CaseState::proposed;
  auto sent_again_of_late = this->delivery_of_age(2 * kDay, DeliveryState::delivered);
  sent_again_of_late.last.at = kBefore;
  for (const auto& told : {pending, exhausted, on_the_desk, sent_again_of_late}) this->store(told);
  const Expired done = this->expire(this->step());
  EXPECT_EQ(done.deliveries, 0u);
  EXPECT_TRUE(done.at_end);
  for (const auto& told : {pending, exhausted, on_the_desk, sent_again_of_late}) EXPECT_TRUE(this->has(told));
}

TYPED_TEST_P(ExpiryContract, AStepLooksAtNoMoreThanItMay) {
  std::vector<Answer> answers;
  for (int i = 0; i < 5; ++i) answers.push_back(this->answer_of_age(9 * kDay - i * kDay));
  this->store(answers);
  const auto open = this->delivery_of_age(9 * kDay, DeliveryState::pending);
  const auto done = this->delivery_of_age(8 * kDay, DeliveryState::delivered);
  const auto last = this->delivery_of_age(7 * kDay, DeliveryState::delivered);
  for (const auto& told : {open, done, last}) this->store(told);

  ExpireStep step = this->step(2);
  Expired went = this->expire(step);
  EXPECT_EQ(went.answers, 2u);
  EXPECT_EQ(went.deliveries, 1u);
  EXPECT_FALSE(went.at_end);
  EXPECT_EQ(went.answers_after, answers[1].id);
  EXPECT_EQ(went.deliveries_after, done.rows.delivery.id);
  EXPECT_FALSE(this->has(answers[1]));
  EXPECT_TRUE(this->has(answers[2]));
  EXPECT_TRUE(this->has(last));

  step.answers_after = answers[2].id;  // what lies before it is not looked at
  step.deliveries_after = went.deliveries_after;
  went = this->expire(step);
  EXPECT_TRUE(this->has(answers[2]));
  EXPECT_FALSE(this->has(answers[3]));
  EXPECT_FALSE(this->has(answers[4]));
  EXPECT_FALSE(this->has(last));
  EXPECT_TRUE(this->has(open));
}

TYPED_TEST_P(ExpiryContract, WhoeverLostItsNodeDeletesNothing) {
  const Answer answer = this->answer_of_age(2 * kDay);
  this->store(std::vector{answer});
  const auto successor = this->place_.take_over(*this->store_, *this->session_);
  EXPECT_EQ(this->session_->expire(this->step()).result.outcome, CommitOutcome::fenced);
  EXPECT_TRUE(this->has(answer));
  EXPECT_EQ(successor->expire(this->step()).answers, 1u);
}

REGISTER_TYPED_TEST_SUITE_P(ExpiryContract, OldAnswersGoAndYoungOnesStay, AKeyWhoseAnswerIsGoneIsNew,
                            AnAnswerThatReplacedAnOldOneStays, ABatchThatReadWhatIsGoneIsDecidedAgain,
                            FinishedDeliveriesGoWithTheirStepsAndCases, ADeliveryThatIsNotOverStays,
                            AStepLooksAtNoMoreThanItMay, WhoeverLostItsNodeDeletesNothing);

}  // namespace finality::store_contract
