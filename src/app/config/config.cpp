#include "app/config/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/ip/address.hpp>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "app/config/bank_settings.h"
#include "app/config/channel_settings.h"
#include "app/config/config_files.h"
#include "app/config/duration_text.h"
#include "app/config/route_settings.h"
#include "app/config/secret_file.h"
#include "app/config/settings.h"
#include "base/limits.h"
#include "base/net/client_address.h"
#include "base/net/http_message.h"
#include "base/net/http_url.h"
#include "base/net/name_lookup.h"
#include "worker/statements/sealed_file.h"

namespace finality::app {
namespace {

using boost::asio::ip::address;
using boost::asio::ip::make_address;

// Four of the largest files: one key holds at most two of them, and another key still gets one.
constexpr std::size_t kUploadMibMin = 4 * limits::kStatementBytesMax >> 20U;
constexpr std::size_t kUploadMibMax = 65'536;
constexpr std::size_t kUploadRateKibMax = 512;

// ---- Rules for settings

std::optional<std::string> read_store(const toml::node& node) {
  auto text = read_text(node);
  for (const std::string_view scheme : {"sqlite:", "postgres://", "postgresql://"})
    if (text && text->starts_with(scheme) && text->size() > scheme.size()) return text;
  return std::nullopt;
}

std::optional<ListenAddress> read_place(const toml::node& node) {
  const std::string text = read_text(node).value_or("");
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || text.contains('%')) return std::nullopt;  // excludes IPv6 zones (fe80::1%eth0)
  std::string host = text.substr(0, colon);
  const bool bracketed = host.starts_with('[') && host.ends_with(']');
  if (bracketed) host = host.substr(1, host.size() - 2);

  boost::system::error_code not_address;
  const address found = make_address(host, not_address);
  if (not_address || found.is_v6() != bracketed) return std::nullopt;
  ListenAddress place{found.to_string(), 0};
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data() + colon + 1, end, place.port);
  if (parsed.ec != std::errc{} || parsed.ptr != end) return std::nullopt;
  return place;
}

std::optional<double> read_time_scale(const toml::node& node) {
  const auto whole = node.value_exact<std::int64_t>();
  const auto scale = whole ? static_cast<double>(*whole) : node.value_exact<double>();
  // The comparisons also reject NaN.
  const bool allowed = scale && *scale >= kTimeScaleMin && *scale <= kTimeScaleMax;
  return allowed ? scale : std::nullopt;
}

template <std::size_t max>
std::optional<std::size_t> read_count(const toml::node& node) {
  const std::int64_t count = node.value_exact<std::int64_t>().value_or(0);
  if (count < 1 || count > static_cast<std::int64_t>(max)) return std::nullopt;
  return static_cast<std::size_t>(count);
}

std::optional<std::int64_t> read_rate(const toml::node& node) {
  const auto rate = node.value_exact<std::int64_t>();
  return rate && *rate >= 0 && *rate <= http::kRatePerSecondMax ? rate : std::nullopt;
}

std::optional<std::int64_t> read_quota(const toml::node& node) {
  const std::int64_t quota = node.value_exact<std::int64_t>().value_or(0);
  return quota >= 1 && quota <= kQuotaMax ? std::optional(quota) : std::nullopt;
}

// Reads an integer from `min` to `max` in units of `unit` bytes.
template <std::size_t unit, std::size_t min, std::size_t max>
std::optional<std::size_t> read_bytes(const toml::node& node) {
  const std::int64_t count = node.value_exact<std::int64_t>().value_or(-1);
  if (count < static_cast<std::int64_t>(min) || count > static_cast<std::int64_t>(max)) return std::nullopt;
  return static_cast<std::size_t>(count) * unit;
}

// Parses a whole number of hours or days, such as "36h" or "30d". Empty if the value is invalid.
std::optional<Duration> read_span(const toml::node& node) {
  const std::string text = read_text(node).value_or("");
  if (!text.ends_with('h') && !text.ends_with('d')) return std::nullopt;
  return parse_duration(text, std::chrono::days(kKeepDaysMax));
}

// The minimum is above the 90 days for which WeChat Pay provides a new version, and the comparison of a version needs
// the file of the version before.
std::optional<Duration> read_file_days(const toml::node& node) {
  const std::int64_t days = node.value_exact<std::int64_t>().value_or(0);
  if (days < kKeepFilesDaysMin || days > kKeepDaysMax) return std::nullopt;
  return std::chrono::days(days);
}

// Rule for a setting whose values are the first `count` names of an enum.
template <class Enum, std::size_t count = kCount<Enum>>
Rule<Enum> choice() {
  return {fmt::format("one of {}", fmt::join(std::span(kNames<Enum>).first(count), ", ")),
          [](const toml::node& node) -> std::optional<Enum> {
            const auto value = parse_enum<Enum>(read_text(node).value_or(""));
            return value && static_cast<std::size_t>(*value) < count ? value : std::nullopt;
          }};
}

