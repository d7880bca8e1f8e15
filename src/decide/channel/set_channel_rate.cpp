#include "decide/channel/set_channel_rate.h"

#include "decide/record.h"
#include "model/natural_key.h"

namespace finality {
namespace {

std::expected<void, Refusal> check_method(const Policy& policy, std::string_view channel,
                                          const std::optional<std::string>& method) {
  const auto known = policy.channels.find(channel);
  if (!method || known == policy.channels.end() || Capabilities::has(known->second.methods, *method)) return {};
  return refuse(
      RefusalCode::invalid_request,
      fmt::format("method must be one of the methods of {}: {}", channel, fmt::join(known->second.methods, ", ")),
      "method");
}

void fill(ChannelRate& rate, const SetChannelRate& command) {
  rate.basis_points = command.basis_points;
  rate.fixed = command.fixed;
  rate.minimum = command.minimum;
  rate.maximum = command.maximum;
}

}  // namespace

Hash16 key_of(const SetChannelRate& command) {
  return key_of_channel_rate(command.channel_account_id, command.method, command.currency, command.from_date);
}

void add_reads(const SetChannelRate& command, ReadSet& reads) {
  reads.channel_accounts.push_back(command.channel_account_id);
  reads.keys.push_back({key_of(command), ObjectType::channel_rate});
}

Decision decide(const SetChannelRate& command, Context& context) {
  const ChannelAccount* account = context.rows.channel_accounts.find(command.channel_account_id);
  if (account == nullptr)
    return refuse(RefusalCode::not_found, "The channel account does not exist.", "channel_account");
  if (account->is_bank())
    return refuse(RefusalCode::invalid_request,
                  "channel_account must not be a bank account: no payments are made over it.", "channel_account");
  if (auto has_method = check_method(context.policy, account->channel, command.method); !has_method)
    return std::unexpected(std::move(has_method.error()));

  const Hash16 key = key_of(command);
  if (const Key* named = context.rows.keys.find(key)) {
    ChannelRate& rate = context.rows.channel_rates.change(ChannelRateId{named->id});
    fill(rate, command);
    rate.version += 1;
    record_setting(context, rate);
    return CommandResult{.object = rate.id};
  }
  ChannelRate rate;
  rate.id = context.next_id<ChannelRateId>();
  rate.channel_account_id = command.channel_account_id;
  rate.method = command.method;
  rate.currency = command.currency;
  rate.from_date = command.from_date;
  rate.created_at = context.now;
  fill(rate, command);
  record_setting(context, rate);
  context.rows.keys.insert(key, {key, MerchantId{}, rate.id.value});
  return CommandResult{.object = context.rows.channel_rates.insert(rate.id, rate).id};
}

}  // namespace finality
