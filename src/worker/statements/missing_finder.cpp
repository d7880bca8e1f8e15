#include "worker/statements/missing_finder.h"

#include <fmt/format.h>

#include "base/id.h"
#include "base/time/date.h"
#include "model/statement_line.h"
#include "store/taken_back.h"
#include "worker/statements/carried_differences.h"
#include "worker/statements/statement_rows.h"

namespace finality {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kRowsPerRead = 1000;
constexpr Duration kEntrySpan = 1min;      // of the entries that one read examines, matched ones included
constexpr Duration kBookedBeforeDay = 1h;  // entries of this time before a day are examined too: the clock of the
                                           // server that books can be behind that of the channel
constexpr Duration kBookedAfterDay = 2h;   // payments of a day that are booked in this time are looked for

/// A payment or refund in the books that a statement of trades should contain.
struct Expected {
  ObjectRef document;
  LineKind kind = LineKind::payment;
  MinorUnits amount = 0;
  Currency currency;
  Time at;  // by the channel's time where it is known
};

// What a statement of that kind should contain is missing in this class.
DifferenceClass class_of(StatementKind kind) {
  return kind == StatementKind::trades ? DifferenceClass::missing_at_channel : DifferenceClass::trade_without_funds;
}

std::string subject_of(StatementKind kind, ObjectRef document) {
  return kind == StatementKind::trades ? subject_of_document(document) : funds_subject_of(document);
}

// Removes the entries of the last document, of which a full page may contain only a part. The next page contains them.
void remove_last_document(std::vector<Entry>& entries) {
  const std::int64_t last = entries.back().document_id;
  if (entries.front().document_id == last) return;
  while (entries.back().document_id == last) entries.pop_back();
}

// Returns the payment or refund that the entry books; empty for entries about fees, conversions, returns and others.
std::optional<Expected> expected_of(const OrderAggregate& order, const Entry& entry) {
  if (books_payment(entry.type))
    if (const Receipt* receipt = find_row(order.receipts, ReceiptId{entry.document_id}))
      return Expected{receipt->id, LineKind::payment, receipt->amount, receipt->currency, receipt->paid_at};
  if (!books_refund(entry.type)) return std::nullopt;
  if (entry.document_type == ObjectType::refund)
    if (const Refund* refund = find_row(order.refunds, RefundId{entry.document_id}))
      return Expected{refund->id, LineKind::refund, refund->amount, refund->currency, entry.created_at};
  if (entry.document_type == ObjectType::reversal)
    if (const Reversal* reversal = find_row(order.reversals, ReversalId{entry.document_id}))
      return Expected{reversal->id, LineKind::refund, reversal->amount, reversal->currency, entry.created_at};
  return std::nullopt;
}

}  // namespace

struct MissingFinder::Missing {
  ObjectRef document;
  MerchantId merchant_id;
  std::optional<OrderId> order_id;
  std::string what;  // for operators
  MinorUnits ours = 0;
  MinorUnits surplus = 0;  // what the channel has more than the books without a line
  Currency currency;
  std::string date;
  /// An entry that takes back the posting of the document, or a part of it, and its time.
  std::optional<ObjectRef> taken_back{};
  std::optional<Time> taken_back_at{};
};

Result<std::int64_t> MissingFinder::find() {
  const auto start = start_of_day(task_.statement.date, task_.plan.utc_offset);
  if (!start) return fail(fmt::format("{} is no day", task_.statement.date));
  const StatementKind kind = task_.statement.kind;
  const Time end = *start + 24h + (kind == StatementKind::trades ? kBookedAfterDay : Duration(0h));
  for (Time from = *start - kBookedBeforeDay; from < end; from = from + kEntrySpan) {
    const EntryId until{first_id_at(from + kEntrySpan) - 1};
    EntryId after{first_id_at(from) - 1};
    while (true) {
      auto entries = task_.reader.unmatched_entries(task_.account.id, kind, {after, until}, kRowsPerRead);
      if (!entries) return std::unexpected(entries.error());
      const bool is_last = entries->size() < kRowsPerRead;
      if (!is_last) remove_last_document(*entries);
      if (auto looked = look_for(*entries); !looked) return std::unexpected(looked.error());
      if (auto gone_on = task_.go_on(); !gone_on) return std::unexpected(gone_on.error());
      if (is_last) break;
      after = entries->back().id;
    }
  }
  CarriedDifferences carried(task_, differences_);
  const auto subject = [kind](const Difference& row) {
    return subject_of(kind, ObjectRef(row.document_type, row.document_id));
  };
  if (auto counted = carried.count(class_of(kind), subject); !counted) return std::unexpected(counted.error());
  if (kind == StatementKind::funds)
    if (auto counted = carried.count(DifferenceClass::refund_status, subject); !counted)
      return std::unexpected(counted.error());
  return carried_;
}

