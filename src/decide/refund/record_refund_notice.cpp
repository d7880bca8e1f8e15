#include "decide/refund/record_refund_notice.h"

#include "decide/payment/book_channel_settlement.h"
#include "decide/payment/collector.h"
#include "decide/payment/find_payment.h"
#include "model/out_trade_no.h"

namespace finality {
namespace {

// Whether collector, merchant, attempt, currency and reported amount of the notification agree with the refund or
// reversal.
template <class Row>
bool is_about(const RecordRefundNotice& command, const OutRefundNo& number, const Row& row) {
  const Evidence& reported = command.payment.evidence;
  return is_collected_by(row, command.payment.payment_id) && row.merchant_id == number.merchant_id &&
         number.attempt <= row.attempts && reported.currency == row.currency &&
         (!reported.refund || reported.refund->amount == row.amount);
}

// Returns the command for the refund or reversal that `number` identifies. Empty when the order has no such row, or
// when is_about() is false.
template <class Row>
std::optional<RecordRefund> command_for(const RecordRefundNotice& command, const OutRefundNo& number,
                                        const OrderAggregate& aggregate) {
  const Row* row = find_row(children_in<Row>(aggregate), decltype(Row::id){number.object});
  if (row == nullptr || !is_about(command, number, *row)) return std::nullopt;
  return RecordRefund{row->merchant_id,        row->order_id, row->id,     command.out_refund_no,
                      command.payment.channel, row->currency, row->amount, command.evidence};
}

}  // namespace

void add_reads(const RecordRefundNotice& command, ReadSet& reads) {
  add_reads(command.payment, reads);
  const RecordEvidence& payment = command.payment;
  add_reads_of_refund_evidence(payment.merchant_id, payment.channel, payment.evidence.currency, reads);
  add_reads_of_settlement(payment.merchant_id, payment.channel, payment.evidence.currency, command.evidence.settlement,
                          reads);
}

Decision decide(const RecordRefundNotice& command, Context& context) {
  const auto [aggregate, payment] = find_payment(context.rows, command.payment.payment_id);
  if (!is_evidence_about(command.payment, payment))
    return refuse(RefusalCode::not_found, "The channel has no such payment.");
  if (const auto number = parse_out_refund_no(command.out_refund_no)) {
    if (const auto refund = command_for<Refund>(command, *number, *aggregate)) return decide(*refund, context);
    if (const auto reversal = command_for<Reversal>(command, *number, *aggregate)) return decide(*reversal, context);
  }
  if (!command.payment.evidence.refund) return refuse(RefusalCode::not_found, "The refund does not exist.");
  return decide(command.payment, context);
}

}  // namespace finality
