#include "app/config/channel_settings.h"

#include <map>
#include <utility>

#include "app/channel_keys.h"
#include "channel/registry.h"

namespace finality::app {
namespace {

// ---- Settings common to all kinds

constexpr std::string_view kCommonSettings[] = {"kind",         "merchants", "funds", "merchant_currency",
                                                "bank_account", "enabled"};

std::string list_of_kinds() {
  std::string list;
  const auto kinds = channel_kinds();
  for (std::size_t i = 0; i < kinds.size(); ++i)
    list += fmt::format("{}{}", i == 0 ? "" : i + 1 == kinds.size() ? " or " : ", ", kinds[i]->name);
  return list;
}

std::optional<const ChannelKind*> read_kind(const toml::node& node) {
  const ChannelKind* kind = find_kind(app::read_text(node).value_or(""));
  return kind == nullptr ? std::nullopt : std::optional(kind);
}

template <class Enum>
std::optional<Enum> read_enum(const toml::node& node) {
  return parse_enum<Enum>(app::read_text(node).value_or(""));
}

std::optional<std::vector<MerchantId>> read_merchants(const toml::node& node) {
  const toml::array* list = node.as_array();
  if (list == nullptr || list->empty()) return std::nullopt;
  std::vector<MerchantId> merchants;
  for (const toml::node& item : *list) {
    const auto id = parse_id<MerchantId>(app::read_text(item).value_or(""));
    if (!id || !*id || std::ranges::find(merchants, *id) != merchants.end()) return std::nullopt;
    merchants.push_back(*id);
  }
  return merchants;
}

const Rule<const ChannelKind*> kKind{list_of_kinds(), read_kind};
const Rule<Funds> kFunds{"\"platform\", \"merchant\" or \"internal\"", read_enum<Funds>};
const Rule<MerchantCurrency> kMerchantCurrency{"\"presentment\" or \"settlement\"", read_enum<MerchantCurrency>};
const Rule<std::vector<MerchantId>> kMerchants{
    "a non-empty list of distinct merchant ids (mer_…); omit the setting to allow all merchants", read_merchants};

// ---- Settings of one kind, by type

void read_value(Table& table, const Setting& setting, const Rule<std::string>& rule, ChannelValues& values) {
  std::string value = values.text(setting.key);
  if (setting.is_required)
    table.require(setting.key, rule, value);
  else
    table.read(setting.key, rule, value);
  values.set(setting.key, std::move(value));
}

std::optional<std::int64_t> read_positive(const toml::node& node) {
  const auto number = node.value_exact<std::int64_t>();
  return number && *number >= 1 ? number : std::nullopt;
}

void read_number(Table& table, const Setting& setting, ChannelValues& values) {
  const Rule<std::int64_t> rule{fmt::format("a whole number from 1 to {}", setting.number_max), read_positive};
  std::int64_t value = values.number(setting.key);
  if (setting.is_required)
    table.require(setting.key, rule, value);
  else
    table.read(setting.key, rule, value);
  if (value > setting.number_max) table.complain(setting.key, "must be " + rule.allowed);
  values.set(setting.key, value);
}

void read_flag(Table& table, const Setting& setting, ChannelValues& values) {
  bool value = false;
  table.read(setting.key, kSwitch, value);
  values.set(setting.key, value);
}

void read_source(Table& table, const Setting& setting, ChannelAccountSettings& account) {
  TextSource source;
  const std::string file = std::string(setting.key) + "_file", variable = std::string(setting.key) + "_env";
  const bool is_secret = setting.type == SettingType::secret;
  table.read(file, kText, source.file);
  if (is_secret) table.read(variable, kText, source.variable);
  if (setting.is_required && !source.is_named())
    table.complain(file, is_secret ? fmt::format("or {} must provide {}", variable, setting.what)
                                   : fmt::format("must be the path of a file with {}", setting.what));
  if (source.is_named()) account.sources[std::string(setting.key)] = std::move(source);
}

void read_files(Table& table, const Setting& setting, ChannelAccountSettings& account) {
  Table entries = table.table(setting.key);
  auto& files = account.tables[std::string(setting.key)];
  for (const std::string_view id : entries.keys()) entries.read(id, kText, files[std::string(id)]);
  if (setting.is_required && files.empty()) table.complain(setting.key, fmt::format("must list {}", setting.what));
}

void read_setting(Table& table, const Setting& setting, ChannelAccountSettings& account) {
  switch (setting.type) {
    case SettingType::text:
      return read_value(table, setting, kText, account.values);
    case SettingType::url:
      return read_value(table, setting, kBaseUrl, account.values);
    case SettingType::flag:
      return read_flag(table, setting, account.values);
    case SettingType::number:
      return read_number(table, setting, account.values);
    case SettingType::secret:
    case SettingType::file:
      return read_source(table, setting, account);
    case SettingType::files:
      return read_files(table, setting, account);
  }
}

// ---- Channels

std::vector<std::string> known_names(const ChannelKind& kind) {
  std::vector<std::string> names(std::begin(kCommonSettings), std::end(kCommonSettings));
  for (const Setting& setting : kind.settings)
    for (std::string& name : names_of(setting)) names.push_back(std::move(name));
  return names;
}

SettingKeys present_keys(const Table& table, const ChannelKind& kind) {
  SettingKeys keys;
  for (const Setting& setting : kind.settings)
    if (std::ranges::any_of(names_of(setting), [&](const std::string& name) { return table.has(name); }))
      keys.emplace(setting.key);
  return keys;
}

// The name that the setting with this key has in the configuration.
std::string name_of_key(const ChannelKind& kind, const std::string& key) {
  const auto setting = std::ranges::find(kind.settings, key, &Setting::key);
  return setting == kind.settings.end() ? key : names_of(*setting).front();
}

void read_settings(Table& table, ChannelAccountSettings& account) {
  const ChannelKind& kind = *account.kind;
  table.only(known_names(kind));
  table.read("merchants", kMerchants, account.merchants);
  table.read("funds", kFunds, account.funds);
  table.read("merchant_currency", kMerchantCurrency, account.merchant_currency);
  table.read("bank_account", kText, account.bank_account);
  table.read("enabled", kSwitch, account.enabled);
  account.values = default_values(kind.settings);
  for (const Setting& setting : kind.settings) read_setting(table, setting, account);
  if (kind.check == nullptr) return;
  if (const auto wrong = kind.check(account.values, present_keys(table, kind)))
    table.complain(name_of_key(kind, wrong->key), wrong->what);
}

// Creates the channel once, so that unusable settings are reported when the configuration is read.
void try_out(Table& channels, Table& table, const ChannelAccountSettings& account, const std::string& public_url) {
  if (channels.has_complained()) return;
  const auto texts = read_texts(account);
  if (!texts) return table.complain(texts.error().key, texts.error().what);
  if (const auto made = make_channel(account, *texts, public_url); !made)
    channels.complain(account.channel, "cannot be used: " + made.error().message);
}

// Channels and bank accounts are rows of one table, with unique names.
void check_name(Table& channels, std::string_view name, const std::vector<BankAccountSettings>& bank_accounts) {
  check_account_name(channels, name);
  if (std::ranges::find(bank_accounts, name, &BankAccountSettings::name) != bank_accounts.end())
    channels.complain(name, fmt::format("has the name of the bank account bank_accounts.{}: use another name", name));
}

// Checks that the channel can withdraw to its bank account. Channels whose money belongs to merchants do not withdraw
// to a bank account of the platform.
void check_bank_account(Table& table, const ChannelAccountSettings& account,
                        const std::vector<BankAccountSettings>& bank_accounts) {
  if (account.bank_account.empty()) return;
  const auto named = std::ranges::find(bank_accounts, account.bank_account, &BankAccountSettings::name);
  if (named == bank_accounts.end())
    table.complain(
        "bank_account",
        fmt::format("must be the name of a bank account, but [bank_accounts.{}] does not exist", account.bank_account));
  else if (!named->enabled)
    table.complain("bank_account", fmt::format("must not be {}, which is disabled", account.bank_account));
  if (account.funds != Funds::platform) table.complain("bank_account", "is only allowed with funds = \"platform\"");
}

void read_channel(Table& channels, std::string_view name, NodeOptions& options) {
  check_name(channels, name, options.bank_accounts);
  Table table = channels.table(name);
  ChannelAccountSettings account{.channel = std::string(name)};
  table.require("kind", kKind, account.kind);
  if (account.kind == nullptr) return;
  read_settings(table, account);
  check_bank_account(table, account, options.bank_accounts);
  try_out(channels, table, account, options.policy.public_url);
  options.channel_accounts.push_back(std::move(account));
}

// Rejects two channels with the same account: each channel would report the payments of the other channel as errors.
void check_identities(Table& channels, const std::vector<ChannelAccountSettings>& accounts) {
  std::map<std::pair<const ChannelKind*, std::string>, std::string> names;
  for (const ChannelAccountSettings& one : accounts) {
    const auto [earlier, is_new] = names.try_emplace({one.kind, identity_of(one)}, one.channel);
    if (!is_new)
      channels.complain(one.channel, fmt::format("is the same account as channels.{}: both have kind {} and {}",
                                                 earlier->second, one.kind->name, identity_of(one)));
  }
}

}  // namespace

void check_account_name(Table& tables, std::string_view name) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789_";
  if (name.empty() || name.size() > kChannelNameMax || name.find_first_not_of(kLetters) != std::string_view::npos)
    tables.complain(name, fmt::format("must have a name of 1 to {} characters from a-z, 0-9 and _", kChannelNameMax));
  if (name == kWallet) tables.complain(name, "is reserved for payments from accounts in Finality: use another name");
}

void read_channels(Table& top, NodeOptions& options) {
  Table channels = top.table("channels");
  channels.limit(kChannelsMax, "channels");
  if (channels.has_complained()) return;
  for (const std::string_view name : channels.keys()) read_channel(channels, name, options);
  check_identities(channels, options.channel_accounts);
}

}  // namespace finality::app
