#include "app/channel_settings.h"

#include <cstdlib>
#include <utility>

#include "app/secret_file.h"

namespace finality::app {
namespace {

constexpr std::string_view kAlipayName = "alipay";
constexpr std::string_view kWechatpayName = "wechatpay";

std::optional<std::string> read_kind(const toml::node& node) {
  auto kind = read_text(node);
  const bool known = kind == "sandbox" || kind == kAlipayName || kind == kWechatpayName;
  return known ? kind : std::nullopt;
}
const Rule<std::string> kKind{"sandbox, alipay or wechatpay", read_kind};

// ---- Where texts come from

// A secret: NAME_file, or NAME_env of the environment.
TextSource require_secret(Table& table, const std::string& name, std::string_view what) {
  TextSource source;
  table.read(name + "_file", kText, source.file);
  table.read(name + "_env", kText, source.variable);
  if (!source.is_named()) table.complain(name + "_file", fmt::format("or {}_env must name {}", name, what));
  return source;
}

// What is no secret: NAME_file.
TextSource read_file_setting(Table& table, std::string_view key) {
  TextSource source;
  table.read(key, kText, source.file);
  return source;
}

TextSource require_file(Table& table, std::string_view key, std::string_view what) {
  if (!table.has(key)) table.complain(key, fmt::format("must name the file with {}", what));
  return read_file_setting(table, key);
}

// Makes the channel once, so that a mistake shows now.
template <class Settings>
void try_out(Table& channels, std::string_view name, const Settings& settings) {
  if (channels.has_complained()) return;
  if (const auto made = make_channel(settings); !made)
    channels.complain(name, "cannot be used: " + made.error().message);
}

// ---- The sandbox

void read_channel_secret(Table& table, Secret& secret) {
  const TextSource source = require_secret(table, "secret", "the channel's secret");
  if (!source.is_named()) return;
  const char* value = source.variable.empty() ? nullptr : std::getenv(source.variable.c_str());
  if (value == nullptr && source.file.empty())
    return table.complain("secret_env",
                          fmt::format("must name a variable of the environment: {} is not set", source.variable));
  auto found = value != nullptr ? secret_of(value, source.variable) : read_secret(source.file);
  if (!found)
    return table.complain(value != nullptr ? "secret_env" : "secret_file",
                          "must hold the secret: " + found.error().message);
  secret = std::move(*found);
}

void read_sandbox(Table& table, std::string_view name, NodeOptions& options) {
  table.only({"kind", "url", "secret_file", "secret_env"});
  SandboxOptions channel{std::string(name), {}, {}, options.policy.public_url};
  table.require("url", kBaseUrl, channel.url);
  read_channel_secret(table, channel.secret);
  options.sandbox_channels.push_back(std::move(channel));
}

// ---- What Alipay and WeChat Pay have in common

template <class Settings>
Settings read_gateway(Table& table, const NodeOptions& options, std::string Settings::* url) {
  Settings settings;
  settings.public_url = options.policy.public_url;
  table.read("url", kBaseUrl, settings.*url);
  table.read("sandbox", kSwitch, settings.is_sandbox);
  return settings;
}

// ---- Alipay

void read_certificates(Table& table, AlipaySettings& settings) {
  settings.app_certificate = require_file(table, "app_certificate_file",
                                          "the application's certificate, or alipay_public_key_file Alipay's key");
  settings.alipay_certificates = require_file(table, "alipay_certificates_file", "Alipay's certificates");
  settings.root_certificates = require_file(table, "root_certificates_file", "Alipay's root certificates");
}

void read_alipay(Table& table, std::string_view name, NodeOptions& options) {
  table.only({"kind", "url", "sandbox", "app_id", "seller_id", "private_key_file", "private_key_env",
              "alipay_public_key_file", "app_certificate_file", "alipay_certificates_file", "root_certificates_file"});
  auto settings = read_gateway(table, options, &AlipaySettings::gateway);
  settings.name = name;
  table.require("app_id", kText, settings.app_id);
  table.require("seller_id", kText, settings.seller_id);
  settings.private_key = require_secret(table, "private_key", "the application's private key");
  settings.alipay_public_key = read_file_setting(table, "alipay_public_key_file");
  if (!settings.alipay_public_key.is_named()) read_certificates(table, settings);
  for (const std::string_view key : {"app_certificate_file", "alipay_certificates_file", "root_certificates_file"})
    if (settings.alipay_public_key.is_named() && table.has(key))
      table.complain(key, "is not for a channel with an alipay_public_key_file");
  options.alipay_channels.push_back(std::move(settings));
}

// ---- WeChat Pay

void read_public_keys(Table& table, WechatpaySettings& settings) {
  Table keys = table.table("public_keys");
  for (const std::string_view id : keys.keys()) keys.read(id, kText, settings.public_keys[std::string(id)]);
}

void read_wechatpay(Table& table, std::string_view name, NodeOptions& options) {
  if (name != kWechatpayName) table.complain("kind", "wechatpay is for the channel named wechatpay only");
  table.only({"kind", "url", "sandbox", "mchid", "appid", "private_key_file", "private_key_env", "certificate_file",
              "api_v3_key_file", "api_v3_key_env", "public_keys", "platform_certificates_file", "fetch_certificates"});
  auto settings = read_gateway(table, options, &WechatpaySettings::url);
  table.require("mchid", kText, settings.mchid);
  table.require("appid", kText, settings.appid);
  settings.private_key = require_secret(table, "private_key", "the merchant's private key (apiclient_key.pem)");
  settings.certificate = require_file(table, "certificate_file", "the merchant's certificate (apiclient_cert.pem)");
  settings.api_v3_key = require_secret(table, "api_v3_key", "the APIv3 key");
  settings.platform_certificates = read_file_setting(table, "platform_certificates_file");
  table.read("fetch_certificates", kSwitch, settings.fetches_certificates);
  read_public_keys(table, settings);
  options.wechatpay_channels.push_back(std::move(settings));
}

// ---- All of them

void read_channel(Table& channels, std::string_view name, NodeOptions& options) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789_";
  if (name.empty() || name.size() > kChannelNameMax || name.find_first_not_of(kLetters) != std::string_view::npos)
    channels.complain(name, fmt::format("must have a name of 1 to {} characters of a-z, 0-9 and _", kChannelNameMax));
  if (name == kWallet) channels.complain(name, "is the channel of our own accounts: give yours another name");
  Table table = channels.table(name);
  std::string kind = "sandbox";
  table.require("kind", kKind, kind);
  if (kind == kAlipayName) {
    read_alipay(table, name, options);
    try_out(channels, name, options.alipay_channels.back());
  } else if (kind == kWechatpayName) {
    read_wechatpay(table, name, options);
    try_out(channels, name, options.wechatpay_channels.back());
  } else {
    read_sandbox(table, name, options);
  }
}

}  // namespace

void read_channels(Table& top, NodeOptions& options) {
  Table channels = top.table("channels");
  for (const std::string_view name : channels.keys()) read_channel(channels, name, options);
}

}  // namespace finality::app
