#include "decide/exception/assign_receipt.h"

#include <string>

#include "decide/exception/resolution_actions.h"
#include "decide/payment/unknown_receipt_writer.h"
#include "decide/post.h"

namespace finality {
namespace {

ledger::Posting posting_of(const UnknownReceipt& receipt, EntryType type, MerchantId merchant) {
  return {.type = type,
          .merchant_id = merchant,
          .currency = receipt.currency,
          .amount = receipt.amount,
          .document = receipt.id,
          .root_id = receipt.id.value,
          .funds = receipt.funds};
}

// Posts both journals in one commit, so that the clearing accounts of all merchants always sum to zero.
std::expected<void, Refusal> assign(UnknownReceiptWriter& writer, MerchantId merchant) {
  Context& context = writer.context();
  UnknownReceipt& receipt = writer.receipt();
  if (context.cell(unknown_receipt_machine, receipt.state, UnknownReceiptEvent::assign).kind == fsm::CellKind::refuse)
    return refuse(RefusalCode::illegal_transition, "The receipt is already assigned to a merchant.", {},
                  std::string(name_of(receipt.state)));
  const auto from = post(context, posting_of(receipt, EntryType::receipt_assigned_from, receipt.merchant_id));
  const auto to = post(context, posting_of(receipt, EntryType::receipt_assigned, merchant));
  if (!from || !to) return {};
  receipt.assigned_to = merchant;
  writer.step(UnknownReceiptEvent::assign, false, *from);
  writer.noted("credited", *to);
  return {};
}

}  // namespace

std::expected<void, Refusal> approve_unknown_receipt(Context& context, const ApproveResolution& command) {
  UnknownReceiptWriter writer(context, UnknownReceiptId{command.root.value});
  Case& row = *find_row(writer.aggregate().cases, command.case_id);
  const UnknownReceipt& receipt = writer.receipt();
  const bool is_loaded =
      row.assign_to == command.assign_to && receipt.channel == command.channel && receipt.currency == command.currency;
  if (row.assign_to && !is_loaded)
    return refuse(RefusalCode::busy, "The proposal of the case has just changed. Repeat the request.");
  row.approved_by = command.approved_by;
  writer.step(row, CaseEvent::approve);
  return row.assign_to ? assign(writer, *row.assign_to) : std::expected<void, Refusal>{};
}

}  // namespace finality
