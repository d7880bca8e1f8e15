#include "sandbox/statements/statement_rules.h"

#include <algorithm>
#include <array>
#include <set>

namespace finality::sandbox {
namespace {

using namespace std::chrono_literals;

constexpr std::array<StatementRules, 3> kRules{
    {{.channel = "alipay", .ready_after = 9h, .processes_refunds = false, .currency = "CNY"},
     {.channel = "wechatpay", .ready_after = 10h, .processes_refunds = true, .currency = "CNY"},
     {.channel = "", .ready_after = 10h, .processes_refunds = false}}};

constexpr MinorUnits kFeePerMille = 6;
constexpr Duration kLate = 8h;           // delay of a late file
constexpr Duration kSecondVersion = 4h;  // from the first version to the second one

}  // namespace

const StatementRules& statement_rules_of(std::string_view channel) {
  const auto* rules = std::ranges::find(kRules, channel_name(channel), &StatementRules::channel);
  return rules != kRules.end() ? *rules : kRules.back();
}

MinorUnits channel_fee(MinorUnits amount) { return (amount * kFeePerMille + 500) / 1000; }

MinorUnits fee_error(MinorUnits amount) { return 1 + amount / 100; }

FileState file_state(Ledger& ledger, std::string_view channel, std::string_view date, const Day& span) {
  const std::set<DayFault> faults = ledger.statement_tables().faults_of(channel, date);
  if (faults.contains(DayFault::missing_day)) return FileState::not_ready;
  Time ready_at = span.end + statement_rules_of(channel).ready_after;
  if (faults.contains(DayFault::late_file)) ready_at = ready_at + kLate;
  if (faults.contains(DayFault::early_file)) ready_at = span.begin;
  if (ledger.now() < ready_at) return FileState::not_ready;
  const bool is_first = ledger.now() < ready_at + kSecondVersion;
  if (is_first && faults.contains(DayFault::second_version)) return FileState::first_version;
  if (!is_first && faults.contains(DayFault::withdrawn_line)) return FileState::shortened;
  return FileState::final;
}

}  // namespace finality::sandbox
