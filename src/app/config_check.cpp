#include "app/config_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>
#include <system_error>

#include "app/channel_keys.h"
#include "app/config/route_settings.h"
#include "app/config/secret_file.h"

namespace finality::app {
namespace {

constexpr std::string_view kSqlite = "sqlite:";

// Checks the certificates of the channel and the modes of its files.
void check_texts(const ChannelAccountSettings& account, ConfigReport& report) {
  const auto expired = expired_certificates(account, SystemClock().now());
  if (expired)
    for (const std::string& one : *expired)
      report.warnings.push_back(fmt::format("channels.{}: {}", account.channel, one));
  for (const std::string& file : secret_files(account))
    if (const auto mode = wide_mode_of(file))
      report.warnings.push_back(
          fmt::format("channels.{}: other users can access {}, which has a secret and the mode "
                      "{}: run chmod o= {}",
                      account.channel, file, *mode, file));
}

// Creates the channels, as the server does, and checks the routes.
void check_channels(NodeOptions& options, ConfigReport& report) {
  for (const ChannelAccountSettings& account : options.channel_accounts) {
    const auto made = make_channel(account, options.policy.public_url);
    if (!made) {
      report.errors.push_back(fmt::format("channels.{}: {}", account.channel, made.error().message));
      continue;
    }
    options.policy.channels[(*made)->name()] = capabilities_of(**made);
    check_texts(account, report);
  }
  note_accounts(configured_accounts(options.bank_accounts, options.channel_accounts), options.policy);
  if (const auto routed = check_routes(options.policy); !routed) report.errors.push_back(routed.error().message);
}

void check_files(const NodeOptions& options, ConfigReport& report) {
  if (const auto mode = wide_mode_of(options.statement_key_file))
    report.warnings.push_back(
        fmt::format("statements.key_file: other users can access {0}, which has a secret and the "
                    "mode {1}: run chmod o= {0}",
                    options.statement_key_file, *mode));
  std::error_code unknown;
  if (!options.archives.empty() && !std::filesystem::is_directory(options.archives, unknown))
    report.warnings.push_back(fmt::format("archive.directory: {} is not a directory", options.archives));
}

// Compares the accounts of the configuration with those of the store.
void check_accounts(const NodeOptions& options, Store& store, ConfigReport& report) {
  const auto reader = store.open_reader();
  const auto rows = reader ? (*reader)->channel_accounts() : std::unexpected(reader.error());
  if (!rows) return report.errors.push_back("store: " + rows.error().message);
  const std::vector<ConfiguredAccount> accounts = configured_accounts(options.bank_accounts, options.channel_accounts);
  std::ranges::move(check_channel_accounts(*rows, accounts), std::back_inserter(report.errors));
  std::set<std::string_view> names;
  for (const ConfiguredAccount& account : accounts) names.insert(account.channel);
  for (const ChannelAccount& row : *rows)
    if (!names.contains(row.channel))
      report.warnings.push_back(
          fmt::format("{} is in the store, but not in the configuration: its open requests cannot "
                      "be finished",
                      row.channel));
}

// Returns whether the server creates the store, which does not exist yet.
bool is_created(const NodeOptions& options) {
  if (!options.migrate || !options.store_url.starts_with(kSqlite)) return false;
  const std::filesystem::path file(options.store_url.substr(kSqlite.size()));
  const std::filesystem::path directory = file.has_parent_path() ? file.parent_path() : ".";
  std::error_code unknown;
  return !std::filesystem::exists(file, unknown) && std::filesystem::is_directory(directory, unknown);
}

// Opens the store and checks its accounts. Returns the findings.
std::string check_store(const NodeOptions& options, ConfigReport& report) {
  if (is_created(options)) {
    report.warnings.emplace_back("store: the file does not exist; the server creates it");
    return "does not exist yet";
  }
  const auto store = open_store({.url = options.store_url, .read_only = true, .migrate = false});
  if (store) {
    check_accounts(options, **store, report);
    return "can be opened";
  }
  // A store with an older schema is an error only if the server must not migrate it.
  const std::string& message = store.error().message;
  const bool is_older = options.migrate && message.contains("Run: finality migrate");
  (is_older ? report.warnings : report.errors).push_back("store: " + message);
  return is_older ? "has an older schema, which the server migrates" : "cannot be opened";
}

// The enabled channels by kind: "100 enabled (alipay 60, wechatpay 40), 2 disabled".
std::string channels_text(const std::vector<ChannelAccountSettings>& accounts) {
  std::map<std::string_view, std::size_t> kinds;
  std::size_t disabled = 0;
  for (const ChannelAccountSettings& account : accounts) account.enabled ? ++kinds[account.kind->name] : ++disabled;
  std::vector<std::string> parts;
  for (const auto& [kind, count] : kinds) parts.push_back(fmt::format("{} {}", kind, count));
  return fmt::format("{} enabled{}, {} disabled", accounts.size() - disabled,
                     parts.empty() ? "" : fmt::format(" ({})", fmt::join(parts, ", ")), disabled);
}

}  // namespace

ConfigReport check_config(NodeOptions options) {
  ConfigReport report;
  for (const ConfigWarning& one : options.warnings)
    report.warnings.push_back(fmt::format("{}: {}", one.message, one.detail));
  check_channels(options, report);
  check_files(options, report);
  const std::string store = check_store(options, report);
  report.facts = {
      {"configuration", fmt::format("{}, {} included files", options.config_file, options.included_files.size())},
      {"public URL", options.policy.public_url},
      {"store", fmt::format("{}, {}", public_part(options.store_url), store)},
      {"channels", channels_text(options.channel_accounts)},
      {"bank accounts", std::to_string(options.bank_accounts.size())},
      {"routes", std::to_string(options.policy.routes.size())},
      {"statements", options.statement_key.empty() ? "no key: none are downloaded" : "downloaded"}};
  return report;
}

}  // namespace finality::app
