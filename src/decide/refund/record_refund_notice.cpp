#include "decide/refund/record_refund_notice.h"

#include <algorithm>

#include "decide/authorization/held.h"
#include "decide/payment/book_channel_settlement.h"
#include "decide/payment/collector.h"
#include "decide/payment/find_payment.h"
#include "decide/refund/external_refund.h"
#include "model/out_trade_no.h"

namespace finality {
namespace {

/// The reported trade: the order and the collector that the notification is about.
struct Trade {
  const OrderAggregate* aggregate = nullptr;  // null: the channel has no such payment or capture
  ObjectRef collector{};
};

Trade find_trade(const RecordEvidence& command, const Context& context) {
  const auto [aggregate, payment] = find_payment(context.rows, command.payment_id);
  return is_evidence_about(command, payment) ? Trade{aggregate, payment->id} : Trade{};
}
Trade find_trade(const RecordCapture& command, const Context& context) {
  const OrderAggregate* aggregate = context.rows.orders.find(command.order_id);
  const Capture* capture = find_capture(command, aggregate);
  if (capture == nullptr) return {};
  const Capture* total = booked_as(*aggregate, *capture);
  return {aggregate, total != nullptr ? total->id : capture->id};
}

// Returns the evidence about the trade.
const Evidence& evidence_of(const RecordRefundNotice& command) {
  return std::visit([](const auto& trade) -> const Evidence& { return trade.evidence; }, command.trade);
}
const std::string& channel_of(const RecordRefundNotice& command) {
  return std::visit([](const auto& trade) -> const std::string& { return trade.channel; }, command.trade);
}
MerchantId merchant_of(const RecordRefundNotice& command) {
  return std::visit([](const auto& trade) { return trade.merchant_id; }, command.trade);
}

// Whether the refund or reversal returns money of a trade that the collector has a receipt of.
template <class Row>
bool is_of_trade(const Trade& trade, const Row& row) {
  return std::ranges::any_of(trade.aggregate->receipts, [&](const Receipt& receipt) {
    return is_collected_by(receipt, trade.collector) && is_refund_of_trade(*trade.aggregate, row, receipt);
  });
}

// Whether trade, merchant, attempt, currency and reported amount of the notification agree with the refund or reversal.
template <class Row>
bool is_about(const Evidence& reported, const Trade& trade, const OutRefundNo& number, const Row& row) {
  return is_of_trade(trade, row) && row.merchant_id == number.merchant_id && number.attempt <= row.attempts &&
         reported.currency == row.currency && (!reported.refund || reported.refund->amount == row.amount);
}

// Returns the command for the refund or reversal that `number` identifies. Empty when the order has no such row, or
// when is_about() is false.
template <class Row>
std::optional<RecordRefund> command_for(const RecordRefundNotice& command, const OutRefundNo& number,
                                        const Trade& trade) {
  const Row* row = find_row(children_in<Row>(*trade.aggregate), decltype(Row::id){number.object});
  if (row == nullptr || !is_about(evidence_of(command), trade, number, *row)) return std::nullopt;
  return RecordRefund{row->merchant_id,    row->order_id, row->id,     command.out_refund_no,
                      channel_of(command), row->currency, row->amount, command.evidence};
}

}  // namespace

void add_reads(const RecordRefundNotice& command, ReadSet& reads) {
  std::visit([&](const auto& trade) { add_reads(trade, reads); }, command.trade);
  const Currency currency = evidence_of(command).currency;
  add_reads_of_refund_evidence(merchant_of(command), channel_of(command), currency, reads);
  add_reads_of_settlement(merchant_of(command), channel_of(command), currency, command.evidence.settlement, reads);
}

Decision decide(const RecordRefundNotice& command, Context& context) {
  const Trade trade = std::visit([&](const auto& one) { return find_trade(one, context); }, command.trade);
  if (trade.aggregate == nullptr) return refuse(RefusalCode::not_found, "The channel has no such payment or capture.");
  if (const auto number = parse_out_refund_no(command.out_refund_no)) {
    if (const auto refund = command_for<Refund>(command, *number, trade)) return decide(*refund, context);
    if (const auto reversal = command_for<Reversal>(command, *number, trade)) return decide(*reversal, context);
  }
  if (!evidence_of(command).refund) return refuse(RefusalCode::not_found, "The refund does not exist.");
  return std::visit([&](const auto& one) { return decide(one, context); }, command.trade);
}

}  // namespace finality
