#include "channel/alipay/alipay_certificate.h"
#include "channel/alipay/alipay_channel.h"

namespace finality {
namespace {

std::unexpected<Error> wrong(std::string_view which, const Error& why) {
  return fail("Alipay: " + std::string(which) + ": " + why.message);
}

Result<void> take_certificates(const AlipayKeyTexts& texts, AlipayKeys& keys) {
  const auto own = Certificate::parse(texts.app_certificate);
  if (!own) return wrong("the application's certificate", own.error());
  const auto certified = own->public_key();
  if (!certified) return wrong("the application's certificate", certified.error());
  if (certified->to_pem() != keys.own.public_key().to_pem())
    return fail("Alipay: the application's certificate is not of the private key");
  keys.app_cert_sn = alipay::certificate_number(*own);

  const auto roots = Certificate::parse_all(texts.root_certificates);
  if (!roots) return wrong("the root certificates", roots.error());
  keys.root_cert_sn = alipay::roots_number(*roots);
  if (keys.root_cert_sn.empty()) return fail("Alipay: none of the root certificates signs with RSA");

  const auto theirs = Certificate::parse_all(texts.alipay_certificates);
  if (!theirs) return wrong("Alipay's certificate", theirs.error());
  for (const Certificate& certificate : *theirs) {
    auto key = certificate.public_key();
    if (!key) return wrong("Alipay's certificate", key.error());
    keys.alipay.emplace(alipay::certificate_number(certificate), std::move(*key));
  }
  return {};
}

}  // namespace

Result<AlipayKeys> read_alipay_keys(const AlipayKeyTexts& texts) {
  auto own = RsaPrivateKey::parse(texts.private_key);
  if (!own) return wrong("the application's private key", own.error());
  AlipayKeys keys{.own = std::move(*own)};
  const bool has_certificates =
      !texts.app_certificate.empty() || !texts.alipay_certificates.empty() || !texts.root_certificates.empty();
  if (has_certificates == !texts.alipay_public_key.empty())
    return fail("Alipay: either its public key or the three certificates are needed");
  if (has_certificates) {
    if (auto taken = take_certificates(texts, keys); !taken) return std::unexpected(taken.error());
    return keys;
  }
  auto theirs = RsaPublicKey::parse(texts.alipay_public_key);
  if (!theirs) return wrong("Alipay's public key", theirs.error());
  keys.alipay.emplace("", std::move(*theirs));
  return keys;
}

}  // namespace finality
