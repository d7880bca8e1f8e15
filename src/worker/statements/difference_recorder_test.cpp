#include "worker/statements/difference_recorder.h"

#include <map>

#include "worker/engine_command_sender.h"
#include "worker/testing/fakes.h"

namespace finality {
namespace {

using namespace fakes;

constexpr MerchantId kMerchant{7};
constexpr ChannelAccountId kAccount{5};

/// Reader of a store with differences, by key. Counts the loads.
class DifferenceReader final : public FakeReader {
 public:
  using FakeReader::FakeReader;

  Result<void> load(const ReadSet& reads, WorkingSet& rows) override {
    ++loads;
    for (const KeyRead& read : reads.keys) {
      const auto at = stored.find(read.hash);
      rows.keys.load(read.hash,
                     at == stored.end() ? std::nullopt : std::optional(Key{read.hash, kMerchant, at->second.id.value}));
      if (at != stored.end()) rows.differences.load(at->second.id, DifferenceAggregate{at->second, {}});
    }
    return {};
  }
  void store(const std::string& subject, DifferenceId id, DifferenceClass difference_class) {
    Difference row;
    row.id = id;
    row.merchant_id = kMerchant;
    row.difference_class = difference_class;
    stored[key_of_difference(kMerchant, kAccount, subject)] = row;
  }

  std::map<Hash16, Difference> stored;
  int loads = 0;
};

class DifferenceRecorderTest : public testing::Test {
 protected:
  Result<void> record(const std::string& subject, DifferenceId known = {}) {
    Difference row;
    row.id = known;
    row.merchant_id = kMerchant;
    return recorder_.record(row, subject, DifferenceEvent::find);
  }

  FakeEngine engine_;
  DueRows due_;
  DifferenceReader reader_{due_};
  EngineCommandSender sender_{engine_, [](Duration) { return false; }, CauseKind::statement};
  DifferenceRecorder recorder_{reader_, sender_, kAccount};
};

TEST_F(DifferenceRecorderTest, ReadsManySubjectsWithOneLoad) {
  reader_.store("b", DifferenceId{11}, DifferenceClass::cost_mismatch);
  const DifferenceRecorder::Subject subjects[] = {{kMerchant, "a"}, {kMerchant, "b"}};
  ASSERT_TRUE(recorder_.prefetch(subjects));
  EXPECT_EQ(recorder_.known(kMerchant, "a").value(), DifferenceId{});
  EXPECT_EQ(recorder_.find(kMerchant, "b").value()->difference_class, DifferenceClass::cost_mismatch);
  EXPECT_EQ(reader_.loads, 1);
  EXPECT_EQ(recorder_.known(kMerchant, "c").value(), DifferenceId{});
  EXPECT_EQ(reader_.loads, 2) << "a subject that was not read before";
}

TEST_F(DifferenceRecorderTest, RecordsWithTheKnownDifference) {
  reader_.store("b", DifferenceId{11}, DifferenceClass::cost_mismatch);
  ASSERT_TRUE(record("a"));
  ASSERT_TRUE(record("b"));
  EXPECT_EQ(engine_.command<RecordDifference>(0).known, DifferenceId{});
  EXPECT_EQ(engine_.command<RecordDifference>(0).difference.channel_account_id, kAccount);
  EXPECT_EQ(engine_.command<RecordDifference>(1).known, DifferenceId{11});
  const int loads = reader_.loads;
  ASSERT_TRUE(record("c", DifferenceId{12}));
  EXPECT_EQ(engine_.command<RecordDifference>(2).known, DifferenceId{12});
  EXPECT_EQ(reader_.loads, loads) << "the caller names the difference";
}

TEST_F(DifferenceRecorderTest, FindsWhatItHasRecorded) {
  const DifferenceRecorder::Subject subjects[] = {{kMerchant, "a"}};
  ASSERT_TRUE(recorder_.prefetch(subjects));
  engine_.answers.push_back({});
  ASSERT_TRUE(record("a"));
  reader_.store("a", DifferenceId{11}, DifferenceClass::amount_mismatch);  // as the command does
  EXPECT_EQ(recorder_.known(kMerchant, "a").value(), DifferenceId{11});
}

TEST_F(DifferenceRecorderTest, EndsOnlyDifferencesThatHaveNotEnded) {
  reader_.store("a", DifferenceId{11}, DifferenceClass::cost_mismatch);
  ASSERT_TRUE(recorder_.end(kMerchant, "a", kNow, RefundId{3}));
  EXPECT_EQ(engine_.command<RecordDifference>(0).event, DifferenceEvent::repair);
  EXPECT_EQ(engine_.command<RecordDifference>(0).difference.ended_at, kNow);
  ASSERT_TRUE(recorder_.end(kMerchant, "b", kNow, RefundId{3}));
  EXPECT_EQ(engine_.count(), 1U) << "there is no difference";
}

TEST_F(DifferenceRecorderTest, ASubjectHasAFurtherDifferenceAfterAStatementHasEndedTheFirst) {
  reader_.store("a", DifferenceId{11}, DifferenceClass::balance_break);
  Difference& first = reader_.stored.begin()->second;
  first.state = DifferenceState::repaired;
  first.repaired_by_type = ObjectType::statement;
  first.repaired_by_id = 3;
  Difference row;
  row.merchant_id = kMerchant;
  engine_.answers.push_back({});
  ASSERT_TRUE(recorder_.record_again(row, "a", DifferenceEvent::find));
  const auto& command = engine_.command<RecordDifference>(0);
  EXPECT_EQ(command.known, DifferenceId{});
  EXPECT_NE(command.subject, "a");
  reader_.store(command.subject, DifferenceId{12}, DifferenceClass::balance_break);
  EXPECT_EQ(recorder_.history(kMerchant, "a")->size(), 2U);
  EXPECT_EQ(recorder_.known(kMerchant, "a").value(), DifferenceId{12});
  ASSERT_TRUE(record("a"));
  EXPECT_EQ(engine_.command<RecordDifference>(1).known, DifferenceId{12});
}

TEST_F(DifferenceRecorderTest, ADifferenceThatABookingHasEndedStaysTheOnlyOne) {
  reader_.store("a", DifferenceId{11}, DifferenceClass::balance_break);
  Difference& first = reader_.stored.begin()->second;
  first.state = DifferenceState::repaired;
  first.repaired_by_type = ObjectType::receipt;
  first.repaired_by_id = 3;
  EXPECT_EQ(recorder_.known(kMerchant, "a").value(), DifferenceId{11});
  EXPECT_EQ(reader_.loads, 1);
}

TEST_F(DifferenceRecorderTest, ARefusedDifferenceIsAnError) {
  engine_.answers.push_back(refused(RefusalCode::not_found));
  ASSERT_TRUE(record("a"));
  EXPECT_FALSE(recorder_.find(kMerchant, "a"));
}

}  // namespace
}  // namespace finality
