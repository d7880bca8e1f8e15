#include "decide/command.h"

#include <utility>

namespace finality {

template <class C>
  requires boost::mp11::mp_contains<AnyCommand, C>::value
Command::Command(C command) : AnyCommand(std::move(command)) {}

Command::Command() = default;
Command::Command(const Command& other) = default;
Command::Command(Command&& other) noexcept = default;
Command& Command::operator=(const Command& other) = default;
Command& Command::operator=(Command&& other) noexcept = default;
Command::~Command() = default;

template Command::Command(CreateOrder);
template Command::Command(StartPayment);
template Command::Command(ClaimPayment);
template Command::Command(QueryPayment);
template Command::Command(RecordEvidence);
template Command::Command(CreateRefund);
template Command::Command(ClaimRefund);
template Command::Command(RecordRefund);
template Command::Command(ProposeResolution);
template Command::Command(ApproveResolution);
template Command::Command(CloseOrder);
template Command::Command(ExpireOrder);
template Command::Command(ClaimDelivery);
template Command::Command(RecordDelivery);
template Command::Command(ResendDelivery);
template Command::Command(CreateWebhookEndpoint);
template Command::Command(RotateWebhookSecret);
template Command::Command(DeleteWebhookEndpoint);
template Command::Command(CreateMerchant);
template Command::Command(CreateApiKey);
template Command::Command(RevokeApiKey);
template Command::Command(ParkOrder);
template Command::Command(OpenAccount);
template Command::Command(ChangeAccount);
template Command::Command(LockAccount);
template Command::Command(UnlockAccount);
template Command::Command(PostTransfer);
template Command::Command(ReverseTransfer);
template Command::Command(CreateHold);
template Command::Command(PostHold);
template Command::Command(VoidHold);
template Command::Command(ExpireHold);
template Command::Command(SetPrice);
template Command::Command(SetFee);

}  // namespace finality
