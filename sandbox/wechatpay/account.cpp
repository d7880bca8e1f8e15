#include "sandbox/wechatpay/account.h"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <utility>

#include "base/check.h"
#include "base/crypto/certificate.h"
#include "base/crypto/crypto.h"
#include "base/crypto/encoding.h"
#include "base/crypto/random.h"
#include "base/net/http_message.h"
#include "base/time/time.h"
#include "sandbox/core/certificates.h"

namespace finality::sandbox {
namespace {

constexpr int kRootYears = 20;
constexpr int kCertificateYears = 5;
constexpr std::size_t kApiKeyBytes = 16;  // random bytes of the APIv3 key, which is their 32 hex digits

// Subjects of the certificates, modeled on WeChat Pay's real certificates.
const CertificateName kRootName{
    .country = "CN", .organization = "Tenpay.com", .unit = "Tenpay.com CA Center", .common_name = "Tenpay.com Root CA"};
const CertificateName kPlatformName{
    .country = "CN", .organization = "Tenpay.com", .unit = "Tenpay.com CA Center", .common_name = "Tenpay.com sign"};
CertificateName name_of(const WechatpayMerchant& merchant) {
  return {.country = "CN",
          .organization = "Finality sandbox",
          .unit = "Tea shop",
          .common_name = std::string(merchant.mchid)};
}

std::string serial_of(const Identity& identity) {
  const auto certificate = Certificate::parse(identity.certificate);
  FINALITY_CHECK(certificate.has_value(), "the certificate was validated before");
  return certificate->serial_hex();
}

// Returns the id of WeChat Pay's public key: `PUB_KEY_ID_` and digits. The id is derived from the mchid and the key.
std::string public_key_id(const WechatpayMerchant& merchant, const RsaPrivateKey& key) {
  std::string digits;
  for (const unsigned char byte : sha256_16(key.public_key().to_pem())) digits += static_cast<char>('0' + byte % 10);
  return "PUB_KEY_ID_0" + std::string(merchant.mchid) + digits;
}

struct Keys {
  Identity platform;
  Identity merchant;
  RsaPrivateKey public_key;
  Secret api_v3_key;
};

Result<Keys> open_keys(const std::filesystem::path& directory, const WechatpayMerchant& names) {
  const Time now = SystemClock().now();
  const std::string suffix(names.suffix);
  auto root = read_or_make_identity(directory, "root", [&] { return make_root(kRootName, now, kRootYears); });
  if (!root) return std::unexpected(root.error());
  const auto certify = [&](const CertificateName& name) { return make_identity(name, *root, now, kCertificateYears); };
  auto platform = read_or_make_identity(directory, "platform" + suffix, [&] { return certify(kPlatformName); });
  if (!platform) return std::unexpected(platform.error());
  auto merchant = read_or_make_identity(directory, "merchant" + suffix, [&] { return certify(name_of(names)); });
  if (!merchant) return std::unexpected(merchant.error());
  auto public_key = read_or_make_key(directory / ("public_key" + suffix + "_private_key.pem"));
  if (!public_key) return std::unexpected(public_key.error());
  const std::filesystem::path api_v3_key_file = directory / ("api_v3_key" + suffix);
  auto api_v3_key = read_or_make(api_v3_key_file, [] { return Secret(random_hex(kApiKeyBytes)); });
  if (!api_v3_key) return std::unexpected(api_v3_key.error());
  if (api_v3_key->reveal().size() != 2 * kApiKeyBytes)
    return fail(api_v3_key_file.string() + " must contain exactly 32 characters; delete it to generate a new key");
  return Keys{std::move(*platform), std::move(*merchant), std::move(*public_key), std::move(*api_v3_key)};
}

Result<void> hand_out(const Keys& keys, const WechatpayAccount& account, const std::filesystem::path& directory) {
  const boost::json::object numbers{{"mchid", account.merchant.mchid},
                                    {"appid", account.merchant.appid},
                                    {"serial_no", account.merchant_serial},
                                    {"platform_serial_no", account.platform.serial},
                                    {"public_key_id", account.public_key.serial}};
  const std::pair<const char*, std::string> files[] = {
      {"certificate.pem", keys.merchant.certificate},
      {"wechatpay_public_key.pem", keys.public_key.public_key().to_pem()},
      {"platform_certificate.pem", keys.platform.certificate},
      {"account.json", boost::json::serialize(numbers) + "\n"}};
  for (const auto& [name, secret] :
       {std::pair("private_key.pem", keys.merchant.key.to_pem()), std::pair("api_v3_key", keys.api_v3_key)})
    if (auto written = write_file(directory / name, secret); !written) return written;
  for (const auto& [name, text] : files)
    if (auto written = write_file(directory / name, text); !written) return written;
  return {};
}

}  // namespace

const WechatpaySigner* WechatpayAccount::signer_for(std::string_view requested_serial) const {
  if (requested_serial.empty() || net::equals_ignoring_case(requested_serial, platform.serial)) return &platform;
  return requested_serial == public_key.serial ? &public_key : nullptr;
}

Result<WechatpayAccount> open_wechatpay_account(const std::filesystem::path& directory,
                                                const WechatpayMerchant& merchant) {
  const std::filesystem::path merchant_directory = directory / ("merchant" + std::string(merchant.suffix));
  std::error_code error;
  std::filesystem::create_directories(merchant_directory, error);
  if (error) return fail("cannot create the directory " + merchant_directory.string() + ": " + error.message());
  const auto keys = open_keys(directory, merchant);
  if (!keys) return std::unexpected(keys.error());
  WechatpayAccount account{.merchant = merchant,
                           .merchant_serial = serial_of(keys->merchant),
                           .merchant_key = keys->merchant.key.public_key(),
                           .platform = {serial_of(keys->platform), keys->platform.key},
                           .platform_certificate = keys->platform.certificate,
                           .public_key = {public_key_id(merchant, keys->public_key), keys->public_key},
                           .api_v3_key = keys->api_v3_key};
  if (auto written = hand_out(*keys, account, merchant_directory); !written) return std::unexpected(written.error());
  return account;
}

}  // namespace finality::sandbox