// Carries the payments and refunds of the entries if their day is over.
Result<void> MissingFinder::look_for(std::span<const Entry> entries) {
  if (entries.empty()) return {};
  const auto all = task_.statement.kind == StatementKind::trades ? missing_trades(entries) : missing_funds(entries);
  if (!all) return std::unexpected(all.error());
  std::vector<DifferenceRecorder::Subject> subjects;
  for (const Missing& one : *all) {
    subjects.push_back({one.merchant_id, subject_of(task_.statement.kind, one.document)});
    if (task_.statement.kind == StatementKind::funds)
      subjects.push_back({one.merchant_id, subject_of_document(one.document)});
  }
  if (auto read = differences_.prefetch(subjects); !read) return read;
  for (const Missing& one : *all)
    if (auto carried = carry(one); !carried) return carried;
  return {};
}

// Orders that are not found are unknown receipts, which have a case, or archived.
Result<std::vector<MissingFinder::Missing>> MissingFinder::missing_trades(std::span<const Entry> entries) {
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
    const bool is_refund = expected->kind == LineKind::refund;
    all.push_back({.document = expected->document,
                   .merchant_id = order.merchant_id,
                   .order_id = order.id,
                   .what = std::string(name_of(expected->kind)),
                   .ours = expected->amount,
                   .surplus = is_refund ? expected->amount : -expected->amount,
                   .currency = expected->currency,
                   .date = date_of(expected->at, task_.plan.utc_offset)});
  }
  return all;
}

// The entries of one document and commit are one movement of money.
Result<std::vector<MissingFinder::Missing>> MissingFinder::missing_funds(std::span<const Entry> entries) {
  std::vector<Missing> all;
  for (const Entry& entry : entries) {
    if (!needs_line(entry)) continue;
    const ObjectRef document(entry.document_type, entry.document_id);
    const bool continues = !all.empty() && all.back().document == document && !store::takes_back(entry.type);
    if (continues) {
      all.back().ours -= entry.amount;
      all.back().surplus += entry.amount;
      continue;
    }
    all.push_back({.document = document,
                   .merchant_id = entry.merchant_id,
                   .order_id = std::nullopt,
                   .what = std::string(name_of(entry.type)),
                   .ours = -entry.amount,
                   .surplus = entry.amount,
                   .currency = entry.currency,
                   .date = date_of(entry.created_at, task_.plan.utc_offset)});
    if (!store::takes_back(entry.type)) continue;
    all.back().taken_back = entry.id;
    all.back().taken_back_at = entry.created_at;
  }
  return all;
}

// A document of an earlier run may be carried already. Other differences of the document are counted elsewhere.
Result<void> MissingFinder::carry(const Missing& missing) {
  const StatementKind kind = task_.statement.kind;
  const DifferenceClass difference_class = class_of(kind);
  std::string subject = subject_of(kind, missing.document);
  auto known = differences_.find(missing.merchant_id, subject);
  if (!known) return std::unexpected(known.error());
  if (missing.taken_back && *known && (*known)->amount == -missing.surplus) {
    if (difference_machine.is_final((*known)->state)) return {};
    (*known)->ended_at = missing.taken_back_at;
    return differences_.record(std::move(**known), std::move(subject), DifferenceEvent::repair, missing.taken_back);
  }
  const ObjectRef document = missing.taken_back.value_or(missing.document);
  if (missing.taken_back) {
    subject = subject_of(kind, document);
    known = differences_.find(missing.merchant_id, subject);
    if (!known) return std::unexpected(known.error());
  }
  if (*known && (*known)->difference_class != difference_class) return {};
  if (kind == StatementKind::funds && !missing.taken_back) {
    const auto of_trades = differences_.find(missing.merchant_id, subject_of_document(missing.document));
    if (!of_trades) return std::unexpected(of_trades.error());
    if (*of_trades && is_confirmed(**of_trades)) return {};
  }
  ++carried_;
  if (*known) return {};
  Difference row;
  row.merchant_id = missing.merchant_id;
  row.kind = kind;
  row.date = missing.date;
  row.difference_class = difference_class;
  row.order_id = missing.order_id;
  row.document_type = document.type;
  row.document_id = document.value;
  row.ours = missing.ours;
  row.amount = missing.surplus;
  row.currency = missing.currency;
  row.subject = fmt::format("{} {}", missing.what, to_text(missing.document));
  row.changes_balance = kind != StatementKind::trades || !has_funds(task_.plan);
  return differences_.record(std::move(row), std::move(subject), DifferenceEvent::carry);
}

}  // namespace finality
