#include "sim/statements/statement_book.h"

#include <fmt/format.h>

#include <algorithm>
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
constexpr int kClaimedAgain = 300;  // per mille of the requests after which the channel still claims an empty day
constexpr std::int64_t kMinorUnit = 1000;  // StatementLine::fee_e5 of one minor unit, for currencies with two digits

// The fee that the channel charges, in the unit of StatementLine::fee_e5.
std::int64_t cost_of(MinorUnits amount) { return amount * kMinorUnit * kCostBasisPoints / 10'000; }

void set_amount(StatementLine& line, MinorUnits amount) {
  line.amount = amount;
  if (line.kind == LineKind::payment) line.fee_e5 = cost_of(amount);
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
         row->amount == line.amount;
}

}  // namespace

const std::string& number_of(const StatementLine& line) {
  if (line.kind == LineKind::payment)  // captures can share their trade number
    return parse_out_capture_no(line.out_trade_no) ? line.out_trade_no : line.channel_trade_no;
  return line.out_refund_no.empty() ? line.channel_refund_no : line.out_refund_no;
}

StatementBook::StatementBook(SimScheduler& scheduler, const Upstream& upstream, const OrderAuditor& orders)
    : scheduler_(scheduler), upstream_(upstream), orders_(orders) {
  // At least as long as the clock of a server can be ahead, so that a day is over when its statement is downloaded.
  plan_ = {.kinds = {},
           .utc_offset = kUtcOffset,
           .ready_after = scheduler_.random().between(hours(1), hours(8)),
           .late_after = hours(10)};
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
  unknown_[channel].push_back(std::move(line));
}

bool StatementBook::is_unknown_payment(const std::string& channel, const StatementLine& line) const {
  const auto at = unknown_.find(channel);
  return at != unknown_.end() &&
         std::ranges::count(at->second, line.channel_trade_no, &StatementLine::channel_trade_no) > 0;
}

StatementBook::Day StatementBook::draw_day(const std::string& date) {
  const auto start = start_of_day(date, plan_.utc_offset);
  FINALITY_CHECK(start.has_value(), "a statement of an invalid day was requested");
  Random& random = scheduler_.random();
  Day day;
  day.available_at = *start + hours(24);
  if (scheduler_.happens(Fault::statement_late))
    day.available_at = day.available_at + random.between(kAvailableMin, kAvailableMax);
  day.claims_empty = scheduler_.happens(Fault::statement_empty);
  day.is_malformed = day.was_malformed = scheduler_.happens(Fault::statement_malformed);
  day.lists_nothing = day.is_malformed || random.chance(300);
  if (scheduler_.happens(Fault::statement_restated))
    day.restates_at = scheduler_.now() + random.between(hours(1), kRestatedMax);
  return day;
}

StatementBook::Download StatementBook::download(const std::string& channel, const std::string& date) {
  const Name name{channel, date};
  auto at = days_.find(name);
  if (at == days_.end()) at = days_.emplace(name, draw_day(date)).first;
  Day& day = at->second;
  if (scheduler_.now() < day.available_at) return {};
  if (day.claims_empty) return {.is_empty_day = true};
  if (day.current == nullptr)
    day.current = &add_file(channel, date, day.is_malformed ? std::vector<StatementLine>{} : draw_lines(channel, date),
                            std::exchange(day.is_malformed, false));
  const bool is_empty_day = !day.current->is_malformed && day.current->lines.empty() && !day.lists_nothing;
  return is_empty_day ? Download{.is_empty_day = true} : Download{.file = day.current};
}

void StatementBook::note_failure(const std::string& channel, const std::string& date, Time at) {
  const auto day = days_.find({channel, date});
  FINALITY_CHECK(day != days_.end(), "the download of a statement failed before it was requested");
  day->second.last_failure = std::max(day->second.last_failure.value_or(at), at);
}

bool StatementBook::offers_another(const Statement& received) {
  const auto at = days_.find({received.channel, received.date});
  if (at == days_.end()) return false;
  Day& day = at->second;
  if (received.state == StatementState::empty) {
    if (day.claims_empty) {
      day.claims_empty = scheduler_.random().chance(kClaimedAgain);
      return true;
    }
    return day.current != nullptr && (day.current->is_malformed || !day.current->lines.empty());
  }
  if (received.state == StatementState::rejected && day.current != nullptr && day.current->is_malformed)
    day.current = nullptr;
  // The last download of the other version may have failed.
  if (day.current == nullptr || received.sha256 != day.current->sha256) return true;
  if (received.state != StatementState::matched || !day.restates_at || scheduler_.now() < *day.restates_at)
    return false;
  day.restates_at.reset();
  const ChannelFile* restated = restate(*day.current);
  if (restated == nullptr) return false;
  day.current = restated;
  return true;
}

const ChannelFile* StatementBook::file(const std::string& sha256) const {
  const auto at = files_.find(sha256);
  return at == files_.end() ? nullptr : at->second.get();
}

std::optional<Time> StatementBook::last_failure(const std::string& channel, const std::string& date) const {
  const auto at = days_.find({channel, date});
  return at == days_.end() ? std::nullopt : at->second.last_failure;
}

bool StatementBook::is_overdue(const std::string& date) const {
  const auto start = start_of_day(date, plan_.utc_offset);
  return start && *start + hours(24) + kAvailableMax + kOverdueAfter < scheduler_.now();
}

bool StatementBook::was_malformed(const std::string& channel, const std::string& date) const {
  const auto at = days_.find({channel, date});
  return at != days_.end() && at->second.was_malformed;
}

