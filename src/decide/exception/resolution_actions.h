// The actions of approved resolutions on an order and its money, one function per resolution.
#pragma once

#include <expected>

#include "decide/exception/approve_resolution.h"
#include "decide/order/order_writer.h"

namespace finality {

/// Arguments of an action: the approved case and the command.
struct CaseContext {
  OrderWriter& writer;
  const Case& row;
  const ApproveResolution& command;
};

/// The result of an action. A refusal leaves the case proposed.
using Carried = std::expected<void, Refusal>;

Carried nothing_moves(const CaseContext& on);
Carried accept_external(const CaseContext& on);
Carried refund_mismatch(const CaseContext& on);
Carried write_off(const CaseContext& on);
Carried retry_reversal(const CaseContext& on);
Carried settled_offline(const CaseContext& on);
Carried confirm_unpaid(const CaseContext& on);
Carried send_again(const CaseContext& on);
Carried release(const CaseContext& on);
Carried charge_platform(const CaseContext& on);

}  // namespace finality
