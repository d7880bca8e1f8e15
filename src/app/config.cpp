#include "app/config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/asio/ip/address.hpp>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

#include "app/secret_file.h"
#include "base/net/http_message.h"
#include "base/net/http_url.h"

namespace finality::app {
namespace {

using boost::asio::ip::address;
using boost::asio::ip::make_address;

// ---- What a setting may be

struct Place {
  std::string address;
  std::uint16_t port;
};

std::optional<std::string> read_text(const toml::node& node) {
  auto text = node.value_exact<std::string>();
  const auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
  if (!text || text->empty() || std::ranges::any_of(*text, is_control)) return std::nullopt;
  return text;
}

std::optional<std::vector<std::string>> read_texts(const toml::node& node) {
  if (!node.is_array()) return std::nullopt;
  std::vector<std::string> texts;
  for (const toml::node& item : *node.as_array()) {
    auto text = read_text(item);
    if (!text) return std::nullopt;
    texts.push_back(std::move(*text));
  }
  return texts;
}

std::optional<std::string> read_store(const toml::node& node) {
  auto text = read_text(node);
  for (const std::string_view scheme : {"sqlite:", "postgres://", "postgresql://"})
    if (text && text->starts_with(scheme) && text->size() > scheme.size()) return text;
  return std::nullopt;
}

std::optional<std::string> read_base_url(const toml::node& node) {
  auto text = read_text(node);
  if (!text || text->size() > kBaseUrlBytesMax || text->find_first_of("?#") != std::string::npos) return std::nullopt;
  if (!text->starts_with("http://") && !text->starts_with("https://")) return std::nullopt;
  if (!net::parse_http_url(*text)) return std::nullopt;
  text->erase(text->find_last_not_of('/') + 1);
  return text;
}

std::optional<Place> read_place(const toml::node& node) {
  const std::string text = read_text(node).value_or("");
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || text.contains('%')) return std::nullopt;  // a zone is not part of an address
  std::string host = text.substr(0, colon);
  const bool bracketed = host.starts_with('[') && host.ends_with(']');
  if (bracketed) host = host.substr(1, host.size() - 2);

  boost::system::error_code not_address;
  const address found = make_address(host, not_address);
  if (not_address || found.is_v6() != bracketed) return std::nullopt;
  Place place{found.to_string(), 0};
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data() + colon + 1, end, place.port);
  if (parsed.ec != std::errc{} || parsed.ptr != end) return std::nullopt;
  return place;
}

std::optional<double> read_time_scale(const toml::node& node) {
  const auto whole = node.value_exact<std::int64_t>();
  const auto scale = whole ? static_cast<double>(*whole) : node.value_exact<double>();
  // Not a number compares with nothing.
  const bool allowed = scale && *scale >= kTimeScaleMin && *scale <= kTimeScaleMax;
  return allowed ? scale : std::nullopt;
}

std::optional<std::size_t> read_threads(const toml::node& node) {
  const std::int64_t threads = node.value_exact<std::int64_t>().value_or(0);
  if (threads < 1 || threads > static_cast<std::int64_t>(kIoThreadsMax)) return std::nullopt;
  return static_cast<std::size_t>(threads);
}

// "36h" or "30d": a whole number of hours or days.
std::optional<Duration> read_span(const toml::node& node) {
  const std::string text = read_text(node).value_or("");
  std::int64_t number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec != std::errc{} || number < 1 || number > kKeepDaysMax * 24) return std::nullopt;
  const std::string_view unit(parsed.ptr, text.data() + text.size());
  if (unit != "h" && unit != "d") return std::nullopt;
  const Duration span = number * Duration(unit == "d" ? std::chrono::hours(24) : std::chrono::hours(1));
  return span <= kKeepDaysMax * Duration(std::chrono::hours(24)) ? std::optional(span) : std::nullopt;
}

// What the API promises cannot be taken back.
std::optional<Duration> read_idempotency_span(const toml::node& node) {
  const auto span = read_span(node);
  return span && *span >= limits::kIdempotencyKept ? span : std::nullopt;
}

