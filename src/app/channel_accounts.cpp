#include "app/channel_accounts.h"

#include <fmt/format.h>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <set>
#include <vector>

#include "app/node.h"
#include "base/limits.h"
#include "base/log.h"
#include "channel/bank/bank_account.h"
#include "decide/channel/register_channel_account.h"

namespace finality::app {
namespace {

// A try fails if another server creates the same account concurrently. The next try finds the created account.
constexpr int kTriesMax = 3;

RegisterChannelAccount command_for(const ConfiguredAccount& account, const std::vector<ChannelAccount>& rows) {
  RegisterChannelAccount command;
  const auto known = std::ranges::find(rows, account.channel, &ChannelAccount::channel);
  if (known != rows.end()) command.known = known->id;
  command.channel = account.channel;
  command.kind = account.kind;
  command.identity = account.identity;
  command.settings = account.settings;
  command.merchants = account.merchants;
  command.funds = account.funds;
  command.merchant_currency = account.merchant_currency;
  command.state = account.enabled ? ChannelAccountState::enabled : ChannelAccountState::disabled;
  return command;
}

// The name of the account's table in the configuration, for error messages.
std::string section_of(const ConfiguredAccount& account) {
  return fmt::format("{}.{}", account.kind == kBankKind ? "bank_accounts" : "channels", account.channel);
}

// Fails if the store has the same account under another name. An account must keep its name, because its payments refer
// to that name.
Result<void> check_name(const std::vector<ChannelAccount>& rows, const ConfiguredAccount& account) {
  const auto other = std::ranges::find_if(rows, [&](const ChannelAccount& row) {
    return !account.identity.empty() && row.kind == account.kind && row.identity == account.identity &&
           row.channel != account.channel;
  });
  if (other == rows.end()) return {};
  // Numbers of bank accounts are not logged.
  return fail(fmt::format("{}: {} is account {} in the store, which has the name {}: use the name {}",
                          section_of(account), other->is_bank() ? "the bank account" : account.identity,
                          to_text(other->id), other->channel, other->channel));
}

Result<void> check_count(const std::vector<ChannelAccount>& rows) {
  const auto count = static_cast<std::size_t>(
      std::ranges::count_if(rows, [](const ChannelAccount& row) { return row.kind != kWallet; }));
  if (count < limits::kChannelAccountsMax) return {};
  return fail(
      fmt::format("cannot add a channel account: the store has {} accounts, the maximum; accounts that "
                  "are no longer configured are included",
                  count));
}

void warn_of_missing(const ChannelAccount& row) {
  log::warn(row.is_bank() ? "bank account is not in the configuration; new adjustments cannot name it"
                          : "channel account is not in the configuration; its open requests cannot be finished",
            {{"channel_account", to_text(row.id)}, {"channel", row.channel}});
}

// The name of the enabled bank account, if there is exactly one.
std::string_view only_bank_account(std::span<const ConfiguredAccount> accounts) {
  std::string_view name;
  for (const ConfiguredAccount& one : accounts) {
    if (!one.currency || !one.enabled) continue;
    if (!name.empty()) return {};
    name = one.channel;
  }
  return name;
}

// Checks that the account can be registered besides `rows`.
Result<void> check_account(const std::vector<ChannelAccount>& rows, const ConfiguredAccount& account, bool is_known) {
  if (auto named = check_name(rows, account); !named) return named;
  return is_known ? Result<void>() : check_count(rows);
}

// The row of a new account, for the checks of the following accounts.
ChannelAccount row_of(const ConfiguredAccount& account) {
  ChannelAccount row;
  row.channel = account.channel;
  row.kind = account.kind;
  row.identity = account.identity;
  return row;
}

// Registers the account. `rows` are the rows of the store, which are read again if another server has changed them.
Result<void> register_one(Engine& engine, Reader& reader, const ConfiguredAccount& account,
                          std::vector<ChannelAccount>& rows) {
  for (int tries = 0;; ++tries) {
    const RegisterChannelAccount command = command_for(account, rows);
    if (auto checked = check_account(rows, account, static_cast<bool>(command.known)); !checked) return checked;
    const Reply reply = submit_and_wait(engine, command, MerchantId{});
    if (!reply.refusal) {
      if (!command.known) rows.push_back(row_of(account));
      return {};
    }
    const bool lost = reply.refusal->code == RefusalCode::busy;
    if (!lost || tries + 1 == kTriesMax) return fail(fmt::format("{}: {}", section_of(account), reply.refusal->detail));
    auto current = reader.channel_accounts();
    if (!current) return std::unexpected(current.error());
    rows = std::move(*current);
  }
}

// Decides the command on the row of the store. Returns the refusal; empty if the command is accepted.
std::optional<Refusal> refusal_of(const RegisterChannelAccount& command, const ChannelAccount& row) {
  WorkingSet rows;
  rows.channel_accounts.load(row.id, row);
  IdGenerator ids(0, row.created_at);
  const Policy policy;
  const Cause cause{.kind = CauseKind::operator_, .trigger = CommandLine{}};
  std::vector<Effect> effects;
  std::vector<std::string> findings;
  Context context{.rows = rows,
                  .ids = ids,
                  .policy = policy,
                  .now = row.created_at,
                  .cause = cause,
                  .effects = effects,
                  .findings = findings};
  const Decision decision = decide(command, context);
  return decision ? std::nullopt : std::optional(decision.error());
}

}  // namespace

ConfiguredAccount configured(const ChannelAccountSettings& account) {
  boost::json::object shown;
  for (const auto& [key, value] : account.values.all())
    shown[key] = std::visit([](const auto& one) { return boost::json::value(one); }, value);
  if (!account.bank_account.empty()) shown["bank_account"] = account.bank_account;
  std::string merchants;
  for (const MerchantId merchant : account.merchants) merchants += (merchants.empty() ? "" : " ") + to_text(merchant);
  return {.channel = account.channel,
          .kind = std::string(account.kind->name),
          .identity = identity_of(account),
          .merchants = std::move(merchants),
          .funds = account.funds,
          .merchant_currency = account.merchant_currency,
          .bank_account = account.bank_account,
          .settings = boost::json::serialize(shown),
          .enabled = account.enabled};
}

ConfiguredAccount configured(const BankAccountSettings& account) {
  boost::json::object shown{{"currency", account.currency.text()}, {"number", bank::masked_number(account.number)}};
  if (!account.title.empty()) shown["title"] = account.title;
  return {.channel = account.name,
          .kind = std::string(kBankKind),
          .identity = identity_of(account),
          .currency = account.currency,
          .settings = boost::json::serialize(shown),
          .enabled = account.enabled};
}

ConfiguredAccount wallet_account() {
  ConfiguredAccount account;
  account.channel = account.kind = kWallet;
  account.funds = Funds::internal;
  return account;
}

std::vector<ConfiguredAccount> configured_accounts(std::span<const BankAccountSettings> bank_accounts,
                                                   std::span<const ChannelAccountSettings> channel_accounts) {
  std::vector<ConfiguredAccount> accounts{wallet_account()};
  for (const BankAccountSettings& account : bank_accounts) accounts.push_back(configured(account));
  for (const ChannelAccountSettings& account : channel_accounts) accounts.push_back(configured(account));
  return accounts;
}

std::vector<std::string> check_channel_accounts(std::vector<ChannelAccount> rows,
                                                std::span<const ConfiguredAccount> accounts) {
  std::vector<std::string> errors;
  for (const ConfiguredAccount& account : accounts) {
    const RegisterChannelAccount command = command_for(account, rows);
    if (const auto checked = check_account(rows, account, static_cast<bool>(command.known)); !checked)
      errors.push_back(checked.error().message);
    else if (!command.known)
      rows.push_back(row_of(account));
    else if (const auto refusal = refusal_of(command, *find_row(rows, command.known)))
      errors.push_back(fmt::format("{}: {}", section_of(account), refusal->detail));
  }
  return errors;
}

void note_accounts(std::span<const ConfiguredAccount> accounts, Policy& policy) {
  for (const ConfiguredAccount& one : accounts) {
    ChannelAccount& row = policy.accounts[one.channel];
    row.channel = one.channel;
    row.kind = one.kind;
    row.merchants = one.merchants;
    row.funds = one.funds;
    row.merchant_currency = one.merchant_currency;
    row.state = one.enabled ? ChannelAccountState::enabled : ChannelAccountState::disabled;
    if (one.currency) policy.bank_accounts[one.channel] = *one.currency;
  }
  const std::string_view fallback = only_bank_account(accounts);
  for (const ConfiguredAccount& one : accounts) {
    const bool has_fallback = !one.currency && one.funds == Funds::platform && !fallback.empty();
    if (!one.bank_account.empty() || has_fallback)
      policy.withdrawal_accounts[one.channel] = one.bank_account.empty() ? fallback : one.bank_account;
  }
}

Result<void> register_channel_accounts(Engine& engine, Store& store, std::span<const ConfiguredAccount> accounts,
                                       Policy& policy) {
  const auto reader = store.open_reader();
  if (!reader) return std::unexpected(reader.error());
  auto known = (*reader)->channel_accounts();
  if (!known) return std::unexpected(known.error());
  for (const ConfiguredAccount& account : accounts)
    if (auto registered = register_one(engine, **reader, account, *known); !registered) return registered;
  const auto rows = (*reader)->channel_accounts();
  if (!rows) return std::unexpected(rows.error());
  std::set<std::string_view> names;
  for (const ConfiguredAccount& account : accounts) names.insert(account.channel);
  policy.accounts.clear();
  for (const ChannelAccount& row : *rows) {
    policy.accounts[row.channel] = row;
    if (!names.contains(row.channel)) warn_of_missing(row);
  }
  return {};
}

}  // namespace finality::app
