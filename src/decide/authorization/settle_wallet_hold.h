// Performs a claimed request of a wallet authorization: posts its hold for a capture, or voids it for a release. The
// wallet is a channel whose calls need no request (docs/adr/0049-wallet-authorization-is-a-hold.md).
#pragma once

#include "decide/context.h"
#include "model/read_set.h"

namespace finality {

struct SettleWalletHold {
  MerchantId merchant_id;
  OrderId order_id;
  ObjectRef row;        // a capture that is sent, or an authorization that is being released
  Currency currency{};  // of the order; determines the accounts to load
};

void add_reads(const SettleWalletHold& command, ReadSet& reads);

/// Has no effect if the capture or the authorization is final. Refuses with `not_found` (no such row).
Decision decide(const SettleWalletHold& command, Context& context);

}  // namespace finality
