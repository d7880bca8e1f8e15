// Accounts that a merchant opens for its users: open, freeze, unfreeze, close.
#pragma once

#include <string>

#include "decide/context.h"
#include "model/read_set.h"

namespace finality {

struct OpenAccount {
  MerchantId merchant_id;
  std::string name;
  std::string label;  // the merchant's word for its kind
  Currency currency;
  MinorUnits overdraft = 0;
};

void add_reads(const OpenAccount& command, ReadSet& reads);
Decision decide(const OpenAccount& command, Context& context);

/// Freezes, unfreezes or closes. REQUIRES: `event` is one of these.
struct ChangeAccount {
  MerchantId merchant_id;
  AccountId account_id;
  AccountEvent event = AccountEvent::freeze;
};

void add_reads(const ChangeAccount& command, ReadSet& reads);

/// What has been done already is done again without a change. Refuses: not_found, account_closed, illegal_transition
/// (a close with money or holds in it).
Decision decide(const ChangeAccount& command, Context& context);

}  // namespace finality
