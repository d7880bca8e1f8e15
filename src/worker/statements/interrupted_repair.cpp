#include "worker/statements/interrupted_repair.h"

#include <algorithm>

#include "base/id.h"
#include "decide/payment/collector.h"
#include "decide/refund/external_refund.h"
#include "model/out_trade_no.h"

namespace finality {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kEventsExamined = 100;
constexpr Duration kClockError = 1h;  // how far the clocks of the servers that receive and compare can differ

/// The object whose events contain the booking of a document.
struct Booked {
  ObjectRef object;
  bool is_created = false;          // by the booking; otherwise the booking moves it to `succeeded`
  std::optional<Time> posted_at{};  // of receipts: the time of the posting
};

// Receipts have no events: their collector has. Requested refunds and reversals exist before they are booked.
std::optional<Booked> booked_of(ObjectRef document, const OrderAggregate* order) {
  if (document.type == ObjectType::unknown_receipt) return Booked{document, true};
  if (order == nullptr) return std::nullopt;
  if (document.type == ObjectType::reversal) return Booked{document};
  if (const Receipt* receipt = find_row(order->receipts, ReceiptId{document.value}))
    return Booked{collector_id_of(*receipt), false, receipt->created_at};
  if (const Refund* refund = find_row(order->refunds, RefundId{document.value}))
    return Booked{document, is_external(*refund)};
  return std::nullopt;
}

bool is_booking(const Event& event, const Booked& booked) {
  if (booked.is_created) return !event.from_state;
  if (!event.journal_id) return false;
  return booked.posted_at ? event.at == *booked.posted_at : event.to_state == name_of(RefundState::succeeded);
}

}  // namespace

Result<std::optional<Comparison>> find_interrupted_repair(const MatchTask& task, const StatementLine& line,
                                                          const Comparison& now) {
  const Statement& statement = task.statement;
  if (statement.source != StatementSource::fetched || statement.state != StatementState::matching) return std::nullopt;
  // A document that is older than the file was not booked from it. Requested refunds are older than their booking.
  const bool is_requested = line.kind == LineKind::refund && parse_out_refund_no(line.out_refund_no).has_value();
  const Time received = statement.received_at.value_or(Time{});
  if (!is_requested && now.document.value < first_id_at(received - kClockError)) return std::nullopt;
  const std::int64_t root = now.order_id ? now.order_id->value : now.document.value;
  WorkingSet rows;
  if (now.order_id) {
    ReadSet reads;
    reads.orders.push_back(*now.order_id);
    if (auto loaded = task.reader.load(reads, rows); !loaded) return std::unexpected(loaded.error());
  }
  const OrderAggregate* order = now.order_id ? rows.orders.find(*now.order_id) : nullptr;
  const auto booked = booked_of(now.document, order);
  if (!booked) return std::nullopt;
  const auto events = task.reader.events(root, booked->object, {.limit = kEventsExamined}, false);
  if (!events) return std::unexpected(events.error());
  const bool is_repaired = std::ranges::any_of(events->rows, [&](const Event& event) {
    return event.cause == CauseKind::statement && is_booking(event, *booked);
  });
  return is_repaired ? std::optional(before_repair(line, order, now)) : std::nullopt;
}

}  // namespace finality
