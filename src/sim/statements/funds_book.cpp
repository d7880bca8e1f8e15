#include "sim/statements/funds_book.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/time/date.h"
#include "sim/statements/line_number.h"

namespace finality::sim {
namespace {

using std::chrono::hours;

constexpr Currency kCurrency{{'C', 'N', 'Y'}};
constexpr Duration kMovementMin = hours(1);  // between two movements of a channel account
constexpr Duration kMovementMax = hours(14);
constexpr Duration kBankMax = hours(40);  // until a bank lists what a channel has paid or received
constexpr MinorUnits kAmountMax = 100'000;
constexpr MinorUnits kRound = 1'000;  // withdrawals of this amount: the bank cannot distinguish them

MinorUnits fee_of(MinorUnits amount) { return (amount * kCostBasisPoints + 5'000) / 10'000; }

StatementLine line_about(LineKind kind, const Trade& trade, MinorUnits amount, Time at) {
  return {.kind = kind,
          .channel_trade_no = trade.trade_no,
          .out_trade_no = trade.out_trade_no,
          .currency = trade.currency,
          .amount = amount,
          .at = at,
          .text = std::string(name_of(kind))};
}

// The channel's identifier of the movement.
StatementLine identified(char prefix, StatementLine line) {
  line.line_id = prefix + number_of(line);
  return line;
}

// Visits a payment, and the fee that the channel deducts at once.
template <class Visit>
void visit_payment(StatementLine payment, Visit visit) {
  StatementLine fee = payment;
  visit(identified('P', std::move(payment)));
  fee.amount = -fee_of(fee.amount);
  fee = identified('F', std::move(fee));
  fee.kind = LineKind::fee;
  fee.text = "fee";
  if (fee.amount != 0) visit(std::move(fee));
}

}  // namespace

void FundsBook::start() {
  constexpr RefundNumbers kNumbers[] = {RefundNumbers::all, RefundNumbers::of_refund, RefundNumbers::of_trade};
  for (const auto& [channel, account] : policy_.accounts) {
    if (account.is_bank()) continue;
    numbers_[channel] = kNumbers[static_cast<std::size_t>(scheduler_.random().below(std::size(kNumbers)))];
    plan(channel);
  }
}

void FundsBook::plan(const std::string& channel) {
  scheduler_.after(scheduler_.random().spread(kMovementMin, kMovementMax), [this, channel] {
    if (scheduler_.faults_stopped()) return;
    move(channel);
    plan(channel);
  });
}

void FundsBook::move(const std::string& channel) {
  Random& random = scheduler_.random();
  const std::int64_t drawn = random.below(100);
  const MinorUnits amount = random.between(1, kAmountMax);
  const Time now = scheduler_.now();
  if (drawn < 55)
    withdraw(channel);
  else if (drawn < 70)
    top_up(channel);
  else if (drawn < 80)
    add(channel, LineKind::adjustment, drawn % 2 == 0 ? amount : -amount, now, "adjustment");
  else if (drawn < 90)
    add(channel, LineKind::fee_returned, amount % 1'000 + 1, now, "fee returned");
  else
    add(channel, LineKind::other, drawn % 2 == 0 ? amount : -amount, now, "a new kind");
}

void FundsBook::withdraw(const std::string& channel) {
  Random& random = scheduler_.random();
  const MinorUnits balance = balance_of(channel);
  if (balance <= kRound) return;
  const MinorUnits amount = random.chance(400) ? kRound : random.between(1, balance);
  add(channel, LineKind::withdrawal, -amount, scheduler_.now(), "withdrawal");
  add_to_bank(channel, LineKind::bank_credit, amount, random.spread(Duration(1), kBankMax));
}

// The bank has debited the amount before, or debits it now: a transfer reaches the channel at once.
void FundsBook::top_up(const std::string& channel) {
  const MinorUnits amount = scheduler_.random().between(1, kAmountMax);
  add(channel, LineKind::top_up, amount, scheduler_.now(), "top-up");
  add_to_bank(channel, LineKind::bank_debit, -amount, Duration(0));
}

void FundsBook::add(const std::string& account, LineKind kind, MinorUnits amount, Time at, const char* text) {
  own_[account].push_back({.kind = kind,
                           .line_id = fmt::format("M{}", ++last_number_),
                           .currency = kCurrency,
                           .amount = amount,
                           .at = at,
                           .text = text});
  scheduler_.note(text, account, amount);
}

// Banks state days, and none of our numbers.
void FundsBook::add_to_bank(const std::string& channel, LineKind kind, MinorUnits amount, Duration after) {
  const auto bank = policy_.withdrawal_accounts.find(channel);
  if (bank == policy_.withdrawal_accounts.end()) return;
  const Time at = scheduler_.now() + after;
  add(bank->second, kind, amount, start_of_day(date_of(at, utc_offset_), utc_offset_).value_or(at), "bank");
  if (last_number_ % 2 == 0) own_[bank->second].back().line_id.clear();
}

void FundsBook::add_unknown_payment(const std::string& channel, const StatementLine& line) {
  StatementLine payment = line;
  payment.fee_e5 = 0;
  visit_payment(std::move(payment), [&](StatementLine&& one) { own_[channel].push_back(std::move(one)); });
}

StatementLine FundsBook::foreign_line(StatementKind kind, Time at) {
  const std::string number = fmt::format("X{}", ++last_number_);
  const MinorUnits amount = scheduler_.random().between(1, kAmountMax);
  const bool is_bank = kind == StatementKind::bank;
  return {.kind = is_bank ? LineKind::bank_credit : LineKind::payment,
          .line_id = number,
          .channel_trade_no = is_bank ? std::string() : number,
          .out_trade_no = is_bank ? std::string() : "till-" + number,
          .currency = kCurrency,
          .amount = amount,
          .at = at,
          .text = "foreign"};
}

template <class Visit>
void FundsBook::each_movement(const std::string& account, Visit visit) const {
  if (const auto at = own_.find(account); at != own_.end())
    for (const StatementLine& line : at->second) visit(StatementLine(line));
  for (const auto& trade : upstream_.trades()) {
    if (trade->channel != account) continue;
    if (trade->paid > 0) visit_payment(line_about(LineKind::payment, *trade, trade->paid, trade->paid_at), visit);
    const auto visit_external = [&](char prefix, LineKind kind, MinorUnits amount, Time at) {
      if (amount == 0) return;
      StatementLine line = line_about(kind, *trade, amount, at);
      line.channel_refund_no = trade->external_refund_no;
      visit(identified(prefix, std::move(line)));
    };
    visit_external('R', LineKind::refund, -trade->external_refunds, trade->externally_refunded_at);
    visit_external('B', LineKind::refund_returned, trade->external_returned, trade->external_returned_at);
  }
  upstream_.each_refund([&](const UpstreamRefund& refund) {
    if (refund.state != UpstreamRefundState::done || refund.trade->channel != account) return;
    const auto visit_refund = [&](char prefix, LineKind kind, MinorUnits amount, Time at) {
      StatementLine line = line_about(kind, *refund.trade, amount, at);
      line.out_refund_no = refund.out_refund_no;
      visit(identified(prefix, std::move(line)));
    };
    visit_refund('R', LineKind::refund, -refund.amount, refund.done_at);
    if (refund.returned > 0) visit_refund('B', LineKind::refund_returned, refund.returned, refund.returned_at);
  });
}

MinorUnits FundsBook::balance_of(const std::string& channel) const {
  MinorUnits sum = 0;
  each_movement(channel, [&](const StatementLine& line) { sum += line.amount; });
  return sum;
}

std::vector<StatementLine> FundsBook::records_of(const std::string& account, const std::string& date) const {
  std::vector<StatementLine> lines;
  each_movement(account, [&](StatementLine&& line) {
    if (date_of(line.at, utc_offset_) == date) lines.push_back(std::move(line));
  });
  return lines;
}

StatementLine FundsBook::as_listed(const std::string& account, StatementLine line) const {
  const auto at = numbers_.find(account);
  const bool is_refund = line.kind == LineKind::refund || line.kind == LineKind::refund_returned;
  if (at == numbers_.end() || !is_refund || at->second == RefundNumbers::all) return line;
  const bool is_of_refund = at->second == RefundNumbers::of_refund;
  std::string& first = is_of_refund ? line.out_trade_no : line.out_refund_no;
  std::string& second = is_of_refund ? line.channel_trade_no : line.channel_refund_no;
  first.clear();
  second.clear();
  return line;
}

}  // namespace finality::sim
