#include "channel/alipay/kind.h"

#include "channel/alipay/channel.h"
#include "channel/parsing/expired_certificates.h"

namespace finality {
namespace {

constexpr std::string_view kWithCertificates = "with the certificates";

constexpr Setting kSettings[] = {
    {.key = "url",
     .type = SettingType::url,
     .fallback = "https://openapi.alipay.com/gateway.do",
     .what = "Alipay's gateway",
     .more = "https, except for the sandbox"},
    {.key = "sandbox",
     .type = SettingType::flag,
     .what = "the gateway is `finality sandbox`",
     .more = "the API accepts a `scenario`"},
    {.key = "app_id", .is_required = true, .what = "the application's number"},
    {.key = "seller_id", .is_required = true, .what = "the payee's number", .more = "`2088…`"},
    {.key = "authorization_valid_days",
     .type = SettingType::number,
     .fallback = "7",
     .what = "days for which Alipay holds an authorized amount",
     .more = "by the merchant's contract, 1 to 365. Captures must end before",
     .number_max = 365},
    {.key = "private_key",
     .type = SettingType::secret,
     .is_required = true,
     .what = "the application's private key",
     .more = "PEM, or the base64 that Alipay's tool shows"},
    {.key = "alipay_public_key",
     .type = SettingType::file,
     .what = "Alipay's public key",
     .more = "PEM, or the base64 that Alipay's portal shows",
     .needed = "this, or the certificates"},
    {.key = "app_certificate",
     .type = SettingType::file,
     .what = "the application's certificate",
     .more = "`appCertPublicKey_….crt`",
     .needed = kWithCertificates},
    {.key = "alipay_certificates",
     .type = SettingType::file,
     .what = "Alipay's certificates",
     .more = "`alipayCertPublicKey_RSA2.crt`; during a replacement, the old and the new one concatenated",
     .needed = kWithCertificates},
    {.key = "root_certificates",
     .type = SettingType::file,
     .what = "Alipay's root certificates",
     .more = "`alipayRootCert.crt`",
     .needed = kWithCertificates},
};
constexpr std::string_view kIdentity[] = {"app_id"};

constexpr std::string_view kHiddenFields[] = {"buyer",    "payer_user_id", "payer_open_id",
                                              "logon_id", "cert_no",       "received_account"};
constexpr std::string_view kShownFields[] = {"buyer_pay_amount"};  // an amount, not personal data

constexpr std::string_view kDemoChannels[] = {"alipay"};
constexpr DemoValue kDemoSettings[] = {
    {.name = "url", .source = DemoSource::sandbox_url, .from = "/gateway.do"},
    {.name = "sandbox", .source = DemoSource::enabled},
    {.name = "app_id", .from = "app_id"},
    {.name = "seller_id", .from = "seller_id"},
    {.name = "private_key", .source = DemoSource::merchant_file, .from = "app_private_key.pem"},
    {.name = "alipay_public_key", .source = DemoSource::merchant_file, .from = "alipay_public_key.pem"},
};
constexpr DemoValue kDemoShown[] = {
    {.name = "gateway", .source = DemoSource::sandbox_url, .from = "/gateway.do"},
    {.name = "endpoint", .source = DemoSource::sandbox_url},
    {.name = "app_id", .from = "app_id"},
    {.name = "seller_id", .from = "seller_id"},
    {.name = "merchant_private_key", .source = DemoSource::merchant_file, .from = "app_private_key.pem"},
    {.name = "alipay_public_key", .source = DemoSource::merchant_file, .from = "alipay_public_key.pem"},
    {.name = "app_certificate", .source = DemoSource::merchant_file, .from = "app_certificate.pem"},
    {.name = "alipay_certificate", .source = DemoSource::merchant_file, .from = "alipay_certificate.pem"},
    {.name = "alipay_root_certificate", .source = DemoSource::merchant_file, .from = "alipay_root_certificate.pem"},
};

struct RequiredSetting {
  const char* key;
  const char* what;
};
constexpr RequiredSetting kCertificates[] = {
    {"app_certificate",
     "must name the file with the application's certificate; or set alipay_public_key_file to use Alipay's public key"},
    {"alipay_certificates", "must name the file with Alipay's certificates"},
    {"root_certificates", "must name the file with Alipay's root certificates"},
};

// Requires either Alipay's public key or all three certificates. Rejects both together.
std::optional<WrongSetting> check(const ChannelValues&, const SettingKeys& configured) {
  const bool has_key = configured.contains("alipay_public_key");
  for (const auto& [key, what] : kCertificates) {
    const bool has_certificate = configured.contains(key);
    if (has_key && has_certificate) return WrongSetting{key, "must not be set together with alipay_public_key_file"};
    if (!has_key && !has_certificate) return WrongSetting{key, what};
  }
  return std::nullopt;
}

Result<std::unique_ptr<Channel>> make(const ChannelOptions& options, const ChannelTexts& texts) {
  auto keys = alipay_keys_of(texts);
  if (!keys) return std::unexpected(keys.error());
  return make_alipay_channel({.name = options.name,
                              .gateway = options.values.text("url"),
                              .app_id = options.values.text("app_id"),
                              .seller_id = options.values.text("seller_id"),
                              .public_url = options.public_url,
                              .keys = std::move(*keys),
                              .authorization_valid_days = options.values.number("authorization_valid_days"),
                              .is_sandbox = options.values.flag("sandbox")});
}

Result<std::vector<std::string>> expired(const ChannelValues&, const ChannelTexts& texts, Time now) {
  return expired_certificates({"alipay_certificates", texts.text("alipay_certificates")},
                              {"app_certificate", texts.text("app_certificate")}, false, now);
}

}  // namespace

constinit const ChannelKind kAlipayKind{
    .name = "alipay",
    .title = "Alipay (支付宝)",
    .about = "Two modes: with Alipay's public key, or with the three certificates.",
    .settings = kSettings,
    .identity = kIdentity,
    .interfaces = interfaces_of<AlipayChannel>(),
    .statement_plan = alipay_statement_plan,
    .check = check,
    .make = make,
    .expired = expired,
    .hidden_fields = kHiddenFields,
    .shown_fields = kShownFields,
    .demo = {.channels = kDemoChannels, .settings = kDemoSettings, .shown = kDemoShown}};

}  // namespace finality
