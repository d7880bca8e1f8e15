#include "decide/adjustment/decide_adjustment.h"

#include "decide/approval.h"
#include "decide/post.h"
#include "decide/record.h"

namespace finality {
namespace {

EntryType entry_type_of(AdjustmentType type, MinorUnits amount) {
  if (type == AdjustmentType::penalty) return EntryType::penalty;
  const bool is_credit = amount > 0;
  if (type == AdjustmentType::rounding) return is_credit ? EntryType::rounding_loss : EntryType::rounding_gain;
  return is_credit ? EntryType::opening_balance_credited : EntryType::opening_balance_debited;
}

// `channel` names a channel or a bank account. No template of an adjustment uses both.
ledger::Posting posting_of(const Adjustment& adjustment) {
  const ChannelAccountId account = adjustment.channel_account_id.value_or(ChannelAccountId{});
  return {.type = entry_type_of(adjustment.type, adjustment.amount),
          .merchant_id = adjustment.merchant_id,
          .channel = adjustment.channel,
          .currency = adjustment.currency,
          .amount = adjustment.amount < 0 ? -adjustment.amount : adjustment.amount,
          .document = adjustment.id,
          .root_id = adjustment.id.value,
          .channel_account = account,
          .funds = adjustment.funds,
          .adjusted = adjustment.account,
          .bank_account = adjustment.channel,
          .bank_account_id = account};
}

std::unexpected<Refusal> not_now(const Adjustment& adjustment, AdjustmentEvent event) {
  const std::string state(name_of(adjustment.state));
  return refuse(RefusalCode::illegal_transition,
                fmt::format("The adjustment is {}: it cannot be {}. Propose a new adjustment.", state,
                            event == AdjustmentEvent::approve ? "approved" : "rejected"),
                {}, state);
}

}  // namespace

DecideAdjustment decision_about(const Adjustment* adjustment, MerchantId merchant, AdjustmentEvent event,
                                std::string decided_by, std::int64_t version) {
  DecideAdjustment command{
      .merchant_id = merchant, .event = event, .decided_by = std::move(decided_by), .version = version};
  if (adjustment == nullptr || adjustment->merchant_id != merchant) return command;
  command.adjustment_id = adjustment->id;
  command.type = adjustment->type;
  command.account = adjustment->account;
  command.channel = adjustment->channel;
  command.currency = adjustment->currency;
  command.amount = adjustment->amount;
  return command;
}

void add_reads(const DecideAdjustment& command, ReadSet& reads) {
  if (!command.adjustment_id) return;
  reads.adjustments.push_back(command.adjustment_id);
  if (command.event == AdjustmentEvent::approve)
    ledger::add_reads(entry_type_of(command.type, command.amount), command.merchant_id, command.channel,
                      command.currency, reads, {}, command.account, command.channel);
}

Decision decide(const DecideAdjustment& command, Context& context) {
  const Adjustment* found = command.adjustment_id ? context.rows.adjustments.find(command.adjustment_id) : nullptr;
  if (found == nullptr || found->merchant_id != command.merchant_id)
    return refuse(RefusalCode::not_found, "The adjustment does not exist.");
  const fsm::CellKind kind = context.cell(adjustment_machine, found->state, command.event).kind;
  if (kind == fsm::CellKind::refuse) return not_now(*found, command.event);
  const bool is_approval = command.event == AdjustmentEvent::approve;
  if (is_approval)
    if (auto may = check_approval({.what = "adjustment",
                                   .proposed_by = found->proposed_by,
                                   .approved_by = command.decided_by,
                                   .reviewed_version = command.version,
                                   .version = found->version,
                                   .is_decided = adjustment_machine.is_final(found->state)});
        !may)
      return std::unexpected(may.error());
  if (kind == fsm::CellKind::keep) return CommandResult{.object = found->id};

  Adjustment& adjustment = context.rows.adjustments.change(command.adjustment_id);
  adjustment.decided_by = command.decided_by;
  const std::optional<EntryId> journal = is_approval ? post(context, posting_of(adjustment)) : std::nullopt;
  apply_transition(context, adjustment_machine, adjustment, command.event, false, journal, [&adjustment] {
    adjustment.version += 1;
    return Root{adjustment.id, adjustment.merchant_id, adjustment.version};
  });
  return CommandResult{.object = adjustment.id};
}

}  // namespace finality
