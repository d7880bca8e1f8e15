// POST /v1/adjustments: proposes an adjustment of a merchant's books. Posts nothing.
#pragma once

#include <string>

#include "decide/context.h"
#include "model/read_set.h"

namespace finality {

struct ProposeAdjustment {
  MerchantId merchant_id;
  AdjustmentType type = AdjustmentType::opening_balance;
  AccountKind account = AccountKind::merchant_payable;
  std::string channel;  // of channel_receivable: the channel; of bank: the bank account or empty; otherwise empty
  Currency currency;
  MinorUnits amount = 0;
  std::string note;
  std::string proposed_by;  // id of the operator's API key
};

void add_reads(const ProposeAdjustment& command, ReadSet& reads);

/// Creates an adjustment in state `proposed`. Refuses with `invalid_request` if `channel` is an unknown channel or the
/// wallet, or is an unknown bank account or one of another currency. Adjustments of `bank` must name a bank account if
/// the configuration has one.
/// REQUIRES: is_adjustable(account); penalties and rounding differences adjust channel_receivable; `amount` is within
/// limits::kAmountMax and not 0, and positive for a penalty.
Decision decide(const ProposeAdjustment& command, Context& context);

}  // namespace finality
