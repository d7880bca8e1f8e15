#include "channel/wechatpay/kind.h"

#include "channel/parsing/expired_certificates.h"
#include "channel/wechatpay/channel.h"

namespace finality {
namespace {

constexpr Setting kSettings[] = {
    {.key = "url",
     .type = SettingType::url,
     .fallback = "https://api.mch.weixin.qq.com",
     .what = "WeChat Pay's gateway",
     .more = "https, except for the sandbox"},
    {.key = "sandbox",
     .type = SettingType::flag,
     .what = "the gateway is `finality sandbox`",
     .more = "the API accepts a `scenario`"},
    {.key = "mchid", .is_required = true, .what = "the merchant's number"},
    {.key = "appid",
     .is_required = true,
     .what = "the app, mini program or official account that the merchant has bound"},
    {.key = "private_key",
     .type = SettingType::secret,
     .is_required = true,
     .what = "the merchant's private key (apiclient_key.pem)"},
    {.key = "certificate",
     .type = SettingType::file,
     .is_required = true,
     .what = "the merchant's certificate (apiclient_cert.pem)",
     .more = "every request contains its serial number"},
    {.key = "api_v3_key",
     .type = SettingType::secret,
     .is_required = true,
     .what = "the APIv3 key",
     .more = "32 characters"},
    {.key = "public_keys",
     .type = SettingType::files,
     .what = "files with WeChat Pay's public keys",
     .more = "by their ids (`PUB_KEY_ID_…`)"},
    {.key = "platform_certificates",
     .type = SettingType::file,
     .what = "WeChat Pay's certificates",
     .more = "concatenated"},
    {.key = "fetch_certificates",
     .type = SettingType::flag,
     .what = "fetch WeChat Pay's certificates",
     .more = "at startup and twice a day"},
};
constexpr std::string_view kIdentity[] = {"mchid", "appid"};

constexpr std::string_view kHiddenFields[] = {"unionid", "paySign"};
constexpr std::string_view kShownFields[] = {"payer_total", "payer_currency",
                                             "payer_refund"};  // amounts, not personal data

constexpr std::string_view kDemoChannels[] = {"wechatpay"};
constexpr DemoValue kDemoSettings[] = {
    {.name = "url", .source = DemoSource::sandbox_url},
    {.name = "sandbox", .source = DemoSource::enabled},
    {.name = "mchid", .from = "mchid"},
    {.name = "appid", .from = "appid"},
    {.name = "private_key", .source = DemoSource::merchant_file, .from = "private_key.pem"},
    {.name = "certificate", .source = DemoSource::merchant_file, .from = "certificate.pem"},
    {.name = "api_v3_key", .source = DemoSource::merchant_file, .from = "api_v3_key"},
    {.name = "public_keys",
     .source = DemoSource::merchant_file,
     .from = "wechatpay_public_key.pem",
     .id_field = "public_key_id"},
    {.name = "fetch_certificates", .source = DemoSource::enabled},
};
constexpr DemoValue kDemoShown[] = {
    {.name = "base_url", .source = DemoSource::sandbox_url},
    {.name = "mchid", .from = "mchid"},
    {.name = "appid", .from = "appid"},
    {.name = "serial", .from = "serial_no"},
    {.name = "private_key", .source = DemoSource::merchant_file, .from = "private_key.pem"},
    {.name = "api_v3_key", .source = DemoSource::merchant_file, .from = "api_v3_key"},
    {.name = "platform_keys",
     .source = DemoSource::merchant_file,
     .from = "wechatpay_public_key.pem",
     .id_field = "public_key_id"},
    {.name = "platform_keys",
     .source = DemoSource::merchant_file,
     .from = "platform_certificate.pem",
     .id_field = "platform_serial_no"},
};

Result<std::unique_ptr<Channel>> make(const ChannelOptions& options, const ChannelTexts& texts) {
  auto keys = wechatpay_keys_of(texts);
  if (!keys) return std::unexpected(keys.error());
  return make_wechatpay_channel({.name = options.name,
                                 .appid = options.values.text("appid"),
                                 .mchid = options.values.text("mchid"),
                                 .url = options.values.text("url"),
                                 .public_url = options.public_url,
                                 .keys = std::move(*keys),
                                 .fetches_certificates = options.values.flag("fetch_certificates"),
                                 .is_sandbox = options.values.flag("sandbox")});
}

Result<std::vector<std::string>> expired(const ChannelValues& values, const ChannelTexts& texts, Time now) {
  const bool has_other_keys = values.flag("fetch_certificates") || !texts.table("public_keys").empty();
  return expired_certificates({"platform_certificates", texts.text("platform_certificates")},
                              {"certificate", texts.text("certificate")}, has_other_keys, now);
}

}  // namespace

constinit const ChannelKind kWechatpayKind{
    .name = "wechatpay",
    .title = "WeChat Pay (微信支付), API v3",
    .about =
        "WeChat Pay's replies are verified with public keys, with platform certificates, or with both while a "
        "merchant moves from one to the other.",
    .settings = kSettings,
    .identity = kIdentity,
    .interfaces = interfaces_of<WechatpayChannel>(),
    .statement_plan = wechatpay_statement_plan,
    .make = make,
    .expired = expired,
    .hidden_fields = kHiddenFields,
    .shown_fields = kShownFields,
    .demo = {.channels = kDemoChannels, .settings = kDemoSettings, .shown = kDemoShown}};

}  // namespace finality
