#include "decide/exception/approve_difference.h"

#include <string>

#include "decide/exception/resolution.h"
#include "decide/post.h"
#include "decide/statement/difference_writer.h"

namespace finality {
namespace {

ledger::Posting posting_of(const Difference& difference, const ApproveResolution& command, const Policy& policy) {
  const MinorUnits amount = difference.amount;
  const bool is_bank = difference.kind == StatementKind::bank;
  return {.type = adjustment_type_of(difference.kind, amount),
          .merchant_id = difference.merchant_id,
          .channel = is_bank ? std::string() : command.channel,
          .currency = difference.currency,
          .amount = amount < 0 ? -amount : amount,
          .document = difference.id,
          .root_id = difference.id.value,
          .channel_account = is_bank ? ChannelAccountId{} : difference.channel_account_id,
          .funds = policy.funds_of(command.channel),
          .bank_account = is_bank ? command.channel : std::string(),
          .bank_account_id = is_bank ? difference.channel_account_id : ChannelAccountId{}};
}

}  // namespace

std::expected<void, Refusal> check_adjustment(const Difference& difference) {
  const std::string state(name_of(difference.state));
  if (difference.amount == 0)
    return refuse(RefusalCode::illegal_transition, "The difference has no amount that could be posted. Propose keep.",
                  {}, state);
  if (!difference.changes_balance)
    return refuse(
        RefusalCode::illegal_transition,
        "This difference does not show that the balance differs. The funds statement of the account does, or a "
        "downloaded statement: adjust its difference, and propose keep for this one.",
        {}, state);
  return {};
}

std::expected<void, Refusal> approve_difference(Context& context, const ApproveResolution& command) {
  DifferenceWriter writer(context, DifferenceId{command.root.value});
  Case& row = *find_row(writer.aggregate().cases, command.case_id);
  const Difference& difference = writer.difference();
  const bool adjusts = row.resolution == "adjust";
  if (adjusts && (context.policy.account_of(command.channel) != difference.channel_account_id ||
                  command.currency != difference.currency))
    return refuse(RefusalCode::busy, "The channel of the difference is not loaded. Repeat the request.");
  const std::string state(name_of(difference.state));
  if (context.cell(difference_machine, difference.state, DifferenceEvent::resolve).kind == fsm::CellKind::refuse)
    return refuse(RefusalCode::illegal_transition, fmt::format("The difference is already {}.", state), {}, state);
  if (auto fine = find_resolution(row, *row.resolution)->check_difference(&difference); !fine) return fine;
  row.approved_by = command.approved_by;
  writer.step(row, CaseEvent::approve);
  std::optional<EntryId> journal;
  if (adjusts) {
    journal = post(context, posting_of(writer.difference(), command, context.policy));
    if (!journal) return {};
    writer.difference().ended_at = context.now;
  }
  writer.step(DifferenceEvent::resolve, false, journal);
  return {};
}

}  // namespace finality
