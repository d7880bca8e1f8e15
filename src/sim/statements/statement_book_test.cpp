// Tests of the statements of simulated channels: without faults, they list each payment and refund once.
#include "sim/statements/statement_book.h"

#include <gtest/gtest.h>

#include "base/time/date.h"

namespace finality::sim {
namespace {

constexpr Time kStart{1'790'000'000'000};
constexpr Currency kCny{{'C', 'N', 'Y'}};
constexpr FaultMask kAllFaults = ~FaultMask{0};

struct BookFixture {
  explicit BookFixture(std::uint64_t seed, FaultMask without = kAllFaults)
      : scheduler(seed, kStart, TraceWish::hashed, without) {
    scheduler.start_faults();
  }

  void run(Duration time) {
    const Time until = scheduler.now() + time;
    while (scheduler.step(until)) continue;
  }
  std::string today() const { return date_of(scheduler.now(), book.plan().utc_offset); }

  SimScheduler scheduler;
  Upstream upstream{
      scheduler, [](const Trade&, const Evidence&, const std::function<void(bool)>& done) { done(true); },
      [](const UpstreamRefund&, const RefundEvidence&, const std::function<void(bool)>& done) { done(true); },
      [](const UpstreamHold&, const AuthorizationEvidence&, const std::function<void(bool)>& done) { done(true); }};
  Policy policy;
  Findings findings;
  OrderAuditor orders{findings, upstream, policy};
  StatementBook book{scheduler, upstream, orders, policy};
};

Statement received(const std::string& date, StatementState state, const ChannelFile* file) {
  Statement statement;
  statement.channel = "a";
  statement.date = date;
  statement.state = state;
  if (file != nullptr) statement.sha256 = file->sha256;
  return statement;
}

TEST(StatementBookTest, AStatementIsAvailableWhenItsDayIsOver) {
  BookFixture fixture(1);
  const std::string date = fixture.today();
  fixture.book.add_unknown_payment("a", "U1", "till-U1", 100, kCny);
  EXPECT_EQ(fixture.book.download({"a", date}).file, nullptr);
  fixture.run(std::chrono::hours(24));
  const StatementBook::Download download = fixture.book.download({"a", date});
  ASSERT_NE(download.file, nullptr);
  ASSERT_EQ(download.file->lines.size(), 1U);
  EXPECT_EQ(download.file->lines.front().channel_trade_no, "U1");
  EXPECT_TRUE(fixture.book.is_unknown_payment("a", download.file->lines.front()));
  EXPECT_EQ(fixture.book.file(download.file->sha256), download.file);
}

TEST(StatementBookTest, EachPaymentIsListedOnceOnItsDay) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    BookFixture fixture(seed);
    for (int i = 0; i < 30; ++i) fixture.upstream.send("a", "number " + std::to_string(i), 100 + i, kCny);
    const std::string first = fixture.today();
    fixture.run(std::chrono::hours(24 * 5));
    std::map<std::string, int> listed;
    for (std::string date = first; date < fixture.today(); date = add_days(date, 1))
      if (const ChannelFile* file = fixture.book.download({"a", date}).file; file != nullptr)
        for (const StatementLine& line : file->lines) {
          ++listed[line.channel_trade_no];
          EXPECT_EQ(date_of(line.at, fixture.book.plan().utc_offset), date);
        }
    for (const auto& trade : fixture.upstream.trades())
      EXPECT_EQ(listed[trade->trade_no], trade->paid > 0 ? 1 : 0) << seed << " " << trade->trade_no;
    EXPECT_TRUE(fixture.book.injected().empty());
  }
}

TEST(StatementBookTest, AFalselyEmptyDayAndAMalformedFileAreCorrected) {
  int corrected = 0;
  int mended = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    BookFixture fixture(seed, kAllFaults & ~bit_of(Fault::statement_empty) & ~bit_of(Fault::statement_malformed));
    const std::string date = fixture.today();
    fixture.book.add_unknown_payment("a", "U1", "till-U1", 100, kCny);
    fixture.run(std::chrono::hours(24));
    StatementBook::Download download = fixture.book.download({"a", date});
    while (download.is_empty_day) {  // the channel can claim it again
      EXPECT_TRUE(fixture.book.offers_another(received(date, StatementState::empty, nullptr)));
      download = fixture.book.download({"a", date});
      ++corrected;
    }
    ASSERT_NE(download.file, nullptr);
    if (download.file->is_malformed) {
      EXPECT_TRUE(fixture.book.was_malformed({"a", date}));
      const Statement rejected = received(date, StatementState::rejected, download.file);
      EXPECT_TRUE(fixture.book.offers_another(rejected));
      download = fixture.book.download({"a", date});
      ASSERT_NE(download.file, nullptr);
      EXPECT_FALSE(download.file->is_malformed);
      EXPECT_TRUE(fixture.book.offers_another(rejected)) << "it is not received yet";
      ++(download.file->sha256 == rejected.sha256 ? mended : corrected);
    }
    ASSERT_NE(download.file, nullptr);
    EXPECT_EQ(download.file->lines.size(), 1U);
    EXPECT_FALSE(fixture.book.offers_another(received(date, StatementState::matched, download.file)));
  }
  EXPECT_GT(corrected, 0);
  EXPECT_GT(mended, 0) << "the same file is read after the parser is mended";
}

}  // namespace
}  // namespace finality::sim
