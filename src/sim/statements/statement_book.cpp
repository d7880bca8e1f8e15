#include "sim/statements/statement_book.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "base/check.h"
#include "base/time/date.h"
#include "model/out_trade_no.h"
#include "sim/auditors/collected.h"
#include "worker/statements/sealed_file.h"

namespace finality::sim {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

constexpr minutes kUtcOffset = hours(8);
constexpr Duration kAvailableMin = hours(11);  // after the end of a day whose statement is late
constexpr Duration kAvailableMax = hours(40);
constexpr Duration kRestatedMax = hours(40);
constexpr Duration kOverdueAfter = hours(24);  // from the latest available statement until it must be compared
constexpr Duration kBankLate = hours(36);      // from the end of a day until its bank statement is reported as missing
constexpr int kForeign = 80;  // per mille of the files of balances that list a foreign line, while faults happen
constexpr Currency kCurrency{{'C', 'N', 'Y'}};
constexpr StatementKind kTrades[] = {StatementKind::trades};
constexpr StatementKind kTradesAndFunds[] = {StatementKind::trades, StatementKind::funds};
constexpr StatementKind kBank[] = {StatementKind::bank};
constexpr int kClaimedAgain = 300;  // per mille of the requests after which the channel still claims an empty day
constexpr std::int64_t kMinorUnit = 1000;  // StatementLine::fee_e5 of one minor unit, for currencies with two digits

// The fee that the channel charges, in the unit of StatementLine::fee_e5.
std::int64_t cost_of(MinorUnits amount) { return amount * kMinorUnit * kCostBasisPoints / 10'000; }

// Lines with an identifier are movements of a balance: their fees are separate lines.
void set_amount(StatementLine& line, MinorUnits amount) {
  line.amount = amount;
  if (line.kind == LineKind::payment && line.line_id.empty()) line.fee_e5 = cost_of(amount);
}

FileName without_day(const FileName& name) { return {name.channel, {}, name.kind}; }

bool lists_trades(const FileName& name) { return name.kind == StatementKind::trades; }

MinorUnits sum_of(const std::vector<StatementLine>& lines) {
  MinorUnits sum = 0;
  for (const StatementLine& line : lines) sum += line.amount;
  return sum;
}

std::vector<StatementSums> sums_of(const std::vector<StatementLine>& lines, const FileName& name, MinorUnits opening) {
  std::vector<StatementSums> sums;
  if (!lists_trades(name)) sums.push_back({.currency = kCurrency});
  for (const StatementLine& line : lines)
    FINALITY_CHECK(add_line(sums, line), "the sums of a simulated statement overflow");
  if (lists_trades(name)) return sums;
  FINALITY_CHECK(sums.size() == 1, "a simulated balance has one currency");
  sums.front().opening_balance = opening;
  sums.front().closing_balance = opening + sum_of(lines);
  return sums;
}

StatementLine payment_line(const Trade& trade) {
  StatementLine line{.kind = LineKind::payment,
                     .channel_trade_no = trade.trade_no,
                     .out_trade_no = trade.out_trade_no,
                     .currency = trade.currency,
                     .at = trade.paid_at,
                     .text = "payment"};
  set_amount(line, trade.paid);
  return line;
}

StatementLine refund_line(const Trade& trade, MinorUnits amount, Time at) {
  return {.kind = LineKind::refund,
          .channel_trade_no = trade.trade_no,
          .out_trade_no = trade.out_trade_no,
          .currency = trade.currency,
          .amount = amount,
          .at = at,
          .text = "refund"};
}

// Returns true if the refund or reversal has succeeded under the number and with the amount of the line.
template <class Rows, class Id>
bool has_succeeded(const Rows& rows, Id id, const StatementLine& line) {
  const auto* row = find_row(rows, id);
  return row != nullptr && row->state == decltype(row->state)::succeeded && row->out_refund_no == line.out_refund_no &&
         row->amount == std::abs(line.amount);
}

}  // namespace

FileName name_of_file(const Statement& statement) { return {statement.channel, statement.date, statement.kind}; }

StatementBook::StatementBook(SimScheduler& scheduler, const Upstream& upstream, const OrderAuditor& orders,
                             const Policy& policy, bool has_funds)
    : scheduler_(scheduler),
      upstream_(upstream),
      orders_(orders),
      has_funds_(has_funds),
      funds_(scheduler, upstream, policy, kUtcOffset) {
  // At least as long as the clock of a server can be ahead, so that a day is over when its statement is downloaded.
  plan_ = {.kinds = kTrades,
           .utc_offset = kUtcOffset,
           .ready_after = scheduler_.random().between(hours(1), hours(8)),
           .late_after = hours(10)};
  if (!has_funds_) return;
  plan_.kinds = kTradesAndFunds;
  bank_plan_ = {.uploaded_kinds = kBank,
                .utc_offset = kUtcOffset,
                .ready_after = hours(1),
                .late_after = kBankLate,
                .are_uploads_expected = true};
}

void StatementBook::start() {
  first_date_ = date_of(scheduler_.now(), kUtcOffset);
  if (has_funds_) funds_.start();
}

std::vector<ChannelRate> StatementBook::rates_of(const Policy& policy) {
  std::vector<ChannelRate> rates;
  for (const auto& [channel, account] : policy.accounts)
    rates.push_back({.id = ChannelRateId{account.id.value},
                     .channel_account_id = account.id,
                     .basis_points = kCostBasisPoints,
                     .from_date = "2026-01-01"});
  return rates;
}

void StatementBook::add_unknown_payment(const std::string& channel, const std::string& trade_no,
                                        const std::string& out_trade_no, MinorUnits amount, Currency currency) {
  StatementLine line{.kind = LineKind::payment,
                     .channel_trade_no = trade_no,
                     .out_trade_no = out_trade_no,
                     .currency = currency,
                     .at = scheduler_.now(),
                     .text = "payment"};
  set_amount(line, amount);
  if (has_funds_) funds_.add_unknown_payment(channel, line);
  unknown_[channel].push_back(std::move(line));
}

bool StatementBook::is_unknown_payment(const std::string& channel, const StatementLine& line) const {
  const auto at = unknown_.find(channel);
  return at != unknown_.end() &&
         std::ranges::count(at->second, line.channel_trade_no, &StatementLine::channel_trade_no) > 0;
}

// People upload the statements of banks, so those are never falsely empty.
StatementBook::Day StatementBook::draw_day(const FileName& name) {
  const auto start = start_of_day(name.date, plan_.utc_offset);
  FINALITY_CHECK(start.has_value(), "a statement of an invalid day was requested");
  Random& random = scheduler_.random();
  Day day;
  day.available_at = *start + hours(24);
  if (scheduler_.happens(Fault::statement_late))
    day.available_at = day.available_at + random.between(kAvailableMin, kAvailableMax);
  day.claims_empty = name.kind != StatementKind::bank && scheduler_.happens(Fault::statement_empty);
  day.is_malformed = day.was_malformed = scheduler_.happens(Fault::statement_malformed);
  day.is_misread = day.is_malformed && random.chance(500);
  day.lists_nothing = day.is_malformed || name.kind == StatementKind::bank || random.chance(300);
  if (scheduler_.happens(Fault::statement_restated))
    day.restates_at = scheduler_.now() + random.between(hours(1), kRestatedMax);
  return day;
}

StatementBook::Day& StatementBook::day_of(const FileName& name) {
  auto at = days_.find(name);
  if (at == days_.end()) at = days_.emplace(name, draw_day(name)).first;
  return at->second;
}

// Draws the lines of the first version. Those of the days before are drawn first, because a balance continues.
const std::vector<StatementLine>& StatementBook::lines_of(const FileName& name, Day& day) {
  if (day.lines) return *day.lines;
  if (!lists_trades(name)) day.opening = balance_before(name);
  day.lines = draw_lines(name);
  return *day.lines;
}

MinorUnits StatementBook::balance_before(const FileName& name) {
  if (name.date <= first_date_) return 0;
  const FileName before{name.channel, add_days(name.date, -1), name.kind};
  Day& day = day_of(before);
  return sum_of(lines_of(before, day)) + day.opening;
}

StatementBook::Download StatementBook::download(const FileName& name) {
  Day& day = day_of(name);
  if (scheduler_.now() < day.available_at) return {};
  if (day.claims_empty) return {.is_empty_day = true};
  if (day.current == nullptr) {
    const bool is_malformed = std::exchange(day.is_malformed, false);
    const bool has_lines = !is_malformed || day.is_misread;
    day.current = &add_file(name, day, has_lines ? lines_of(name, day) : std::vector<StatementLine>{}, is_malformed);
  }
  const bool is_empty_day = !day.current->is_malformed && day.current->lines.empty() && !day.lists_nothing;
  return is_empty_day ? Download{.is_empty_day = true} : Download{.file = day.current};
}

void StatementBook::note_failure(const FileName& name, Time at) {
  const auto day = days_.find(name);
  FINALITY_CHECK(day != days_.end(), "the download of a statement failed before it was requested");
  day->second.last_failure = std::max(day->second.last_failure.value_or(at), at);
}

bool StatementBook::offers_another(const Statement& received) {
  const auto at = days_.find(name_of_file(received));
  if (at == days_.end()) return false;
  Day& day = at->second;
  if (received.state == StatementState::empty) {
    if (day.claims_empty) {
      day.claims_empty = scheduler_.random().chance(kClaimedAgain);
      return true;
    }
    return day.current != nullptr && (day.current->is_malformed || !day.current->lines.empty());
  }
  if (received.state == StatementState::rejected && day.current != nullptr) return replaces_rejected(received, day);
  // The last download of the other version may have failed.
  if (day.current == nullptr || received.sha256 != day.current->sha256) return true;
  if (received.state != StatementState::matched || !day.restates_at || scheduler_.now() < *day.restates_at)
    return false;
  day.restates_at.reset();
  const ChannelFile* restated = restate(*day.current, day);
  if (restated == nullptr) return false;
  day.current = restated;
  return true;
}

// Returns true: the channel provides another file, or the parser is mended and reads the same file when it is received
// again.
bool StatementBook::replaces_rejected(const Statement& rejected, Day& day) {
  if (!day.current->is_malformed) return true;  // the last download or upload may have failed
  if (day.is_misread)
    files_.at(rejected.sha256)->is_malformed = false;
  else
    day.current = nullptr;
  return true;
}

const ChannelFile* StatementBook::file(const std::string& sha256) const {
  const auto at = files_.find(sha256);
  return at == files_.end() ? nullptr : at->second.get();
}

std::optional<Time> StatementBook::last_failure(const FileName& name) const {
  const auto at = days_.find(name);
  return at == days_.end() ? std::nullopt : at->second.last_failure;
}

bool StatementBook::is_overdue(const std::string& date) const {
  const auto start = start_of_day(date, plan_.utc_offset);
  return start && *start + hours(24) + kAvailableMax + kOverdueAfter < scheduler_.now();
}

bool StatementBook::was_malformed(const FileName& name) const {
  const auto at = days_.find(name);
  return at != days_.end() && at->second.was_malformed;
}

const ChannelFile& StatementBook::add_file(const FileName& name, const Day& day, std::vector<StatementLine> lines,
                                           bool is_malformed) {
  auto file = std::make_unique<ChannelFile>();
  file->name = name;
  file->sha256 = sha256_hex(fmt::format("{} {} {} {}", name.channel, name_of(name.kind), name.date, files_.size()));
  shuffle(lines);
  file->sums = sums_of(lines, name, day.opening);
  file->lines = std::move(lines);
  file->is_malformed = is_malformed;
  const std::string_view kind = lists_trades(name) ? "" : name_of(name.kind);
  scheduler_.note("statement", fmt::format("{} {}{}", name.channel, name.date, kind),
                  static_cast<std::int64_t>(file->lines.size()));
  return *(files_[file->sha256] = std::move(file));
}

void StatementBook::shuffle(std::vector<StatementLine>& lines) {
  for (std::size_t i = lines.size(); i > 1; --i)
    std::swap(lines[i - 1], lines[static_cast<std::size_t>(scheduler_.random().below(static_cast<std::int64_t>(i)))]);
  std::int64_t line_no = 0;
  for (StatementLine& line : lines) line.line_no = ++line_no;
}

// Returns what happened at the channel or bank on the day.
std::vector<StatementLine> StatementBook::records_of(const FileName& name) const {
  return lists_trades(name) ? trades_of(name) : funds_.records_of(name.channel, name.date);
}

std::vector<StatementLine> StatementBook::trades_of(const FileName& name) const {
  std::vector<StatementLine> lines;
  const auto is_of_day = [&](Time at) { return date_of(at, plan_.utc_offset) == name.date; };
  for (const auto& trade : upstream_.trades()) {
    if (trade->channel != name.channel) continue;
    if (trade->paid > 0 && is_of_day(trade->paid_at)) lines.push_back(payment_line(*trade));
    if (trade->external_refunds == 0 || !is_of_day(trade->externally_refunded_at)) continue;
    lines.push_back(refund_line(*trade, trade->external_refunds, trade->externally_refunded_at));
    lines.back().channel_refund_no = trade->external_refund_no;
  }
  upstream_.each_refund([&](const UpstreamRefund& refund) {
    const bool is_listed = refund.state == UpstreamRefundState::done && refund.trade->channel == name.channel;
    if (!is_listed || !is_of_day(refund.done_at)) return;
    lines.push_back(refund_line(*refund.trade, refund.amount, refund.done_at));
    lines.back().out_refund_no = refund.out_refund_no;
  });
  if (const auto at = unknown_.find(name.channel); at != unknown_.end())
    std::ranges::copy_if(at->second, std::back_inserter(lines),
                         [&](const StatementLine& line) { return is_of_day(line.at); });
  return lines;
}

// Returns true if the books contain the payment or refund of the line. External refunds are excluded: some are booked
// under another amount, as part of a refunded total.
bool StatementBook::is_booked(const StatementLine& line) const {
  const OrderAggregate* order = orders_.order_named(line.out_trade_no);
  if (order == nullptr) return false;
  if (line.kind == LineKind::payment)
    return std::ranges::any_of(order->receipts, [&](const Receipt& receipt) {
      const Trade* trade = trade_of(upstream_, *order, receipt);
      return trade != nullptr && trade->trade_no == line.channel_trade_no && trade->out_trade_no == line.out_trade_no;
    });
  const auto refund = parse_out_refund_no(line.out_refund_no);
  return refund && (has_succeeded(order->refunds, RefundId{refund->object}, line) ||
                    has_succeeded(order->reversals, ReversalId{refund->object}, line));
}

std::vector<StatementLine> StatementBook::draw_lines(const FileName& name) {
  std::vector<StatementLine> lines = std::exchange(for_later_days_[without_day(name)], {});
  if (name.kind == StatementKind::bank)  // a bank states the day on which it lists a movement
    for (StatementLine& line : lines) line.at = start_of_day(name.date, kUtcOffset).value_or(line.at);
  for (const StatementLine& line : records_of(name)) draw_line(name, line, lines);
  const bool has_foreign = !lists_trades(name) && !scheduler_.faults_stopped() && scheduler_.random().chance(kForeign);
  if (has_foreign) {
    const auto start = start_of_day(name.date, plan_.utc_offset);
    lines.push_back(inject(LineFault::foreign, name, funds_.foreign_line(name.kind, start.value_or(Time{}))));
  }
  return lines;
}

// Adds the line to the file, unless a fault of the line prevents it.
void StatementBook::draw_line(const FileName& day, const StatementLine& line, std::vector<StatementLine>& lines) {
  if (!lists_trades(day)) return draw_movement(day, line, lines);
  if (!is_booked(line)) return draw_unbooked_line(day, line, lines);
  if (scheduler_.happens(Fault::line_dropped)) {
    inject(LineFault::dropped, day, line);
  } else if (scheduler_.happens(Fault::line_postponed)) {
    for_later_days_[without_day(day)].push_back(inject(LineFault::postponed, day, line));
  } else if (scheduler_.happens(Fault::line_doubled)) {
    lines.push_back(line);
    lines.push_back(inject(LineFault::doubled, day, line));
  } else if (scheduler_.happens(Fault::line_repeated)) {
    lines.push_back(line);
    for_later_days_[without_day(day)].push_back(inject(LineFault::repeated, day, line));
  } else if (scheduler_.happens(Fault::line_altered)) {
    lines.push_back(inject(LineFault::other_amount, day, line));
  } else if (line.kind == LineKind::payment && scheduler_.happens(Fault::line_cost_altered)) {
    lines.push_back(inject(LineFault::other_cost, day, line));
  } else {
    lines.push_back(line);
  }
}

// Adds the line of a payment or refund that the books do not have yet: the line may book it. A payment of an order can
// be repeated, or have another fee.
void StatementBook::draw_unbooked_line(const FileName& day, const StatementLine& line,
                                       std::vector<StatementLine>& lines) {
  const bool is_payment = line.kind == LineKind::payment && orders_.order_named(line.out_trade_no) != nullptr;
  if (is_payment && scheduler_.happens(Fault::line_cost_altered))
    return lines.push_back(inject(LineFault::other_cost, day, line));
  lines.push_back(line);
  if (is_payment && scheduler_.happens(Fault::line_repeated))
    for_later_days_[without_day(day)].push_back(inject(LineFault::repeated, day, line));
}

// Adds a movement of a balance to the file. Faults affect booked payments and refunds, withdrawals, and everything that
// a bank lists. What the books know only from this line, such as a fee, is never missing in them. Returns have no
// faults: the books find a return by its amount, so an altered line would have no document.
void StatementBook::draw_movement(const FileName& day, const StatementLine& line, std::vector<StatementLine>& lines) {
  const bool is_withdrawal = line.kind == LineKind::withdrawal;
  const bool is_known = day.kind == StatementKind::bank || (line.kind != LineKind::refund_returned && is_booked(line));
  const StatementLine listed = funds_.as_listed(day.channel, line);
  if (!is_known && !is_withdrawal) return lines.push_back(listed);
  if (scheduler_.happens(Fault::line_dropped)) {
    inject(LineFault::dropped, day, line);
  } else if (scheduler_.happens(Fault::line_postponed)) {
    for_later_days_[without_day(day)].push_back(inject(LineFault::postponed, day, line));
  } else if (is_known && scheduler_.happens(Fault::line_doubled)) {
    lines.push_back(listed);
    lines.push_back(inject(LineFault::doubled, day, line));
  } else if (is_known && scheduler_.happens(Fault::line_altered)) {
    lines.push_back(inject(LineFault::other_amount, day, line));
  } else {
    lines.push_back(listed);
  }
}

// Records the fault and returns the line as the file lists it.
StatementLine StatementBook::inject(LineFault fault, const FileName& day, const StatementLine& line) {
  StatementLine listed = restated(fault, day, line);
  touched_.insert({without_day(day), identity_of(line)});
  scheduler_.note(name_of(fault), identity_of(line), line.amount);
  injected_.push_back({fault, day.channel, day.date, day.kind, line, listed});
  return listed;
}

StatementLine StatementBook::restated(LineFault fault, const FileName& day, const StatementLine& line) {
  StatementLine listed = lists_trades(day) ? line : funds_.as_listed(day.channel, line);
  Random& random = scheduler_.random();
  if (fault == LineFault::other_amount || fault == LineFault::restated) {
    const MinorUnits amount = std::abs(line.amount);
    const bool is_less = amount > 1 && random.chance(500);
    const MinorUnits other = is_less ? random.between(1, amount - 1) : amount + random.between(1, 5000);
    set_amount(listed, line.amount < 0 ? -other : other);
  }
  if (fault == LineFault::other_cost) listed.fee_e5 += kMinorUnit * random.between(2, 50);
  return listed;
}

// Booked payments are restated, and the postings that no request caused, but nothing that has a fault.
bool StatementBook::can_restate(const FileName& day, const StatementLine& line) const {
  using enum LineKind;
  if (touched_.contains({without_day(day), identity_of(line)})) return false;
  if (line.kind == payment) return is_booked(line);
  return line.kind == fee || line.kind == withdrawal || line.kind == adjustment || line.kind == bank_credit;
}

// Returns a second version of the file: with another amount of one line, or without it. Null if no line can change, or
// if the next day continues its balance.
const ChannelFile* StatementBook::restate(const ChannelFile& before, Day& day) {
  const FileName& name = before.name;
  if (!lists_trades(name)) {
    const auto next = days_.find({name.channel, add_days(name.date, 1), name.kind});
    if (next != days_.end() && next->second.lines) return nullptr;
  }
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < before.lines.size(); ++i)
    if (can_restate(name, before.lines[i])) places.push_back(i);
  if (places.empty()) return nullptr;
  Random& random = scheduler_.random();
  const std::size_t place = places[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(places.size())))];
  const bool withdraws = random.chance(500);
  std::vector<StatementLine> lines = before.lines;
  const StatementLine listed = inject(withdraws ? LineFault::withdrawn : LineFault::restated, name, lines[place]);
  if (withdraws)
    lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(place));
  else
    lines[place] = listed;
  day.lines = lines;
  return &add_file(name, day, std::move(lines), false);
}

}  // namespace finality::sim