std::optional<std::string> read_kind(const toml::node& node) {
  auto kind = read_text(node);
  return kind == "sandbox" ? kind : std::nullopt;
}

template <class T>
struct Rule {
  std::string allowed;  // completes "must be"
  std::optional<T> (*read)(const toml::node&);
};

const Rule<std::string> kText{"a text without control characters, and not empty", read_text};
const Rule<std::vector<std::string>> kTexts{"a list of texts, none of them empty", read_texts};
const Rule<bool> kSwitch{"true or false", [](const toml::node& node) { return node.value_exact<bool>(); }};
const Rule<std::string> kStore{kStoreUrls, read_store};
const Rule<std::string> kBaseUrl{
    fmt::format("an http:// or https:// URL of at most {} bytes, without user information, query and fragment",
                kBaseUrlBytesMax),
    read_base_url};
const Rule<Place> kPlace{"ADDRESS:PORT, an IPv6 address in brackets: 127.0.0.1:8080, [::1]:8080", read_place};
const Rule<double> kTimeScale{fmt::format("a number from {} to {}", kTimeScaleMin, kTimeScaleMax), read_time_scale};
const Rule<std::size_t> kThreads{fmt::format("an integer from 1 to {}", kIoThreadsMax), read_threads};
const Rule<Duration> kSpan{fmt::format("a number of hours or days, like 36h or 30d, {}d at most", kKeepDaysMax),
                           read_span};
const Rule<Duration> kIdempotencySpan{kSpan.allowed + ", and 24h at least", read_idempotency_span};
const Rule<std::string> kKind{"sandbox", read_kind};
const Rule<const toml::table*> kTable{"a table", [](const toml::node& node) {
                                        const toml::table* table = node.as_table();
                                        return table == nullptr ? std::nullopt : std::optional(table);
                                      }};

// ---- The tables of the file

// Keeps the first complaint of all tables in `error`, so that reading stays a list of settings.
class Table {
 public:
  Table(const toml::table* table, std::string name, std::string& error)
      : table_(table), name_(std::move(name)), error_(error) {}

  void only(std::initializer_list<std::string_view> known) {
    for (const std::string_view key : keys())
      if (std::ranges::find(known, key) == known.end())
        complain(key, fmt::format("is no setting; there are: {}", fmt::join(known, ", ")));
  }
  /// Leaves `value` as it is when the file does not say.
  template <class T>
  void read(std::string_view key, const Rule<T>& rule, T& value) {
    const toml::node* node = table_ == nullptr ? nullptr : table_->get(key);
    if (node == nullptr) return;
    if (auto found = rule.read(*node)) {
      value = std::move(*found);
    } else {
      complain(key, "must be " + rule.allowed);
    }
  }
  template <class T>
  void require(std::string_view key, const Rule<T>& rule, T& value) {
    if (table_ == nullptr || !table_->contains(key)) return complain(key, "is missing; it must be " + rule.allowed);
    read(key, rule, value);
  }
  Table table(std::string_view key) {
    const toml::table* found = nullptr;
    read(key, kTable, found);
    return {found, fmt::format("{}{}.", name_, key), error_};
  }
  std::vector<std::string_view> keys() const {
    std::vector<std::string_view> keys;
    if (table_ == nullptr) return keys;
    for (const auto& [key, node] : *table_) keys.push_back(key.str());
    return keys;
  }
  void complain(std::string_view key, std::string_view what) {
    if (error_.empty()) error_ = fmt::format("{}{} {}", name_, key, what);
  }

 private:
  const toml::table* table_;  // null: the file has none
  std::string name_;
  std::string& error_;
};

// Whether the HTTP client can find it among the hosts and addresses it goes to: it compares them as texts.
bool is_host(const std::string& text) {
  boost::system::error_code not_address;
  const address found = make_address(text, not_address);
  if (!not_address) return net::equals_ignoring_case(found.to_string(), text);
  if (("." + text + ".").contains("..")) return false;  // an empty label
  const auto url = net::parse_http_url("http://" + text);
  return url && url->host == text;
}

