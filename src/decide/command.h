// Every command there is. Whatever changes state is one of these; there is no second write path.
#pragma once

#include <boost/mp11/algorithm.hpp>
#include <boost/mp11/list.hpp>

#include <variant>

#include "decide/account.h"
#include "decide/claim_delivery.h"
#include "decide/claim_request.h"
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
#include "decide/register_channel_account.h"
#include "decide/resend_delivery.h"
#include "decide/resolve_case.h"
#include "decide/set_fee.h"
#include "decide/set_price.h"
#include "decide/start_payment.h"
#include "decide/webhook_endpoint.h"

namespace finality {

/// DO(Type) for each of them.
#define FINALITY_COMMANDS(DO) \
  DO(CreateOrder)             \
  DO(StartPayment)            \
  DO(ClaimRequest)            \
  DO(QueryPayment)            \
  DO(RecordEvidence)          \
  DO(CreateRefund)            \
  DO(RecordRefund)            \
  DO(ProposeResolution)       \
  DO(ApproveResolution)       \
  DO(CloseOrder)              \
  DO(ExpireOrder)             \
  DO(ClaimDelivery)           \
  DO(RecordDelivery)          \
  DO(ResendDelivery)          \
  DO(CreateWebhookEndpoint)   \
  DO(RotateWebhookSecret)     \
  DO(DeleteWebhookEndpoint)   \
  DO(CreateMerchant)          \
  DO(CreateApiKey)            \
  DO(RevokeApiKey)            \
  DO(ParkOrder)               \
  DO(OpenAccount)             \
  DO(ChangeAccount)           \
  DO(LockAccount)             \
  DO(UnlockAccount)           \
  DO(PostTransfer)            \
  DO(ReverseTransfer)         \
  DO(CreateHold)              \
  DO(PostHold)                \
  DO(VoidHold)                \
  DO(ExpireHold)              \
  DO(SetPrice)                \
  DO(SetFee)                  \
  DO(RegisterChannelAccount)

#define FINALITY_LIST_COMMAND(Type) , Type
using AnyCommand = boost::mp11::mp_rename<
    boost::mp11::mp_pop_front<boost::mp11::mp_list<void FINALITY_COMMANDS(FINALITY_LIST_COMMAND)>>, std::variant>;

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