// Also rejects a duration below limits::kIdempotencyKept, the retention that the API guarantees.
std::optional<Duration> read_idempotency_span(const toml::node& node) {
  const auto span = read_span(node);
  return span && *span >= limits::kIdempotencyKept ? span : std::nullopt;
}

const Rule<std::string> kStore{kStoreUrls, read_store};
const Rule<ListenAddress> kPlace{"ADDRESS:PORT, with an IPv6 address in brackets, such as 127.0.0.1:8080 or [::1]:8080",
                                 read_place};
const Rule<double> kTimeScale{fmt::format("a number from {} to {}", kTimeScaleMin, kTimeScaleMax), read_time_scale};
const Rule<std::size_t> kThreads{fmt::format("an integer from 1 to {}", kIoThreadsMax), read_count<kIoThreadsMax>};
const Rule<std::size_t> kConnections{fmt::format("an integer from 1 to {}", limits::kConnectionsMax),
                                     read_count<limits::kConnectionsMax>};
const Rule<std::size_t> kUploadBytes{fmt::format("an integer from {} to {}", kUploadMibMin, kUploadMibMax),
                                     read_bytes<1 << 20, kUploadMibMin, kUploadMibMax>};
const Rule<std::size_t> kUploadRate{fmt::format("an integer from 0 to {}, where 0 means no minimum", kUploadRateKibMax),
                                    read_bytes<1 << 10, 0, kUploadRateKibMax>};
const Rule<std::int64_t> kRate{fmt::format("an integer from 0 to {}, where 0 means no limit", http::kRatePerSecondMax),
                               read_rate};
const Rule<std::int64_t> kQuota{fmt::format("an integer from 1 to {}", kQuotaMax), read_quota};
const Rule<Duration> kSpan{
    fmt::format("a whole number of hours or days, such as 36h or 30d, at most {}d", kKeepDaysMax), read_span};
const Rule<Duration> kIdempotencySpan{kSpan.allowed + " and at least 24h", read_idempotency_span};
const Rule<Duration> kFileDays{fmt::format("an integer from {} to {}", kKeepFilesDaysMin, kKeepDaysMax),
                               read_file_days};
const Rule<log::Level> kLogLevel = choice<log::Level, 4>();
const Rule<log::Format> kLogFormat = choice<log::Format>();
const Rule<log::TimeZone> kLogTimeZone = choice<log::TimeZone>();

constexpr std::size_t kStatementSecretMin = 32;

// ---- Tables of the file

// True if the text is a host name or IP address in the form that the HTTP client uses. The client compares texts, so an
// address in another form would never match.
bool is_host(const std::string& text) {
  boost::system::error_code not_address;
  const address found = make_address(text, not_address);
  if (!not_address) return net::equals_ignoring_case(found.to_string(), text);
  if (("." + text + ".").contains("..")) return false;  // the host name has an empty label
  const auto url = net::parse_http_url("http://" + text);
  return url && url->host == text;
}

void read_hosts(Table& table, std::vector<std::string>& hosts) {
  table.read("allow_private", kTexts, hosts);
  for (auto host = hosts.begin(); host != hosts.end(); ++host) {
    if (!is_host(*host))
      table.complain("allow_private",
                     fmt::format("must be a list of host names and IP addresses, such as hooks.example, 127.0.0.1 "
                                 "and ::1 (networks are not supported): {} is neither",
                                 *host));
    if (std::any_of(hosts.begin(), host, [&](auto& earlier) { return net::equals_ignoring_case(earlier, *host); }))
      table.complain("allow_private", fmt::format("must not contain a host twice: {} is listed twice", *host));
  }
}

void read_name_servers(Table& top, std::string& servers) {
  std::vector<std::string> listed;
  top.read("name_servers", kTexts, listed);
  for (const std::string& server : listed)
    if (server.contains(',') || !net::are_name_servers(server))
      top.complain("name_servers", fmt::format("must be a list of ADDRESS or ADDRESS:PORT, with a port from 1 to 65535 "
                                               "and an IPv6 address and a port as [::1]:53: {} is neither",
                                               server));
  servers = fmt::format("{}", fmt::join(listed, ","));
}

void read_trusted_proxies(Table& table, NodeOptions& options) {
  std::vector<std::string> texts;
  table.read("trusted_proxies", kTexts, texts);
  auto blocks = net::AddressBlocks::parse(texts);
  if (!blocks)
    return table.complain(
        "trusted_proxies",
        "must be a list of IP addresses and networks, such as 10.0.0.1 and 2001:db8::/32: " + blocks.error().message);
  options.trusted_proxies = std::move(*blocks);
}

