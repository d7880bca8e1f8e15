#include "worker/statements/missing_finder.h"

#include <fmt/format.h>

#include <set>

#include "base/id.h"
#include "base/time/date.h"
#include "model/statement_line.h"

namespace finality {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kRowsPerRead = 1000;
constexpr Duration kEntrySpan = 1min;         // of the entries that one read examines, matched ones included
constexpr Duration kBookedAfterDay = 2h;      // payments of a day that are booked in this time are looked for
constexpr std::int64_t kPaymentsCarried = 3;  // complete statements without the line; then operators look at it
constexpr std::int64_t kRefundsCarried = 7;

/// A payment or refund in the books that a statement of trades should contain.
struct Expected {
  ObjectRef document;
  LineKind kind = LineKind::payment;
  MinorUnits amount = 0;
  Currency currency;
  Time at;  // by the channel's time where it is known
};

// Returns the payment or refund that the entry books; empty for entries about fees, conversions, returns and others.
std::optional<Expected> expected_of(const OrderAggregate& order, const Entry& entry) {
  if (entry.type == EntryType::receipt_accepted || entry.type == EntryType::receipt_in_suspense)
    if (const Receipt* receipt = find_row(order.receipts, ReceiptId{entry.document_id}))
      return Expected{receipt->id, LineKind::payment, receipt->amount, receipt->currency, receipt->paid_at};
  if (entry.type == EntryType::refund_succeeded || entry.type == EntryType::external_refund ||
      entry.type == EntryType::external_refund_from_suspense)
    if (const Refund* refund = find_row(order.refunds, RefundId{entry.document_id}))
      return Expected{refund->id, LineKind::refund, refund->amount, refund->currency, entry.created_at};
  if (entry.type == EntryType::reversal_succeeded)
    if (const Reversal* reversal = find_row(order.reversals, ReversalId{entry.document_id}))
      return Expected{reversal->id, LineKind::refund, reversal->amount, reversal->currency, entry.created_at};
  return std::nullopt;
}

}  // namespace

struct MissingFinder::Missing {
  Expected expected;
  MerchantId merchant_id;
  OrderId order_id;
  std::string subject;
};

Result<std::int64_t> MissingFinder::find() {
  const auto start = start_of_day(task_.statement.date, task_.plan.utc_offset);
  if (!start) return fail(fmt::format("{} is no day", task_.statement.date));
  const Time end = *start + 24h + kBookedAfterDay;
  for (Time from = *start; from < end; from = from + kEntrySpan) {
    const EntryId until{first_id_at(from + kEntrySpan) - 1};
    EntryId after{first_id_at(from) - 1};
    while (true) {
      const auto entries = task_.reader.unmatched_entries(task_.account.id, {after, until}, kRowsPerRead);
      if (!entries) return std::unexpected(entries.error());
      if (auto looked = look_for(*entries); !looked) return std::unexpected(looked.error());
      if (auto gone_on = task_.commands.give_way(); !gone_on) return std::unexpected(gone_on.error());
      if (entries->size() < kRowsPerRead) break;
      after = entries->back().id;
    }
  }
  if (auto counted = count_complete(); !counted) return std::unexpected(counted.error());
  return carried_;
}

// Carries the payments and refunds of the entries if their day is over.
Result<void> MissingFinder::look_for(std::span<const Entry> entries) {
  if (entries.empty()) return {};
  const auto all = missing_of(entries);
  if (!all) return std::unexpected(all.error());
  std::vector<DifferenceRecorder::Subject> subjects;
  for (const Missing& one : *all) subjects.push_back({one.merchant_id, one.subject});
  if (auto read = differences_.prefetch(subjects); !read) return read;
  for (const Missing& one : *all)
    if (auto carried = carry(one); !carried) return carried;
  return {};
}

