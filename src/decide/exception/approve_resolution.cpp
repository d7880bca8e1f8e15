#include "decide/exception/approve_resolution.h"

#include "decide/approval.h"
#include "decide/delivery/claim_delivery.h"
#include "decide/delivery/delivery_writer.h"
#include "decide/exception/approve_difference.h"
#include "decide/exception/approve_unknown_receipt.h"
#include "decide/exception/case_command.h"
#include "decide/exception/resolution.h"
#include "decide/order/park_order.h"
#include "ledger/post.h"

namespace finality {
namespace {

void approve_delivery(Context& context, const ApproveResolution& command) {
  DeliveryWriter writer(context, DeliveryId{command.root.value});
  Case& row = *find_row(writer.aggregate().cases, command.case_id);
  row.approved_by = command.approved_by;
  writer.step(row, CaseEvent::approve);
  const bool again = row.resolution == "resend";
  writer.step(again ? DeliveryEvent::resend : DeliveryEvent::give_up);
  if (!again) return;
  writer.delivery().due_at = context.now;
  claim_attempt(writer);
}

void add_reads_of_cancellation(const ApproveResolution& command, ReadSet& reads) {
  ledger::add_reads(EntryType::unknown_receipt_cancelled, command.merchant_id, command.channel, command.currency,
                    reads);
}

void add_reads_of_adjustment(const ApproveResolution& command, ReadSet& reads) {
  for (const EntryType type :
       {EntryType::rounding_loss, EntryType::rounding_gain, EntryType::bank_shortage, EntryType::bank_surplus})
    ledger::add_reads(type, command.merchant_id, command.channel, command.currency, reads, {},
                      AccountKind::merchant_payable, command.channel);
}

void add_reads_of_assignment(const ApproveResolution& command, ReadSet& reads) {
  reads.owners.push_back(*command.assign_to);
  ledger::add_reads(EntryType::receipt_assigned_from, command.merchant_id, command.channel, command.currency, reads);
  ledger::add_reads(EntryType::receipt_assigned, *command.assign_to, command.channel, command.currency, reads);
}

}  // namespace

void add_reads(const ApproveResolution& command, ReadSet& reads) {
  add_root(command, reads);
  if (command.channel.empty()) return;
  if (command.root.type == ObjectType::unknown_receipt)
    return command.assign_to ? add_reads_of_assignment(command, reads) : add_reads_of_cancellation(command, reads);
  if (command.root.type == ObjectType::difference) return add_reads_of_adjustment(command, reads);
  for (const EntryType type :
       {EntryType::receipt_in_suspense, EntryType::mismatch_accepted, EntryType::fee_charged,
        EntryType::receipt_written_off, EntryType::reversal_settled_offline, EntryType::external_refund_charged})
    ledger::add_reads(type, command.merchant_id, command.channel, command.currency, reads);
}

Decision decide(const ApproveResolution& command, Context& context) {
  const Case* found = find_case(context, command);
  if (found == nullptr) return no_such_case();
  if (context.cell(case_machine, found->state, CaseEvent::approve).kind == fsm::CellKind::refuse)
    return not_now(*found, "it has no proposed resolution");
  const bool is_resolved = case_machine.is_final(found->state);
  if (auto may = check_approval({.what = "case",
                                 .proposed_by = found->proposed_by.value_or(""),
                                 .approved_by = command.approved_by,
                                 .reviewed_version = command.version,
                                 .version = found->version,
                                 .is_decided = is_resolved});
      !may)
    return std::unexpected(may.error());
  if (is_resolved) return CommandResult{.object = command.case_id, .home = command.root};
  if (command.resolution && command.resolution != found->resolution)
    return not_now(*found, fmt::format("the proposed resolution is now {}", *found->resolution));
  if (command.reviewed_merchant && command.reviewed_merchant != found->assign_to)
    return not_now(*found, "the proposal now names another merchant, or none");
  if (found->assign_to && !command.reviewed_merchant)
    return refuse(RefusalCode::invalid_request,
                  "merchant is required with the resolution assign: the merchant that the proposal names.", "merchant");

  note_step(context, *found, command.approved_by);
  if (command.root.type == ObjectType::delivery) {
    approve_delivery(context, command);
    return CommandResult{.object = command.case_id, .home = command.root};
  }
  if (command.root.type == ObjectType::unknown_receipt) {
    if (auto done = approve_unknown_receipt(context, command); !done) return std::unexpected(done.error());
    return CommandResult{.object = command.case_id, .home = command.root};
  }
  if (command.root.type == ObjectType::difference) {
    if (auto done = approve_difference(context, command); !done) return std::unexpected(done.error());
    return CommandResult{.object = command.case_id, .home = command.root};
  }
  OrderWriter writer(context, OrderId{command.root.value});
  Case& row = *find_row(writer.aggregate().cases, command.case_id);
  row.approved_by = command.approved_by;
  writer.step(row, CaseEvent::approve);
  const Case approved = row;  // a copy: the action may add cases and so invalidate the reference
  const ActionResult result = find_resolution(approved, *approved.resolution)->carry_out({writer, approved, command});
  if (!result) return std::unexpected(result.error());
  if (writer.order().parked) stop_work(writer.aggregate());
  return CommandResult{.object = command.case_id, .home = command.root};
}

}  // namespace finality
