// Unknown receipt: a payment that a channel reports for an out_trade_no that Finality does not have. It is booked in
// the books of the platform. Operators decide in its case whether it is assigned to a merchant, or cancelled because
// the payment is booked elsewhere (docs/adr/0039-platform-books.md). (channel, channel_trade_no) is unique.
#pragma once

#include <optional>
#include <string>

#include "base/money.h"
#include "base/time/time.h"
#include "fsm/table.h"
#include "model/ids.h"
#include "model/objects/channel_account.h"
#include "model/objects/merchant.h"
#include "model/row.h"

namespace finality {

enum class UnknownReceiptState : std::uint8_t {
  unassigned,  // in the suspense account of the platform
  assigned,    // in the books of the merchant `assigned_to`
  cancelled,   // no longer in the books of the platform: the payment is booked elsewhere
};
BOOST_DESCRIBE_ENUM(UnknownReceiptState, unassigned, assigned, cancelled)

enum class UnknownReceiptEvent : std::uint8_t {
  assign,  // two operators assigned the receipt to a merchant
  cancel,  // two operators decided that the payment is booked elsewhere
};
BOOST_DESCRIBE_ENUM(UnknownReceiptEvent, assign, cancel)

enum class UnknownReceiptEffect : std::uint8_t { none };
BOOST_DESCRIBE_ENUM(UnknownReceiptEffect, none)

struct UnknownReceipt {
  UnknownReceiptId id;
  MerchantId merchant_id = kPlatform;  // owner of the books; always the platform
  std::string channel;
  ChannelAccountId channel_account_id;
  std::string channel_trade_no;
  std::string out_trade_no;  // as reported by the channel
  MinorUnits amount = 0;
  Currency currency;
  Funds funds = Funds::platform;  // of the channel account, when the receipt was recorded
  UnknownReceiptState state = UnknownReceiptState::unassigned;
  std::optional<MerchantId> assigned_to;
  // The channel reported refunds, or another amount, currency or out_trade_no, or that the trade is a capture of an
  // order. The receipt cannot be assigned, because its facts are not booked here, or booked for the order.
  bool is_contradicted = false;
  std::int64_t last_evidence = 0;  // digest of the last recorded evidence; repeated evidence is not recorded
  Time paid_at;
  Time created_at;
  std::int64_t children = 0;  // bit set of the child types with rows, computed by presence_of()
  std::int64_t version = 1;
};
BOOST_DESCRIBE_STRUCT(UnknownReceipt, (),
                      (id, merchant_id, channel, channel_account_id, channel_trade_no, out_trade_no, amount, currency,
                       funds, state, assigned_to, is_contradicted, last_evidence, paid_at, created_at, children,
                       version))
FINALITY_ROW(UnknownReceipt, "unknown_receipts", root, "id",
             "merchant_id channel channel_account_id channel_trade_no out_trade_no amount currency funds paid_at "
             "created_at",
             .about = "a payment of an unknown number, in the books of the platform")

inline constexpr auto unknown_receipt_machine = [] {
  using enum UnknownReceiptState;
  using E = UnknownReceiptEvent;
  using namespace fsm;
  Table<UnknownReceiptState, UnknownReceiptEvent, UnknownReceiptEffect> t{.name = "unknown_receipt",
                                                                          .title = "未知收款"};
  t.initial(unassigned);
  t.final_state(assigned);
  t.final_state(cancelled);
  //              unassigned          assigned  cancelled
  t.on(E::assign, {move_to(assigned), refuse, refuse});
  t.on(E::cancel, {move_to(cancelled), refuse, refuse});
  return t;
}();
constexpr const auto& machine_of(UnknownReceiptState) { return unknown_receipt_machine; }

}  // namespace finality
