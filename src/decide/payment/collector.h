// The collector of a receipt: the row that collected the money at the channel
// (docs/adr/0047-receipt-has-a-collector.md). Code that goes from a receipt, refund, reversal or channel settlement to
// that row uses these functions, which alone know its row type. Each payment and each capture is a collector.
#pragma once

#include <concepts>
#include <optional>
#include <string_view>

#include "model/aggregate.h"
#include "model/policy.h"

namespace finality {

/// A row that belongs to a collector: a receipt, refund, reversal or channel settlement.
template <class Row>
concept CollectedRow = requires(Row row) {
  { row.payment_id } -> std::same_as<PaymentId&>;
  { row.capture_id } -> std::same_as<std::optional<CaptureId>&>;
};

/// Whether the refund returns the whole trade of an authorization, whose captures share it. It names no collector.
inline bool is_of_whole_trade(const Refund& row) { return row.payment_id == PaymentId{} && !row.capture_id; }

/// Returns the id of the collector that the row names. A refund of a whole trade names none.
template <CollectedRow Row>
ObjectRef collector_id_of(const Row& row) {
  return row.capture_id ? ObjectRef(*row.capture_id) : ObjectRef(row.payment_id);
}

/// Returns the id of the collector to which the row of the order belongs. A refund of a whole trade belongs to the
/// collector of its receipt.
template <CollectedRow Row>
ObjectRef collector_id_of(const OrderAggregate& aggregate, const Row& row) {
  if constexpr (std::same_as<Row, Refund>) {
    const bool has_receipt = is_of_whole_trade(row) && row.receipt_id;
    const Receipt* receipt = has_receipt ? find_row(aggregate.receipts, *row.receipt_id) : nullptr;
    if (receipt != nullptr) return collector_id_of(*receipt);
  }
  return collector_id_of(row);
}

/// Sets the collector of a new row. REQUIRES: `collector` is the id of a collector.
template <CollectedRow Row>
void set_collector(Row& row, ObjectRef collector) {
  if (collector.type == ObjectType::capture)
    row.capture_id = CaptureId{collector.value};
  else
    row.payment_id = PaymentId{collector.value};
}

/// Whether the row names the collector `id`. False for ids of other objects.
template <CollectedRow Row>
bool is_collected_by(const Row& row, ObjectRef id) {
  return collector_id_of(row) == id;
}

/// The columns that all collectors share. They never change, except that the fee is set once. The texts are views of
/// the row: valid until a row of its type is added to the order.
struct Collector {
  ObjectRef id;
  OrderId order_id;
  MerchantId merchant_id;
  std::string_view channel;
  ChannelAccountId channel_account_id;
  Funds funds = Funds::platform;
  std::string_view method;
  std::string_view out_trade_no;
  std::optional<std::string_view> scenario;
  std::optional<AccountId> account_id;                // only for the wallet: the debited user account
  std::optional<AuthorizationId> authorization_id{};  // only of captures
  MinorUnits amount = 0;
  Currency currency;
  MinorUnits fee_amount = 0;    // charged with the accepted receipt
  bool fee_refundable = false;  // Fee::refundable at that time
};

Collector collector_of(const Payment& payment);
/// `authorization`: that of the capture.
Collector collector_of(const Authorization& authorization, const Capture& capture);

/// Returns the collector; empty if the order does not have it.
std::optional<Collector> find_collector(const OrderAggregate& aggregate, ObjectRef id);

/// Returns the collector. REQUIRES: the order has it.
Collector collector_with(const OrderAggregate& aggregate, ObjectRef id);

/// Returns the collector to which the row belongs. REQUIRES: the row is of this order.
template <CollectedRow Row>
Collector collector_of(const OrderAggregate& aggregate, const Row& row) {
  return collector_with(aggregate, collector_id_of(aggregate, row));
}

/// Sets what a new refund returns: the payment, the capture, or the whole trade where the channel refunds
/// authorizations.
void name_refunded(const Policy& policy, const Collector& collector, Refund& refund);

/// Returns the collector's receipt that was accepted for the order; null if it has none. It has at most one.
const Receipt* accepted_receipt_of(const OrderAggregate& aggregate, ObjectRef collector);

/// Adds a new receipt to the sum of its collector's receipts, if it has the collector's currency, and an accepted one
/// to the order's paid amount and to the captured amount of its capture's authorization. Returns false, and adds
/// nothing, when a sum overflows.
bool add_collected(OrderAggregate& aggregate, const Receipt& receipt);

/// Adds a receipt of a payment, which was in suspense before, to the order's paid amount. Returns false, and adds
/// nothing, when the sum overflows.
bool add_accepted(Order& order, const Receipt& receipt);

/// Adds `amount`, which is negative for a return, to the refunded amount of the order, and allocates it to the captures
/// of the receipt's trade (allocated_to() in trade.h), if the refunded receipt was accepted. Money in suspense was
/// never the order's.
void add_refunded(OrderAggregate& aggregate, const Receipt& receipt, MinorUnits amount);

/// Adds a returned receipt to the sum of its collector's returned receipts, if it has the collector's currency.
void add_reversed(OrderAggregate& aggregate, const Receipt& receipt);

/// Stores the fee that is charged for an accepted receipt on its collector.
void set_fee(OrderAggregate& aggregate, const Receipt& receipt, MinorUnits amount, bool refundable);

/// Makes the receipt's collector due now for a query of the running total of a trade: that of its last receipt with
/// is_total_queried. Ends the query if it has no such receipt. One trade of a collector is queried at a time.
void plan_total_query(OrderAggregate& aggregate, const Receipt& receipt, Time now);

}  // namespace finality
