#include "decide/channel/register_channel_account.h"

#include "decide/record.h"

namespace finality {
namespace {

bool differs(const std::string& stored, const std::string& requested) {
  return !stored.empty() && !requested.empty() && stored != requested;
}

// The account that has the name, for error messages, which are logged. The number of a bank account is not logged.
std::string description_of(const ChannelAccount& row) {
  if (row.is_bank()) return fmt::format("the name {} is that of the bank account {}", row.channel, to_text(row.id));
  return fmt::format("the channel {} is the account {} of kind {} at {}", row.channel, to_text(row.id), row.kind,
                     row.identity);
}

// Refuses a channel name that already belongs to another account at the channel: receipts are keyed by the name.
std::expected<void, Refusal> check_same(const ChannelAccount& row, const RegisterChannelAccount& command) {
  if (differs(row.kind, command.kind) || differs(row.identity, command.identity))
    return refuse(RefusalCode::reference_conflict,
                  fmt::format("{}; use another name for the new account", description_of(row)), "channel");
  if (row.funds != command.funds)
    return refuse(
        RefusalCode::reference_conflict,
        fmt::format("the channel {} is the account {} with funds of {}, which cannot change; for funds of {} use "
                    "another name",
                    row.channel, to_text(row.id), name_of(row.funds), name_of(command.funds)),
        "funds");
  return {};
}

/// Replaces `stored` by `requested` unless `requested` is empty. Returns whether `stored` changed.
bool take(std::string& stored, const std::string& requested) {
  if (requested.empty() || stored == requested) return false;
  stored = requested;
  return true;
}

// Copies the command's fields to the row, except the state, which set_state() changes. Returns whether any of them
// changed, apart from the funds of a new row.
bool fill(ChannelAccount& row, const RegisterChannelAccount& command) {
  bool changed = take(row.kind, command.kind);
  changed = take(row.identity, command.identity) || changed;
  changed = take(row.settings, command.settings) || changed;
  changed = row.merchants != command.merchants || row.merchant_currency != command.merchant_currency || changed;
  row.merchants = command.merchants;
  row.merchant_currency = command.merchant_currency;
  row.funds = command.funds;
  return changed;
}

/// Increments the row's version and records an event.
void step(Context& context, ChannelAccount& row, std::string_view event, std::optional<std::string> from,
          fsm::CellKind cell) {
  row.version += 1;
  record(context, {row.id, MerchantId{}, row.version}, row.id, event, std::move(from), name_of(row.state), cell);
}

void set_state(Context& context, ChannelAccount& row, ChannelAccountState state) {
  if (row.state == state) return;
  const std::string from(name_of(row.state));
  row.state = state;
  step(context, row, name_of(state), from, fsm::CellKind::move);
}

ChannelAccountId create(const RegisterChannelAccount& command, Context& context) {
  ChannelAccount row;
  row.id = context.next_id<ChannelAccountId>();
  row.channel = command.channel;
  row.created_at = context.now;
  row.version = 0;
  fill(row, command);
  step(context, row, "created", std::nullopt, fsm::CellKind::move);
  set_state(context, row, command.state);
  const ChannelAccountId id = row.id;
  context.rows.channel_accounts.insert(id, std::move(row));
  return id;
}

}  // namespace

void add_reads(const RegisterChannelAccount& command, ReadSet& reads) {
  if (command.known) reads.channel_accounts.push_back(command.known);
}

Decision decide(const RegisterChannelAccount& command, Context& context) {
  if (!command.known) return CommandResult{.object = create(command, context), .created = true};
  const ChannelAccount* known = context.rows.channel_accounts.find(command.known);
  if (known == nullptr || known->channel != command.channel)
    return refuse(RefusalCode::not_found, "The channel account does not exist.");
  if (auto same = check_same(*known, command); !same) return std::unexpected(std::move(same.error()));
  ChannelAccount after = *known;
  const bool changed = fill(after, command);
  if (!changed && after.state == command.state) return CommandResult{.object = command.known};

  ChannelAccount& row = context.rows.channel_accounts.change(command.known);
  row = std::move(after);
  if (changed) step(context, row, "changed", std::string(name_of(row.state)), fsm::CellKind::keep);
  set_state(context, row, command.state);
  return CommandResult{.object = command.known};
}

}  // namespace finality
