// Every command there is. Whatever changes state is one of these; there is no second write path.
#pragma once

#include <boost/mp11/algorithm.hpp>

#include <variant>

#include "decide/account.h"
#include "decide/claim_delivery.h"
#include "decide/claim_payment.h"
#include "decide/claim_refund.h"
#include "decide/close_order.h"
#include "decide/create_merchant.h"
#include "decide/create_order.h"
#include "decide/create_refund.h"
#include "decide/hold.h"
#include "decide/lock_account.h"
#include "decide/park_order.h"
#include "decide/post_transfer.h"
#include "decide/query_payment.h"
#include "decide/record_delivery.h"
#include "decide/record_evidence.h"
#include "decide/record_refund.h"
#include "decide/resend_delivery.h"
#include "decide/resolve_case.h"
#include "decide/set_fee.h"
#include "decide/set_price.h"
#include "decide/start_payment.h"
#include "decide/webhook_endpoint.h"

namespace finality {

using AnyCommand = std::variant<CreateOrder, StartPayment, ClaimPayment, QueryPayment, RecordEvidence, CreateRefund,
                                ClaimRefund, RecordRefund, ProposeResolution, ApproveResolution, CloseOrder,
                                ExpireOrder, ClaimDelivery, RecordDelivery, ResendDelivery, CreateWebhookEndpoint,
                                RotateWebhookSecret, DeleteWebhookEndpoint, CreateMerchant, CreateApiKey, RevokeApiKey,
                                ParkOrder, OpenAccount, ChangeAccount, LockAccount, UnlockAccount, PostTransfer,
                                ReverseTransfer, CreateHold, PostHold, VoidHold, ExpireHold, SetPrice, SetFee>;

/// One of them. Making, copying and destroying one concerns every alternative: that is compiled once, in command.cpp.
class Command : public AnyCommand {
 public:
  Command();
  template <class C>
    requires boost::mp11::mp_contains<AnyCommand, C>::value
  Command(C command);  // NOLINT: each of them is one
  Command(const Command& other);
  Command(Command&& other) noexcept;
  Command& operator=(const Command& other);
  Command& operator=(Command&& other) noexcept;
  ~Command();
};

}  // namespace finality
