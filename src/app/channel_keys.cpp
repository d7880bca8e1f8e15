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
  return read_alipay_keys(texts);
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
  const auto parsed = Certificate::parse(certificate);
  if (!parsed) return fail("WeChat Pay: the merchant's certificate: " + parsed.error().message);
  texts.merchant_serial = parsed->serial_hex();
  return read_wechatpay_keys(texts);
}

Result<std::unique_ptr<AlipayChannel>> make_channel(const AlipaySettings& settings) {
  auto keys = read_keys(settings);
  if (!keys) return std::unexpected(keys.error());
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
  return make_wechatpay_channel({.appid = settings.appid,
                                 .mchid = settings.mchid,
                                 .url = settings.url,
                                 .public_url = settings.public_url,
                                 .keys = std::move(*keys),
                                 .fetches_certificates = settings.fetches_certificates,
                                 .is_sandbox = settings.is_sandbox});
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