const ChannelFile& StatementBook::add_file(const std::string& channel, const std::string& date,
                                           std::vector<StatementLine> lines, bool is_malformed) {
  auto file = std::make_unique<ChannelFile>();
  file->channel = channel;
  file->date = date;
  file->sha256 = sha256_hex(fmt::format("{} {} {}", channel, date, files_.size()));
  shuffle(lines);
  file->lines = std::move(lines);
  file->is_malformed = is_malformed;
  scheduler_.note("statement", channel + " " + date, static_cast<std::int64_t>(file->lines.size()));
  return *(files_[file->sha256] = std::move(file));
}

void StatementBook::shuffle(std::vector<StatementLine>& lines) {
  for (std::size_t i = lines.size(); i > 1; --i)
    std::swap(lines[i - 1], lines[static_cast<std::size_t>(scheduler_.random().below(static_cast<std::int64_t>(i)))]);
  std::int64_t line_no = 0;
  for (StatementLine& line : lines) line.line_no = ++line_no;
}

// Returns what happened at the channel on the day.
std::vector<StatementLine> StatementBook::records_of(const std::string& channel, const std::string& date) const {
  std::vector<StatementLine> lines;
  const auto is_of_day = [&](Time at) { return date_of(at, plan_.utc_offset) == date; };
  for (const auto& trade : upstream_.trades()) {
    if (trade->channel != channel) continue;
    if (trade->paid > 0 && is_of_day(trade->paid_at)) lines.push_back(payment_line(*trade));
    if (trade->external_refunds == 0 || !is_of_day(trade->externally_refunded_at)) continue;
    lines.push_back(refund_line(*trade, trade->external_refunds, trade->externally_refunded_at));
    lines.back().channel_refund_no = trade->external_refund_no;
  }
  upstream_.each_refund([&](const UpstreamRefund& refund) {
    const bool is_listed = refund.state == UpstreamRefundState::done && refund.trade->channel == channel;
    if (!is_listed || !is_of_day(refund.done_at)) return;
    lines.push_back(refund_line(*refund.trade, refund.amount, refund.done_at));
    lines.back().out_refund_no = refund.out_refund_no;
  });
  if (const auto at = unknown_.find(channel); at != unknown_.end())
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

std::vector<StatementLine> StatementBook::draw_lines(const std::string& channel, const std::string& date) {
  std::vector<StatementLine> lines = std::exchange(for_later_days_[channel], {});
  for (const StatementLine& line : records_of(channel, date)) draw_line({channel, date}, line, lines);
  return lines;
}

// Adds the line to the file, unless a fault of the line prevents it.
void StatementBook::draw_line(const Name& day, const StatementLine& line, std::vector<StatementLine>& lines) {
  if (!is_booked(line)) return draw_unbooked_line(day, line, lines);
  if (scheduler_.happens(Fault::line_dropped)) {
    inject(LineFault::dropped, day, line);
  } else if (scheduler_.happens(Fault::line_postponed)) {
    for_later_days_[day.first].push_back(inject(LineFault::postponed, day, line));
  } else if (scheduler_.happens(Fault::line_doubled)) {
    lines.push_back(line);
    lines.push_back(inject(LineFault::doubled, day, line));
  } else if (scheduler_.happens(Fault::line_repeated)) {
    lines.push_back(line);
    for_later_days_[day.first].push_back(inject(LineFault::repeated, day, line));
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
void StatementBook::draw_unbooked_line(const Name& day, const StatementLine& line, std::vector<StatementLine>& lines) {
  const bool is_payment = line.kind == LineKind::payment && orders_.order_named(line.out_trade_no) != nullptr;
  if (is_payment && scheduler_.happens(Fault::line_cost_altered))
    return lines.push_back(inject(LineFault::other_cost, day, line));
  lines.push_back(line);
  if (is_payment && scheduler_.happens(Fault::line_repeated))
    for_later_days_[day.first].push_back(inject(LineFault::repeated, day, line));
}

// Records the fault and returns the line as the file lists it.
StatementLine StatementBook::inject(LineFault fault, const Name& day, const StatementLine& line) {
  StatementLine listed = line;
  Random& random = scheduler_.random();
  if (fault == LineFault::other_amount || fault == LineFault::restated) {
    const bool is_less = line.amount > 1 && random.chance(500);
    set_amount(listed, is_less ? random.between(1, line.amount - 1) : line.amount + random.between(1, 5000));
  }
  if (fault == LineFault::other_cost) listed.fee_e5 += kMinorUnit * random.between(2, 50);
  touched_.insert({day.first, number_of(line)});
  scheduler_.note(name_of(fault), number_of(line), line.amount);
  injected_.push_back({fault, day.first, day.second, line, listed});
  return listed;
}

// Returns a second version of the file: with another amount of one line, or without it. Null if no line can change:
// only booked payments without a fault are restated.
const ChannelFile* StatementBook::restate(const ChannelFile& before) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < before.lines.size(); ++i) {
    const StatementLine& line = before.lines[i];
    if (line.kind == LineKind::payment && is_booked(line) && !touched_.contains({before.channel, number_of(line)}))
      places.push_back(i);
  }
  if (places.empty()) return nullptr;
  Random& random = scheduler_.random();
  const std::size_t place = places[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(places.size())))];
  const bool withdraws = random.chance(500);
  std::vector<StatementLine> lines = before.lines;
  const StatementLine listed =
      inject(withdraws ? LineFault::withdrawn : LineFault::restated, {before.channel, before.date}, lines[place]);
  if (withdraws)
    lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(place));
  else
    lines[place] = listed;
  return &add_file(before.channel, before.date, std::move(lines), false);
}

}  // namespace finality::sim
