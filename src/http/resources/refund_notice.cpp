#include "http/resources/refund_notice.h"

#include "model/out_trade_no.h"

namespace finality::http {
namespace {

using Found = std::expected<RecordRefund, NoSuchRefund>;

// Whether trade, amount and currency of the notification match the row.
template <class Row>
bool fits(const Notification& notification, const Payment& payment, const Row& row) {
  const Evidence& evidence = notification.evidence;
  if (notification.out_trade_no != payment.out_trade_no) return false;
  return !evidence.refund || (evidence.refund->amount == row.amount && evidence.currency == row.currency);
}

// The command for the refund or reversal whose id is in the refund number `number`.
template <class Rows>
Found command_of(const OrderAggregate& aggregate, const Rows& rows, const OutRefundNo& number, std::string_view channel,
                 const Notification& notification) {
  using Row = typename Rows::value_type;
  const Row* row = find_row(rows, decltype(Row::id){number.object});
  const Payment* payment = row == nullptr ? nullptr : find_row(aggregate.payments, row->payment_id);
  if (payment == nullptr || payment->channel != channel || row->merchant_id != number.merchant_id ||
      number.attempt > row->attempts || !fits(notification, *payment, *row))
    return std::unexpected(NoSuchRefund::foreign);
  const RefundNotice& notice = *notification.refund;
  return RecordRefund{row->merchant_id, row->order_id, row->id,     notice.out_refund_no,
                      payment->channel, row->currency, row->amount, notice.evidence};
}

// Finds the refund or reversal of the refund number among the rows of one type.
template <class AnId, class Rows>
Found find(Reader& reader, const OutRefundNo& number, std::string_view channel, const Notification& notification,
           Rows OrderAggregate::* rows) {
  const Result<std::optional<OrderId>> order_id = reader.order_of(AnId{number.object});
  if (!order_id) return std::unexpected(NoSuchRefund::unreadable);
  if (!*order_id) return std::unexpected(NoSuchRefund::missing);
  const Result<std::optional<OrderAggregate>> found = reader.order(**order_id);
  if (!found) return std::unexpected(NoSuchRefund::unreadable);
  if (!*found) return std::unexpected(NoSuchRefund::missing);
  return command_of(**found, (**found).*rows, number, channel, notification);
}

}  // namespace

std::expected<RecordRefund, NoSuchRefund> read_refund_notice(Reader& reader, std::string_view channel,
                                                             const Notification& notification) {
  const auto number = parse_out_refund_no(notification.refund->out_refund_no);
  if (!number) return std::unexpected(NoSuchRefund::foreign);
  Found found = find<RefundId>(reader, *number, channel, notification, &OrderAggregate::refunds);
  if (!found && found.error() == NoSuchRefund::missing)  // ids of all types share one sequence
    found = find<ReversalId>(reader, *number, channel, notification, &OrderAggregate::reversals);
  return found;
}

}  // namespace finality::http
