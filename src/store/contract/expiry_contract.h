// Store contract tests, part 4: expired rows are deleted, all other rows are kept. Usage:
// store/contract/store_contract.h.
#pragma once

#include "store/contract/store_contract.h"

namespace finality::store_contract {

inline const Time kBefore = kNow - std::chrono::hours(24);  // rows older than this instant expire
inline constexpr Duration kDay = std::chrono::hours(24);

class ExpiryContract : public StoreContract {
 protected:
  /// A new id whose time is `age` before kNow.
  std::int64_t id_of_age(Duration age) { return first_id_at(kNow - age) + this->filler_.number(); }

  IdempotencyRecord record_of_age(Duration age) {
    IdempotencyRecord record = this->filler_.row<IdempotencyRecord>();
    record.id.value = id_of_age(age);
    return record;
  }
  void store(const std::vector<IdempotencyRecord>& records) {
    ReadSet reads;
    for (const IdempotencyRecord& record : records) reads.idempotency_records.push_back(record.key_hash);
    WorkingSet rows = this->load(reads);
    for (const IdempotencyRecord& record : records) rows.idempotency_records.insert(record.key_hash, record);
    rows.accept();
    ASSERT_EQ(this->commit(rows), CommitOutcome::ok);
  }
  bool has(const IdempotencyRecord& record) {
    const WorkingSet rows = this->load({.idempotency_records = {record.key_hash}});
    const IdempotencyRecord* found = rows.idempotency_records.find(record.key_hash);
    return found != nullptr && found->id == record.id;
  }

  /// A delivery created `age` before kNow, with resolved cases, and an event of the delivery at the same time.
  struct Told {
    DeliveryAggregate rows;
    Event last;
  };
  Told delivery_of_age(Duration age, DeliveryState state) {
    Told told{make_aggregate<DeliveryAggregate>(this->filler_), this->filler_.row<Event>()};
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

  /// A compared statement with two parts, expected and received `age` before kNow.
  Statement statement_of_age(Duration age, StatementState state = StatementState::matched) {
    Statement row = this->filler_.row<Statement>();
    row.id.value = id_of_age(age);
    row.merchant_id = kPlatform;
    row.state = state;
    row.parts = 2;
    row.is_fetched_again = false;
    row.received_at = kNow - age;
    row.children = 0;
    return row;
  }
  void store(const Statement& row) {
    WorkingSet rows = this->load({.statements = {row.id}});
    rows.statements.insert(row.id, {row, {}, {}});
    for (std::int64_t part_no = 0; part_no < row.parts; ++part_no)
      rows.statement_parts.push_back({row.id, part_no, row.merchant_id, {"part"}});
    rows.accept();
    ASSERT_EQ(this->commit(rows), CommitOutcome::ok);
  }
  /// Stores the file of an existing statement again, in `parts` parts with that content.
  CommitOutcome store_again(const Statement& row, std::int64_t parts, const std::string& content) {
    WorkingSet rows = this->load({.statements = {row.id}});
    Statement& changed = rows.statements.change(row.id).statement;
    changed.state = StatementState::received;
    changed.parts = parts;
    changed.received_at = kNow;
    changed.version += 1;
    for (std::int64_t part_no = 0; part_no < parts; ++part_no)
      rows.statement_parts.push_back({row.id, part_no, row.merchant_id, {content}});
    rows.accept();
    return this->commit(rows);
  }
  /// The contents of the first parts of a file; empty for those that are not stored.
  std::vector<std::string> file_of(const Statement& row) {
    std::vector<std::string> parts;
    for (std::int64_t part_no = 0; part_no < 3; ++part_no) {
      const auto part = must(this->reader_->statement_part(row.id, part_no));
      parts.push_back(part ? part->content.data() : "");
    }
    return parts;
  }
  bool has_file(const Statement& row) {
    const bool has_first = must(this->reader_->statement_part(row.id, 0)).has_value();
    EXPECT_EQ(must(this->reader_->statement_part(row.id, 1)).has_value(), has_first);
    EXPECT_TRUE(must(this->reader_->statement(row.id)));
    return has_first;
  }

  ExpireStep step(std::size_t limit = 100) const {
    return {.records_before = kBefore,
            .deliveries_before = kBefore,
            .files_before = kBefore,
            .limit = limit,
            .files_limit = limit};
  }
  Expired expire(const ExpireStep& step) {
    Expired done = this->session_->expire(step);
    EXPECT_EQ(done.result.outcome, CommitOutcome::ok) << done.result.message;
    return done;
  }
};

}  // namespace finality::store_contract
