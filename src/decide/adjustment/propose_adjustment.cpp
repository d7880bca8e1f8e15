#include "decide/adjustment/propose_adjustment.h"

#include <fmt/ranges.h>

#include <ranges>
#include <vector>

#include "decide/record.h"

namespace finality {
namespace {

// Whether the channel settles money: it is configured, or was once, and is neither the wallet nor a bank account.
bool is_settling(const Policy& policy, std::string_view channel) {
  if (channel == kWallet) return false;
  const auto account = policy.accounts.find(channel);
  return account == policy.accounts.end() ? policy.channels.contains(channel) : !account->second.is_bank();
}

std::unexpected<Refusal> unknown_channel(const Policy& policy) {
  std::vector<std::string_view> names;
  for (const auto& [name, capabilities] : policy.channels)
    if (is_settling(policy, name)) names.push_back(name);
  return refuse(RefusalCode::invalid_request,
                fmt::format("channel must be the name of a channel that settles: {}.", fmt::join(names, ", ")),
                "channel");
}

// Checks the bank account of an adjustment of `bank`. Without bank accounts in the configuration, the adjustment names
// none.
std::expected<void, Refusal> check_bank_account(const Policy& policy, const ProposeAdjustment& command) {
  const auto& known = policy.bank_accounts;
  if (command.channel.empty() && known.empty()) return {};
  const auto named = known.find(command.channel);
  if (named == known.end())
    return refuse(RefusalCode::invalid_request,
                  known.empty() ? "channel is not allowed, because the configuration has no bank accounts."
                                : fmt::format("channel must be the name of a bank account: {}.",
                                              fmt::join(std::views::keys(known), ", ")),
                  "channel");
  if (named->second == command.currency) return {};
  return refuse(
      RefusalCode::invalid_request,
      fmt::format("currency must be {}, the currency of the bank account {}.", named->second.text(), command.channel),
      "currency");
}

std::expected<void, Refusal> check_channel(const Policy& policy, const ProposeAdjustment& command) {
  if (command.account == AccountKind::bank) return check_bank_account(policy, command);
  if (command.account == AccountKind::channel_receivable && !is_settling(policy, command.channel))
    return unknown_channel(policy);
  return {};
}

}  // namespace

void add_reads(const ProposeAdjustment&, ReadSet&) {}

Decision decide(const ProposeAdjustment& command, Context& context) {
  if (auto checked = check_channel(context.policy, command); !checked) return std::unexpected(checked.error());
  Adjustment adjustment;
  if (const ChannelAccountId account = context.policy.account_of(command.channel))
    adjustment.channel_account_id = account;
  adjustment.funds = context.policy.funds_of(command.channel);
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
