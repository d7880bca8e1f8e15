// The list of all commands. Every change of state is a command; no other write path exists.
#pragma once

#include <boost/mp11/algorithm.hpp>
#include <boost/mp11/list.hpp>

#include <variant>

#include "decide/account/change_account.h"
#include "decide/account/create_hold.h"
#include "decide/account/expire_hold.h"
#include "decide/account/lock_account.h"
#include "decide/account/open_account.h"
#include "decide/account/post_hold.h"
#include "decide/account/post_transfer.h"
#include "decide/account/reverse_transfer.h"
#include "decide/account/unlock_account.h"
#include "decide/account/void_hold.h"
#include "decide/adjustment/decide_adjustment.h"
#include "decide/adjustment/propose_adjustment.h"
#include "decide/authorization/create_capture.h"
#include "decide/authorization/query_authorization.h"
#include "decide/authorization/record_authorization.h"
#include "decide/authorization/record_capture.h"
#include "decide/authorization/release_authorization.h"
#include "decide/authorization/settle_wallet_hold.h"
#include "decide/authorization/start_authorization.h"
#include "decide/channel/claim_request.h"
#include "decide/channel/register_channel_account.h"
#include "decide/channel/set_channel_rate.h"
#include "decide/delivery/claim_delivery.h"
#include "decide/delivery/create_webhook_endpoint.h"
#include "decide/delivery/delete_webhook_endpoint.h"
#include "decide/delivery/record_delivery.h"
#include "decide/delivery/resend_delivery.h"
#include "decide/delivery/rotate_webhook_secret.h"
#include "decide/exception/approve_resolution.h"
#include "decide/exception/propose_resolution.h"
#include "decide/identity/advance_identity_check.h"
#include "decide/identity/record_identity.h"
#include "decide/merchant/create_api_key.h"
#include "decide/merchant/create_merchant.h"
#include "decide/merchant/revoke_api_key.h"
#include "decide/merchant/set_branding.h"
#include "decide/merchant/set_fee.h"
#include "decide/merchant/set_price.h"
#include "decide/order/close_order.h"
#include "decide/order/create_order.h"
#include "decide/order/expire_order.h"
#include "decide/order/park_order.h"
#include "decide/order/restore_order.h"
#include "decide/payment/query_payment.h"
#include "decide/payment/record_evidence.h"
#include "decide/payment/record_unknown_receipt.h"
#include "decide/payment/start_payment.h"
#include "decide/refund/create_refund.h"
#include "decide/refund/record_refund.h"
#include "decide/refund/record_refund_notice.h"
#include "decide/statement/expect_statement.h"
#include "decide/statement/index_statement.h"
#include "decide/statement/receive_statement.h"
#include "decide/statement/record_difference.h"
#include "decide/statement/record_matches.h"
#include "decide/statement/step_statement.h"

namespace finality {

/// Expands DO(Type) for each command type.
#define FINALITY_COMMANDS(DO) \
  DO(CreateOrder)             \
  DO(StartPayment)            \
  DO(ClaimRequest)            \
  DO(QueryPayment)            \
  DO(RecordEvidence)          \
  DO(StartAuthorization)      \
  DO(RecordAuthorization)     \
  DO(QueryAuthorization)      \
  DO(ReleaseAuthorization)    \
  DO(SettleWalletHold)        \
  DO(CreateCapture)           \
  DO(RecordCapture)           \
  DO(CreateRefund)            \
  DO(RecordRefund)            \
  DO(RecordRefundNotice)      \
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
  DO(SetBranding)             \
  DO(CreateApiKey)            \
  DO(RevokeApiKey)            \
  DO(ParkOrder)               \
  DO(RestoreOrder)            \
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
  DO(RegisterChannelAccount)  \
  DO(SetChannelRate)          \
  DO(RecordUnknownReceipt)    \
  DO(ProposeAdjustment)       \
  DO(DecideAdjustment)        \
  DO(ExpectStatement)         \
  DO(StepStatement)           \
  DO(ReceiveStatement)        \
  DO(IndexStatement)          \
  DO(RecordMatches)           \
  DO(RecordDifference)        \
  DO(RecordIdentity)          \
  DO(AdvanceIdentityCheck)

#define FINALITY_LIST_COMMAND(Type) , Type
using AnyCommand = boost::mp11::mp_rename<
    boost::mp11::mp_pop_front<boost::mp11::mp_list<void FINALITY_COMMANDS(FINALITY_LIST_COMMAND)>>, std::variant>;

/// A command of any type. Its special members involve every alternative and are compiled only once, in command.cpp.
class Command : public AnyCommand {
 public:
  Command();
  template <class C>
    requires boost::mp11::mp_contains<AnyCommand, C>::value
  Command(C command);  // NOLINT: implicit, every command type is a command
  Command(const Command& other);
  Command(Command&& other) noexcept;
  Command& operator=(const Command& other);
  Command& operator=(Command&& other) noexcept;
  ~Command();
};

}  // namespace finality
