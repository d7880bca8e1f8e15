#include "decide/exception/approve_unknown_receipt.h"

#include <fmt/format.h>

#include <string>

#include "decide/exception/resolution_actions.h"
#include "decide/payment/unknown_receipt_writer.h"

namespace finality {
namespace {

// Refuses if the receipt is in a final state.
std::expected<void, Refusal> check_event(UnknownReceiptWriter& writer, UnknownReceiptEvent event) {
  const UnknownReceiptState state = writer.receipt().state;
  if (writer.context().cell(unknown_receipt_machine, state, event).kind == fsm::CellKind::refuse)
    return refuse(RefusalCode::illegal_transition, fmt::format("The receipt is already {}.", name_of(state)), {},
                  std::string(name_of(state)));
  return {};
}

std::unexpected<Refusal> refuse_contradicted(const UnknownReceipt& receipt) {
  return refuse(RefusalCode::illegal_transition,
                "The channel has reported refunds, a settlement or other amounts of the receipt, so it cannot be "
                "assigned. Propose cancel or keep.",
                {}, std::string(name_of(receipt.state)));
}

// Posts both journals in one commit, so that the clearing accounts of all merchants always sum to zero.
std::expected<void, Refusal> assign(UnknownReceiptWriter& writer, MerchantId merchant) {
  Context& context = writer.context();
  UnknownReceipt& receipt = writer.receipt();
  if (auto may = check_event(writer, UnknownReceiptEvent::assign); !may) return may;
  if (receipt.is_contradicted) return refuse_contradicted(receipt);
  const auto from = post(context, posting_for(receipt, EntryType::receipt_assigned_from, receipt.merchant_id));
  const auto to = post(context, posting_for(receipt, EntryType::receipt_assigned, merchant));
  if (!from || !to) return {};
  receipt.assigned_to = merchant;
  writer.step(UnknownReceiptEvent::assign, false, *from);
  writer.noted("credited", *to);
  return {};
}

// Reverses the booking in the books of the platform, because the payment is booked elsewhere.
std::expected<void, Refusal> cancel(UnknownReceiptWriter& writer) {
  const UnknownReceipt& receipt = writer.receipt();
  if (auto may = check_event(writer, UnknownReceiptEvent::cancel); !may) return may;
  const auto journal =
      post(writer.context(), posting_for(receipt, EntryType::unknown_receipt_cancelled, receipt.merchant_id));
  if (journal) writer.step(UnknownReceiptEvent::cancel, false, *journal);
  return {};
}

}  // namespace

std::expected<void, Refusal> approve_unknown_receipt(Context& context, const ApproveResolution& command) {
  UnknownReceiptWriter writer(context, UnknownReceiptId{command.root.value});
  Case& row = *find_row(writer.aggregate().cases, command.case_id);
  const UnknownReceipt& receipt = writer.receipt();
  const bool is_loaded =
      row.assign_to == command.assign_to && receipt.channel == command.channel && receipt.currency == command.currency;
  const bool cancels = row.resolution == "cancel";
  if ((row.assign_to || cancels) && !is_loaded)
    return refuse(RefusalCode::busy, "The proposal of the case has just changed. Repeat the request.");
  row.approved_by = command.approved_by;
  writer.step(row, CaseEvent::approve);
  if (row.assign_to) return assign(writer, *row.assign_to);
  return cancels ? cancel(writer) : std::expected<void, Refusal>{};
}

}  // namespace finality
