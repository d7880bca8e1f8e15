#include "decide/adjustment/propose_adjustment.h"

#include <fmt/ranges.h>

#include <vector>

#include "decide/record.h"

namespace finality {
namespace {

// Whether the channel settles money: it is configured, or was once, and is not the wallet.
bool is_settling(const Policy& policy, std::string_view channel) {
  return channel != kWallet && (policy.channels.contains(channel) || policy.accounts.contains(channel));
}

std::unexpected<Refusal> unknown_channel(const Policy& policy) {
  std::vector<std::string_view> names;
  for (const auto& [name, capabilities] : policy.channels)
    if (is_settling(policy, name)) names.push_back(name);
  return refuse(RefusalCode::invalid_request,
                fmt::format("channel must be the name of a channel that settles: {}.", fmt::join(names, ", ")),
                "channel");
}

}  // namespace

void add_reads(const ProposeAdjustment&, ReadSet&) {}

Decision decide(const ProposeAdjustment& command, Context& context) {
  Adjustment adjustment;
  if (command.account == AccountKind::channel_receivable) {
    if (!is_settling(context.policy, command.channel)) return unknown_channel(context.policy);
    if (const ChannelAccountId account = context.policy.account_of(command.channel))
      adjustment.channel_account_id = account;
    adjustment.funds = context.policy.funds_of(command.channel);
  }
  adjustment.id = context.next_id<AdjustmentId>();
  adjustment.merchant_id = command.merchant_id;
  adjustment.type = command.type;
  adjustment.account = command.account;
  adjustment.channel = command.channel;
  adjustment.currency = command.currency;
  adjustment.amount = command.amount;
  adjustment.note = command.note;
  adjustment.proposed_by = command.proposed_by;
  adjustment.created_at = context.now;
  record(context, {adjustment.id, adjustment.merchant_id, adjustment.version}, adjustment.id, "created", std::nullopt,
         name_of(adjustment.state), fsm::CellKind::move);
  return CommandResult{.object = context.rows.adjustments.insert(adjustment.id, adjustment).id, .created = true};
}

}  // namespace finality
