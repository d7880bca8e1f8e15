#include "sandbox/statements/withdrawals.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sandbox/statements/funds_lines.h"

namespace finality::sandbox {
namespace {

constexpr Duration kDay = std::chrono::hours(24);
constexpr Duration kWithdrawalTime = std::chrono::hours(2);  // from midnight
constexpr std::string_view kPrefix = "9";                    // of the numbers of movements

struct Change {
  Time at;
  MinorUnits amount = 0;
};
using Changes = std::vector<Change>;  // of one currency, oldest first

std::map<std::string, Changes> changes_of(Ledger& ledger, std::string_view channel) {
  std::map<std::string, Changes> changes;
  for_each_change(ledger, channel, ledger.now(),
                  [&](const FundsLine& line) { changes[line.currency].push_back({line.at, line.amount}); });
  for (auto& [currency, list] : changes) std::ranges::sort(list, {}, &Change::at);
  return changes;
}

/// Balance of one currency, computed forwards in time.
class RunningBalance {
 public:
  explicit RunningBalance(const Changes& changes) : changes_(changes) {}

  /// Returns the balance immediately before `end`, which is not earlier than in the call before.
  MinorUnits before(Time end) {
    for (; next_ < changes_.size() && changes_[next_].at < end; ++next_) balance_ += changes_[next_].amount;
    return balance_;
  }
  void add(MinorUnits amount) { balance_ += amount; }

 private:
  const Changes& changes_;
  std::size_t next_ = 0;
  MinorUnits balance_ = 0;
};

void withdraw_days(Ledger& ledger, std::string_view channel, const std::string& currency, const Changes& changes,
                   Time since) {
  RunningBalance balance(changes);
  for (Time midnight = china_day_of(changes.front().at).end; midnight + kWithdrawalTime <= ledger.now();
       midnight = midnight + kDay) {
    const Time at = midnight + kWithdrawalTime;
    const MinorUnits of_day = balance.before(midnight);
    const MinorUnits amount = std::min(of_day, balance.before(at));
    if (amount <= 0 || at < since) continue;
    const bool is_new = ledger.statement_tables().insert({.line_id = ledger.make_number(kPrefix),
                                                          .channel = std::string(channel),
                                                          .currency = currency,
                                                          .at = at,
                                                          .type = MovementType::withdrawal,
                                                          .amount = -amount,
                                                          .memo = "automatic withdrawal",
                                                          .withdrawal_day = china_date(midnight - kDay)});
    if (is_new) balance.add(-amount);
  }
}

}  // namespace

void make_due_withdrawals(Ledger& ledger, std::string_view channel) {
  const auto since = ledger.statement_tables().automatic_withdrawals_since(channel);
  if (!since) return;
  for (const auto& [currency, changes] : changes_of(ledger, channel))
    withdraw_days(ledger, channel, currency, changes, *since);
}

std::optional<Movement> withdraw(Ledger& ledger, std::string_view channel, std::string_view currency,
                                 std::optional<MinorUnits> amount) {
  make_due_withdrawals(ledger, channel);
  const Balances balances = balances_at(ledger, channel, ledger.now() + Duration{1});
  const auto found = balances.find(std::string(currency));
  const MinorUnits balance = found != balances.end() ? found->second : 0;
  const MinorUnits wanted = amount.value_or(balance);
  if (wanted <= 0 || wanted > balance) return std::nullopt;
  return add_movement(ledger, channel, currency, MovementType::withdrawal, -wanted, "withdrawal by request");
}

void set_automatic_withdrawals(Ledger& ledger, std::string_view channel, bool is_enabled) {
  make_due_withdrawals(ledger, channel);
  ledger.statement_tables().set_automatic_withdrawals(channel, is_enabled, ledger.now());
}

Movement add_movement(Ledger& ledger, std::string_view channel, std::string_view currency, MovementType type,
                      MinorUnits amount, std::string_view memo) {
  Movement movement{.line_id = ledger.make_number(kPrefix),
                    .channel = std::string(channel),
                    .currency = std::string(currency),
                    .at = ledger.now(),
                    .type = type,
                    .amount = amount,
                    .memo = std::string(memo)};
  ledger.statement_tables().insert(movement);
  return movement;
}

}  // namespace finality::sandbox