// The key is the SHA-256 of the secret, so that every text of sufficient length is a key.
void read_statement_key(Table& table, NodeOptions& options) {
  std::string path;
  table.read("key_file", kText, path);
  if (path.empty()) return;
  const auto secret = read_secret(path);
  if (!secret) return table.complain("key_file", "cannot be used: " + secret.error().message);
  if (secret->reveal().size() < kStatementSecretMin)
    return table.complain("key_file", fmt::format("must name a file with at least {} characters", kStatementSecretMin));
  options.statement_key = statement_key_of(*secret);
  options.statement_key_file = path;
}

void read_health(Table table, NodeOptions& options) {
  table.only({"listen", "private_metrics"});
  ListenAddress place;
  table.read("listen", kPlace, place);
  table.read("private_metrics", kSwitch, options.private_metrics);
  if (table.has("listen")) options.health = place;
  if (options.private_metrics && !options.health)
    table.complain("private_metrics", "needs the setting health.listen, where /metrics is then available");
}

void read_settings(Table top, NodeOptions& options) {
  ListenAddress place{options.address, options.port};
  top.only({"include",
            "listen",
            "trusted_proxies",
            "connections_per_client",
            "public_url",
            "store",
            "migrate",
            "io_threads",
            "name_servers",
            "time_scale",
            "idempotency_retention",
            "delivery_retention",
            "health",
            "rate_limits",
            "uploads",
            "webhooks",
            "bank_accounts",
            "channels",
            "routes",
            "log",
            "statements",
            "archive"});
  top.require("store", kStore, options.store_url);
  top.require("public_url", kBaseUrl, options.policy.public_url);
  top.read("listen", kPlace, place);
  read_trusted_proxies(top, options);
  top.read("connections_per_client", kConnections, options.connections_per_client);
  top.read("migrate", kSwitch, options.migrate);
  top.read("io_threads", kThreads, options.io_threads);
  read_name_servers(top, options.name_servers);
  top.read("time_scale", kTimeScale, options.policy.time_scale);
  top.read("idempotency_retention", kIdempotencySpan, options.policy.idempotency_retention);
  top.read("delivery_retention", kSpan, options.policy.delivery_retention);
  options.address = place.address;
  options.port = place.port;

  read_health(top.table("health"), options);

  Table rates = top.table("rate_limits");
  rates.only({"address_reads", "address_writes", "notifications", "failed_authentications", "api_key_reads",
              "api_key_writes", "merchant_reads", "merchant_writes"});
  for (const std::string_view name : kNames<http::RateLimit>)
    rates.read(name, kRate, options.rate_limits[*parse_enum<http::RateLimit>(name)]);

  Table uploads = top.table("uploads");
  uploads.only({"total_mib", "rate_min_kib"});
  uploads.read("total_mib", kUploadBytes, options.uploads.bytes_max);
  uploads.read("rate_min_kib", kUploadRate, options.uploads.rate_min);

  Table webhooks = top.table("webhooks");
  webhooks.only({"allow_private"});
  read_hosts(webhooks, options.policy.allow_private);

  Table logging = top.table("log");
  logging.only({"level", "format", "time_zone", "access"});
  logging.read("level", kLogLevel, options.log.level);
  logging.read("format", kLogFormat, options.log.format);
  logging.read("time_zone", kLogTimeZone, options.log.time_zone);
  logging.read("access", kSwitch, options.access_log);

  Table statements = top.table("statements");
  statements.only({"key_file", "keep_files_days", "max_files_per_day", "max_mib_per_day", "max_mib_stored"});
  statements.read("keep_files_days", kFileDays, options.policy.file_retention);
  query::StatementQuota& quota = options.statement_quota;
  statements.read("max_files_per_day", kQuota, quota.max_files_per_day);
  statements.read("max_mib_per_day", kQuota, quota.max_mib_per_day);
  statements.read("max_mib_stored", kQuota, quota.max_mib_stored);
  read_statement_key(statements, options);

  Table archive = top.table("archive");
  archive.only({"directory"});
  archive.read("directory", kText, options.archives);

  read_bank_accounts(top, options);
  read_channels(top, options);
  read_routes(top, options.policy);
}

// Adds warnings about settings that are valid, but probably not intended.
void add_warnings(const ConfigFiles& files, NodeOptions& options) {
  if (!files.include.empty() && files.included.empty())
    options.warnings.push_back({"the setting include matches no file", files.include});
  if (std::ranges::none_of(options.channel_accounts, &ChannelAccountSettings::enabled))
    options.warnings.push_back({options.channel_accounts.empty() ? "no channel is configured" : "no channel is enabled",
                                "orders can only be paid from accounts: see [channels.NAME]"});
}

}  // namespace

Result<NodeOptions> read_config(const std::string& path) {
  auto files = read_config_files(path);
  if (!files) return std::unexpected(files.error());
  std::string error;
  NodeOptions options{.config_file = path};
  read_settings({&files->settings, "", error}, options);
  if (!error.empty()) return fail(std::move(error));
  add_warnings(*files, options);
  options.included_files = std::move(files->included);
  return options;
}

}  // namespace finality::app
