// Channel settlement: the movement of our balance at a channel that belongs to one receipt, refund or reversal, as the
// channel reports it, often an hour later. Its currency may differ from that of the receipt or refund. The channel's
// transaction number is unique within the merchant and channel account (design-2 §4).
#pragma once

#include <optional>
#include <string>

#include "base/money.h"
#include "base/time/time.h"
#include "model/ids.h"
#include "model/row.h"

namespace finality {

/// All amounts are positive, except that a negative `fee` is a fee that the channel returned.
struct ChannelSettlement {
  ChannelSettlementId id;
  OrderId order_id;
  PaymentId payment_id;  // 0 if a capture collected the receipt
  std::optional<CaptureId> capture_id;
  MerchantId merchant_id;
  std::string channel;                             // name of the channel account
  ObjectType document_type = ObjectType::receipt;  // receipt, refund or reversal
  std::int64_t document_id = 0;
  std::string transaction_no;
  MinorUnits amount = 0;  // of the document, in `currency`
  Currency currency;
  MinorUnits settled_amount = 0;  // gross, before the fee, in `settled_currency`
  Currency settled_currency;
  MinorUnits fee = 0;  // in `settled_currency`
  // Parts of `amount` and `settled_amount` that the merchant's balance was converted by; 0: not converted.
  MinorUnits merchant_amount = 0;
  MinorUnits merchant_settled = 0;
  std::string exchange_rate;         // as reported, for display; never used in a calculation
  std::optional<Time> available_on;  // when the channel can pay the amount out
  Time created_at;

  /// Whether the amount is converted: the channel settles in another currency.
  bool is_converted() const { return currency != settled_currency; }
};
BOOST_DESCRIBE_STRUCT(ChannelSettlement, (),
                      (id, order_id, payment_id, capture_id, merchant_id, channel, document_type, document_id,
                       transaction_no, amount, currency, settled_amount, settled_currency, fee, merchant_amount,
                       merchant_settled, exchange_rate, available_on, created_at))
FINALITY_ROW(
    ChannelSettlement, "channel_settlements", child, "order_id id",
    "payment_id capture_id merchant_id channel document_type document_id transaction_no amount currency settled_amount "
    "settled_currency fee merchant_amount merchant_settled exchange_rate available_on created_at",
    .about =
        "the settlement of a receipt, refund or reversal that the channel reported, with its amount in "
        "the settlement currency and its fee",
    .parent = "order_id", .presence = 6)

}  // namespace finality
