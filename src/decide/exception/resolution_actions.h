// Actions of approved resolutions on an order and its postings, one function per resolution.
#pragma once

#include <expected>
#include <string_view>

#include "decide/exception/approve_resolution.h"
#include "decide/order/order_writer.h"

namespace finality {

/// Arguments of an action: the writer of the order, the approved case and the command.
struct CaseContext {
  OrderWriter& writer;
  const Case& row;
  const ApproveResolution& command;
};

/// The result of an action. After a refusal the command is undone and the case stays in state `proposed`.
using ActionResult = std::expected<void, Refusal>;

/// Refuses a resolution whose object has changed state since the proposal. The case stays `proposed`, because an
/// approval without effect would mislead operators. `what`: the object's noun.
std::unexpected<Refusal> refuse_changed(std::string_view what, std::string_view state);

ActionResult nothing_moves(const CaseContext& on);
ActionResult accept_external(const CaseContext& on);
ActionResult accept_mismatch(const CaseContext& on);
ActionResult refund_mismatch(const CaseContext& on);
ActionResult write_off(const CaseContext& on);
ActionResult retry_reversal(const CaseContext& on);
ActionResult settled_offline(const CaseContext& on);
ActionResult confirm_unpaid(const CaseContext& on);
ActionResult send_again(const CaseContext& on);
ActionResult release(const CaseContext& on);
ActionResult charge_platform(const CaseContext& on);

}  // namespace finality
