// Adjustment (调账): a posting that operators make by hand: one operator proposes it, another operator approves it. For
// opening balances, and for penalties and rounding differences of a channel (docs/adr/0040-adjustments.md).
#pragma once

#include <optional>
#include <string>

#include "base/money.h"
#include "base/time/time.h"
#include "fsm/table.h"
#include "model/ids.h"
#include "model/objects/account.h"
#include "model/objects/channel_account.h"
#include "model/row.h"

namespace finality {

enum class AdjustmentType : std::uint8_t {
  opening_balance,  // balance of an account when the merchant starts to use Finality
  penalty,          // amount that a channel deducted from the settlement, for example for a violation of its rules
  rounding,         // difference between our books and the settlement of a channel, in both directions
};
BOOST_DESCRIBE_ENUM(AdjustmentType, opening_balance, penalty, rounding)

enum class AdjustmentState : std::uint8_t { proposed, posted, rejected };
BOOST_DESCRIBE_ENUM(AdjustmentState, proposed, posted, rejected)

enum class AdjustmentEvent : std::uint8_t {
  approve,  // an operator other than the proposer approved the adjustment
  reject,   // an operator rejected or withdrew the adjustment
};
BOOST_DESCRIBE_ENUM(AdjustmentEvent, approve, reject)

enum class AdjustmentEffect : std::uint8_t { none };
BOOST_DESCRIBE_ENUM(AdjustmentEffect, none)

struct Adjustment {
  AdjustmentId id;
  MerchantId merchant_id;
  AdjustmentType type = AdjustmentType::opening_balance;
  AccountKind account = AccountKind::merchant_payable;  // the adjusted account; see is_adjustable()
  std::string channel;  // of channel_receivable: the channel; of bank: the bank account or empty; otherwise empty
  std::optional<ChannelAccountId> channel_account_id;  // of `channel`, if it has one
  Funds funds = Funds::platform;                       // of `channel` when the adjustment was proposed
  Currency currency;
  MinorUnits amount = 0;  // of the entry on the adjusted account: a credit is positive, a debit negative; never 0
  std::string note;
  AdjustmentState state = AdjustmentState::proposed;
  std::string proposed_by;                // id of the operator's API key
  std::optional<std::string> decided_by;  // id of the API key that approved or rejected; empty until then
  Time created_at;
  std::int64_t version = 1;
};
BOOST_DESCRIBE_STRUCT(Adjustment, (),
                      (id, merchant_id, type, account, channel, channel_account_id, funds, currency, amount, note,
                       state, proposed_by, decided_by, created_at, version))
FINALITY_ROW(
    Adjustment, "adjustments", root, "id",
    "merchant_id type account channel channel_account_id funds currency amount note proposed_by created_at",
    .about = "a posting that operators make by hand (调账): an opening balance, a penalty or a rounding difference")

/// Whether an opening balance can adjust an account of that kind.
constexpr bool is_adjustable(AccountKind kind) {
  using enum AccountKind;
  return kind == merchant_payable || kind == merchant_direct || kind == channel_receivable || kind == bank;
}

inline constexpr auto adjustment_machine = [] {
  using enum AdjustmentState;
  using E = AdjustmentEvent;
  using namespace fsm;
  Table<AdjustmentState, AdjustmentEvent, AdjustmentEffect> t{.name = "adjustment", .title = "调账"};
  t.initial(proposed);
  t.final_state(posted);
  t.final_state(rejected);
  // clang-format off
  //               proposed            posted  rejected
  t.on(E::approve, {move_to(posted),   keep,   refuse});
  t.on(E::reject,  {move_to(rejected), refuse, keep});
  // clang-format on
  return t;
}();
constexpr const auto& machine_of(AdjustmentState) { return adjustment_machine; }

}  // namespace finality