void read_hosts(Table& table, std::vector<std::string>& hosts) {
  table.read("allow_private", kTexts, hosts);
  for (auto host = hosts.begin(); host != hosts.end(); ++host) {
    if (!is_host(*host))
      table.complain("allow_private",
                     fmt::format("must be a list of host names and addresses, like hooks.example, 127.0.0.1 and ::1 "
                                 "(networks are not supported): {} is neither",
                                 *host));
    if (std::any_of(hosts.begin(), host, [&](auto& earlier) { return net::equals_ignoring_case(earlier, *host); }))
      table.complain("allow_private", fmt::format("must name each host once: {} stands twice", *host));
  }
}

void read_channel_secret(Table& table, Secret& secret) {
  std::string file;
  std::string variable;
  table.read("secret_file", kText, file);
  table.read("secret_env", kText, variable);
  const char* value = variable.empty() ? nullptr : std::getenv(variable.c_str());
  if (value == nullptr && file.empty()) {
    if (variable.empty()) return table.complain("secret_file", "or secret_env must name the channel's secret");
    return table.complain("secret_env",
                          fmt::format("must name a variable of the environment: {} is not set", variable));
  }
  auto found = value != nullptr ? secret_of(value, variable) : read_secret(file);
  if (!found)
    return table.complain(value != nullptr ? "secret_env" : "secret_file",
                          "must hold the secret: " + found.error().message);
  secret = std::move(*found);
}

void read_channel(Table& channels, std::string_view name, NodeOptions& options) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789_";
  if (name.empty() || name.size() > kChannelNameMax || name.find_first_not_of(kLetters) != std::string_view::npos)
    channels.complain(name, fmt::format("must have a name of 1 to {} characters of a-z, 0-9 and _", kChannelNameMax));
  Table table = channels.table(name);
  table.only({"kind", "url", "secret_file", "secret_env"});
  std::string kind;
  SandboxOptions channel{std::string(name), {}, {}, options.policy.public_url};
  table.require("kind", kKind, kind);
  table.require("url", kBaseUrl, channel.url);
  read_channel_secret(table, channel.secret);
  options.sandbox_channels.push_back(std::move(channel));
}

void read_settings(Table top, NodeOptions& options) {
  Place place{options.address, options.port};
  top.only({"listen", "public_url", "store", "migrate", "io_threads", "time_scale", "keep_idempotency",
            "keep_deliveries", "webhooks", "channels"});
  top.require("store", kStore, options.store_url);
  top.require("public_url", kBaseUrl, options.policy.public_url);
  top.read("listen", kPlace, place);
  top.read("migrate", kSwitch, options.migrate);
  top.read("io_threads", kThreads, options.io_threads);
  top.read("time_scale", kTimeScale, options.policy.time_scale);
  top.read("keep_idempotency", kIdempotencySpan, options.policy.keep_idempotency);
  top.read("keep_deliveries", kSpan, options.policy.keep_deliveries);
  options.address = place.address;
  options.port = place.port;

  Table webhooks = top.table("webhooks");
  webhooks.only({"allow_private"});
  read_hosts(webhooks, options.policy.allow_private);
  Table channels = top.table("channels");
  for (const std::string_view name : channels.keys()) read_channel(channels, name, options);
}

}  // namespace

Result<NodeOptions> read_config(const std::string& path) {
  const auto text = read_whole_file(path, kConfigBytesMax);
  if (!text) return std::unexpected(text.error());
  const toml::parse_result parsed = toml::parse(std::string_view(*text));
  if (!parsed) {
    const auto& where = parsed.error().source().begin;
    return fail(fmt::format("{}:{}: {}", path, where.line, parsed.error().description()));
  }
  std::string error;
  NodeOptions options;
  read_settings({&parsed.table(), "", error}, options);
  if (!error.empty()) return fail(fmt::format("{}: {}", path, error));
  return options;
}

}  // namespace finality::app