// Orders that are not found are unknown receipts, which have a case, or archived.
Result<std::vector<MissingFinder::Missing>> MissingFinder::missing_of(std::span<const Entry> entries) {
  ReadSet reads;
  for (const Entry& entry : entries) reads.orders.push_back(OrderId{entry.root_id});
  WorkingSet rows;
  if (auto loaded = task_.reader.load(reads, rows); !loaded) return std::unexpected(loaded.error());
  std::vector<Missing> all;
  for (const Entry& entry : entries) {
    const OrderAggregate* found = rows.orders.find(OrderId{entry.root_id});
    const auto expected = found == nullptr ? std::nullopt : expected_of(*found, entry);
    if (!expected || date_of(expected->at, task_.plan.utc_offset) > task_.statement.date) continue;
    const Order& order = found->order;
    all.push_back({*expected, order.merchant_id, order.id, subject_of_document(expected->document)});
  }
  return all;
}

// A document of an earlier run may be carried already. Other differences of the document are counted elsewhere.
Result<void> MissingFinder::carry(const Missing& missing) {
  const auto known = differences_.find(missing.merchant_id, missing.subject);
  if (!known) return std::unexpected(known.error());
  if (*known && (*known)->difference_class != DifferenceClass::missing_at_channel) return {};
  ++carried_;
  if (*known) return {};
  const Expected& expected = missing.expected;
  Difference row;
  row.merchant_id = missing.merchant_id;
  row.date = date_of(expected.at, task_.plan.utc_offset);
  row.difference_class = DifferenceClass::missing_at_channel;
  row.order_id = missing.order_id;
  row.document_type = expected.document.type;
  row.document_id = expected.document.value;
  row.ours = expected.amount;
  row.amount = expected.kind == LineKind::refund ? expected.amount : -expected.amount;
  row.currency = expected.currency;
  row.subject = fmt::format("{} {}", name_of(expected.kind), missing.subject);
  return differences_.record(std::move(row), missing.subject, DifferenceEvent::carry);
}

// Counts this statement for the carried differences of earlier days. Only complete statements count, not days, and
// nothing ever ends by their number: operators look at a difference that was missed too often.
Result<void> MissingFinder::count_complete() {
  if (auto settled = task_.commands.settle(); !settled) return settled;
  const DifferenceFilter filter{.channel_account_id = task_.account.id,
                                .to = add_days(task_.statement.date, -1),
                                .difference_class = DifferenceClass::missing_at_channel,
                                .state = DifferenceState::carried};
  Page page{.limit = kRowsPerRead};
  while (true) {
    const auto carried = task_.reader.differences(filter, page);
    if (!carried) return std::unexpected(carried.error());
    for (const Difference& row : carried->rows) {
      const auto complete = complete_since(row.date);
      if (!complete) return std::unexpected(complete.error());
      if (*complete <= row.missed) continue;  // this statement was counted by an earlier run or version
      const ObjectRef document(row.document_type, row.document_id);
      const bool is_overdue =
          *complete >= (row.document_type == ObjectType::receipt ? kPaymentsCarried : kRefundsCarried);
      if (auto recorded = differences_.record(row, subject_of_document(document),
                                              is_overdue ? DifferenceEvent::find : DifferenceEvent::carry);
          !recorded)
        return recorded;
    }
    if (!carried->has_more) return task_.commands.settle();
    page.after = carried->rows.back().id.value;
  }
}

// Returns the number of days after `date` with a complete statement, with the day of this statement.
Result<std::int64_t> MissingFinder::complete_since(const std::string& date) {
  if (const auto at = complete_.find(date); at != complete_.end()) return at->second;
  std::set<std::string> days{task_.statement.date};
  for (const StatementState state : {StatementState::matched, StatementState::empty}) {
    const StatementFilter filter{.channel_account_id = task_.account.id,
                                 .kind = StatementKind::trades,
                                 .from = add_days(date, 1),
                                 .to = task_.statement.date,
                                 .state = state};
    const auto found = task_.reader.statements(filter, {.limit = kRowsPerRead});
    if (!found) return std::unexpected(found.error());
    for (const Statement& row : found->rows)
      if (row.source == StatementSource::fetched) days.insert(row.date);
  }
  return complete_[date] = static_cast<std::int64_t>(days.size());
}

}  // namespace finality
