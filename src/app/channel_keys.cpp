#include "app/channel_keys.h"

#include <fmt/format.h>

#include <cstdlib>
#include <initializer_list>
#include <utility>

#include "app/secret_file.h"
#include "base/certificate.h"

namespace finality::app {
namespace {

// Reads into `text` what the source has, if it is named; keeps the first error.
class Reading {
 public:
  std::string text(const TextSource& source) {
    if (!source.is_named() || error_) return {};
    auto read = read_source(source);
    if (read) return std::move(*read);
    error_ = std::move(read.error());
    return {};
  }
  const std::optional<Error>& error() const { return error_; }

 private:
  std::optional<Error> error_;
};

bool is_set(const std::string& variable) { return !variable.empty() && std::getenv(variable.c_str()) != nullptr; }

// The setting that a text of that name comes from, with its value: "private_key_file (/etc/key.pem)".
std::string setting_of(std::string_view text, const TextSource& source) {
  const bool from_variable = is_set(source.variable) || source.file.empty();
  return fmt::format("{}_{} ({})", text, from_variable ? "env" : "file", from_variable ? source.variable : source.file);
}

/// Where texts come from, by their names.
using Sources = std::vector<std::pair<std::string_view, const TextSource*>>;

Sources sources_of(const AlipaySettings& settings) {
  return {{"private_key", &settings.private_key},
          {"alipay_public_key", &settings.alipay_public_key},
          {"app_certificate", &settings.app_certificate},
          {"alipay_certificates", &settings.alipay_certificates},
          {"root_certificates", &settings.root_certificates}};
}
Sources sources_of(const WechatpaySettings& settings) {
  return {{"private_key", &settings.private_key},
          {"certificate", &settings.certificate},
          {"api_v3_key", &settings.api_v3_key},
          {"platform_certificates", &settings.platform_certificates}};
}

// An error that begins with a text's name begins with its setting then.
template <class Settings>
Error in_settings(Error error, const Settings& settings) {
  for (const auto& [text, source] : sources_of(settings))
    if (source->is_named() && error.message.starts_with(std::string(text) + ": "))
      error.message.replace(0, text.size(), setting_of(text, *source));
  return error;
}

std::string day_of(Time at) { return to_rfc3339(at).substr(0, 10); }

/// The certificates of one source.
struct Bundle {
  std::vector<std::string> expired;  // a sentence each
  bool is_dead = false;              // there are some, and none of them is valid still
};

Bundle look_at(std::string_view text, const TextSource& source, Time now) {
  Bundle bundle;
  const auto pem = source.is_named() ? read_source(source) : Result<std::string>("");
  const auto all = Certificate::parse_all(pem ? *pem : "");
  if (!all) return bundle;
  for (const Certificate& certificate : *all)
    if (certificate.not_after() < now)
      bundle.expired.push_back(fmt::format("{}: the certificate {} expired on {}; put a new one in its place",
                                           setting_of(text, source), certificate.serial_hex(),
                                           day_of(certificate.not_after())));
  bundle.is_dead = bundle.expired.size() == all->size();
  return bundle;
}

// The channel's own certificates, whose death leaves nothing to verify with, and ours, which the channel looks at.
Result<std::vector<std::string>> expired_of(Bundle theirs, Bundle ours, bool has_others) {
  if (theirs.is_dead && !has_others) return fail(theirs.expired.back());
  theirs.expired.insert(theirs.expired.end(), ours.expired.begin(), ours.expired.end());
  return std::move(theirs.expired);
}

template <class Settings>
Result<void> check_dates(const Settings& settings) {
  if (const auto expired = expired_certificates(settings, SystemClock().now()); !expired)
    return std::unexpected(expired.error());
  return {};
}

template <class Channel, class Settings>
Result<void> load(Channel& channel, const Settings& settings) {
  auto keys = read_keys(settings);
  if (!keys) return std::unexpected(keys.error());
  if (auto dated = check_dates(settings); !dated) return dated;
  const auto used = channel.use_keys(std::move(*keys));
  return used ? used : std::unexpected(in_settings(used.error(), settings));
}

std::vector<std::string> files_among(std::initializer_list<const TextSource*> sources) {
  std::vector<std::string> files;
  for (const TextSource* source : sources)
    if (!source->file.empty()) files.push_back(source->file);
  return files;
}

}  // namespace

Result<std::string> read_source(const TextSource& source) {
  const char* value = source.variable.empty() ? nullptr : std::getenv(source.variable.c_str());
  if (value == nullptr && source.file.empty()) return fail(fmt::format("the variable {} is not set", source.variable));
  const std::string& name = value != nullptr ? source.variable : source.file;
  auto text = value != nullptr ? Result<std::string>(value) : read_whole_file(source.file, kKeyBytesMax);
  if (!text) return text;
  text->erase(text->find_last_not_of("\r\n") + 1);
  if (text->empty()) return fail(name + " is empty");
  return text;
}

Result<AlipayKeys> read_keys(const AlipaySettings& settings) {
  Reading reading;
  const AlipayKeyTexts texts{.private_key = Secret(reading.text(settings.private_key)),
                             .alipay_public_key = reading.text(settings.alipay_public_key),
                             .app_certificate = reading.text(settings.app_certificate),
                             .alipay_certificates = reading.text(settings.alipay_certificates),
                             .root_certificates = reading.text(settings.root_certificates)};
  if (reading.error()) return std::unexpected(*reading.error());
  auto keys = read_alipay_keys(texts);
  if (!keys) return std::unexpected(in_settings(keys.error(), settings));
  return keys;
}

Result<WechatpayKeys> read_keys(const WechatpaySettings& settings) {
  Reading reading;
  WechatpayKeyTexts texts{.merchant_serial = {},
                          .private_key = Secret(reading.text(settings.private_key)),
                          .api_v3_key = Secret(reading.text(settings.api_v3_key)),
                          .public_keys = {},
                          .platform_certificates = reading.text(settings.platform_certificates)};
  for (const auto& [id, file] : settings.public_keys) texts.public_keys[id] = reading.text({file, {}});
  const std::string certificate = reading.text(settings.certificate);
  if (reading.error()) return std::unexpected(*reading.error());
  const auto wrong = [&](const std::string& why) {
    return fail(setting_of("certificate", settings.certificate) + ": " + why);
  };
  const auto parsed = Certificate::parse(certificate);
  if (!parsed) return wrong(parsed.error().message);
  const auto certified = parsed->public_key();
  if (!certified) return wrong(certified.error().message);
  texts.merchant_serial = parsed->serial_hex();
  auto keys = read_wechatpay_keys(texts);
  if (!keys) return std::unexpected(in_settings(keys.error(), settings));
  if (keys->private_key.public_key().to_pem() != certified->to_pem())
    return wrong("the merchant's certificate is not of the private key");
  return keys;
}

Result<std::vector<std::string>> expired_certificates(const AlipaySettings& settings, Time now) {
  return expired_of(look_at("alipay_certificates", settings.alipay_certificates, now),
                    look_at("app_certificate", settings.app_certificate, now), false);
}

Result<std::vector<std::string>> expired_certificates(const WechatpaySettings& settings, Time now) {
  return expired_of(look_at("platform_certificates", settings.platform_certificates, now),
                    look_at("certificate", settings.certificate, now),
                    settings.fetches_certificates || !settings.public_keys.empty());
}

Result<void> load_keys(AlipayChannel& channel, const AlipaySettings& settings) { return load(channel, settings); }
Result<void> load_keys(WechatpayChannel& channel, const WechatpaySettings& settings) { return load(channel, settings); }

Result<std::unique_ptr<AlipayChannel>> make_channel(const AlipaySettings& settings) {
  auto keys = read_keys(settings);
  if (!keys) return std::unexpected(keys.error());
  if (auto dated = check_dates(settings); !dated) return std::unexpected(dated.error());
  return make_alipay_channel({.name = settings.name,
                              .gateway = settings.gateway,
                              .app_id = settings.app_id,
                              .seller_id = settings.seller_id,
                              .public_url = settings.public_url,
                              .keys = std::move(*keys),
                              .is_sandbox = settings.is_sandbox});
}

Result<std::unique_ptr<WechatpayChannel>> make_channel(const WechatpaySettings& settings) {
  auto keys = read_keys(settings);
  if (!keys) return std::unexpected(keys.error());
  if (auto dated = check_dates(settings); !dated) return std::unexpected(dated.error());
  auto made = make_wechatpay_channel({.appid = settings.appid,
                                      .mchid = settings.mchid,
                                      .url = settings.url,
                                      .public_url = settings.public_url,
                                      .keys = std::move(*keys),
                                      .fetches_certificates = settings.fetches_certificates,
                                      .is_sandbox = settings.is_sandbox});
  if (!made) return std::unexpected(in_settings(made.error(), settings));
  return made;
}

std::vector<std::string> key_files(const AlipaySettings& settings) {
  return files_among({&settings.private_key, &settings.alipay_public_key, &settings.app_certificate,
                      &settings.alipay_certificates, &settings.root_certificates});
}

std::vector<std::string> key_files(const WechatpaySettings& settings) {
  std::vector<std::string> files = files_among(
      {&settings.private_key, &settings.certificate, &settings.api_v3_key, &settings.platform_certificates});
  for (const auto& [id, file] : settings.public_keys) files.push_back(file);
  return files;
}

}  // namespace finality::app
