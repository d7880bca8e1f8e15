// Tests of the balances of simulated channels and banks: without faults, the files of all days continue one balance.
#include "sim/statements/funds_book.h"

#include <gtest/gtest.h>

#include "base/time/date.h"
#include "sim/statements/statement_book.h"

namespace finality::sim {
namespace {

constexpr Time kStart{1'790'000'000'000};
constexpr Currency kCny{{'C', 'N', 'Y'}};
constexpr FaultMask kAllFaults = ~FaultMask{0};
constexpr int kDays = 4;

Policy policy_with_bank() {
  Policy policy;
  policy.accounts["a"] = {.id = ChannelAccountId{1}, .channel = "a", .kind = "sandbox"};
  policy.accounts["bank"] = {.id = ChannelAccountId{2}, .channel = "bank", .kind = std::string(kBankKind)};
  policy.bank_accounts["bank"] = kCny;
  policy.withdrawal_accounts["a"] = "bank";
  return policy;
}

struct BalanceFixture {
  explicit BalanceFixture(std::uint64_t seed, FaultMask without = kAllFaults)
      : scheduler(seed, kStart, TraceWish::hashed, without) {
    scheduler.start_faults();
    book.start();
  }
  void run(Duration time) {
    const Time until = scheduler.now() + time;
    while (scheduler.step(until)) continue;
  }
  std::string today() const { return date_of(scheduler.now(), book.plan().utc_offset); }
  /// Returns the files of the days that have ended.
  std::vector<const ChannelFile*> files_of(const std::string& account, StatementKind kind, const std::string& first) {
    std::vector<const ChannelFile*> files;
    for (std::string date = first; date < today(); date = add_days(date, 1))
      if (const ChannelFile* file = book.download({account, date, kind}).file) files.push_back(file);
    return files;
  }

  SimScheduler scheduler;
  Upstream upstream{
      scheduler, [](const Trade&, const Evidence&, const std::function<void(bool)>& done) { done(true); },
      [](const UpstreamRefund&, const RefundEvidence&, const std::function<void(bool)>& done) { done(true); },
      [](const UpstreamHold&, const AuthorizationEvidence&, const std::function<void(bool)>& done) { done(true); }};
  Policy policy = policy_with_bank();
  Findings findings;
  OrderAuditor orders{findings, upstream, policy};
  StatementBook book{scheduler, upstream, orders, policy, true};
};

MinorUnits sum_of(const ChannelFile& file) {
  MinorUnits sum = 0;
  for (const StatementLine& line : file.lines) sum += line.amount;
  return sum;
}

TEST(FundsBookTest, TheBalanceOfADayContinuesThatOfTheDayBefore) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    BalanceFixture fixture(seed);
    const std::string first = fixture.today();
    for (int i = 0; i < 30; ++i) fixture.upstream.send("a", "number " + std::to_string(i), 100'000 + i, kCny);
    fixture.run(std::chrono::hours(24 * kDays));
    for (const auto& [account, kind] : {std::pair("a", StatementKind::funds), std::pair("bank", StatementKind::bank)}) {
      MinorUnits balance = 0;
      for (const ChannelFile* file : fixture.files_of(account, kind, first)) {
        ASSERT_EQ(file->sums.size(), 1U);
        EXPECT_EQ(file->sums.front().opening_balance, balance);
        balance += sum_of(*file);
        EXPECT_EQ(file->sums.front().closing_balance, balance);
      }
    }
  }
}

TEST(FundsBookTest, EachPaymentHasALineAndAFee) {
  BalanceFixture fixture(1);
  const std::string first = fixture.today();
  fixture.book.add_unknown_payment("a", "U1", "till-U1", 10'000, kCny);
  fixture.run(std::chrono::hours(24));
  std::map<std::string, MinorUnits> amounts;
  for (const ChannelFile* file : fixture.files_of("a", StatementKind::funds, first))
    for (const StatementLine& line : file->lines) EXPECT_TRUE(amounts.emplace(line.line_id, line.amount).second);
  EXPECT_EQ(amounts["PU1"], 10'000);
  EXPECT_EQ(amounts["FU1"], -60);
}

TEST(FundsBookTest, TheBankReceivesWhatTheChannelHasWithdrawn) {
  MinorUnits withdrawn = 0;
  MinorUnits received = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    BalanceFixture fixture(seed, kAllFaults);
    const std::string first = fixture.today();
    fixture.book.add_unknown_payment("a", "U1", "till-U1", 1'000'000'000, kCny);
    fixture.run(std::chrono::hours(24 * kDays));
    fixture.scheduler.stop_faults();
    fixture.run(std::chrono::hours(24 * kDays));
    for (const ChannelFile* file : fixture.files_of("a", StatementKind::funds, first))
      for (const StatementLine& line : file->lines)
        if (line.kind == LineKind::withdrawal || line.kind == LineKind::top_up) withdrawn -= line.amount;
    for (const ChannelFile* file : fixture.files_of("bank", StatementKind::bank, first))
      for (const StatementLine& line : file->lines)
        if (line.text != "foreign") received += line.amount;
  }
  EXPECT_NE(withdrawn, 0);
  EXPECT_EQ(withdrawn, received);
}

// A day without movements has a statement of a bank, which states the balance.
TEST(FundsBookTest, ABankListsEveryDay) {
  BalanceFixture fixture(3);
  const std::string first = fixture.today();
  fixture.scheduler.stop_faults();
  fixture.run(std::chrono::hours(24 * kDays));
  EXPECT_EQ(fixture.files_of("bank", StatementKind::bank, first).size(), static_cast<std::size_t>(kDays));
}

}  // namespace
}  // namespace finality::sim
