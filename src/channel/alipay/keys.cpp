#include <algorithm>

#include "channel/alipay/certificate.h"
#include "channel/alipay/channel.h"

namespace finality {
namespace {

// Returns the error "TEXT: REASON" about one text. `text` is the name of a member of AlipayKeyTexts.
std::unexpected<Error> wrong(std::string_view text, std::string_view reason) {
  return fail(std::string(text) + ": " + std::string(reason));
}
std::unexpected<Error> wrong(std::string_view text, const Error& reason) { return wrong(text, reason.message); }

// Whether the certificate cannot have been issued under these roots: it is self-signed, or no certificate with the name
// of its issuer signed it. False if no certificate with this name is given, because Alipay distributes its certificate
// without the intermediate certificate.
bool is_refuted(const Certificate& certificate, const std::vector<Certificate>& intermediates,
                const std::vector<Certificate>& roots) {
  const auto is_named = [&](const Certificate& issuer) { return certificate.names_as_issuer(issuer); };
  const auto signs_it = [&](const Certificate& issuer) { return certificate.is_signed_by(issuer); };
  if (std::ranges::any_of(roots, signs_it)) return false;
  if (is_named(certificate)) return true;
  return std::ranges::any_of(roots, is_named) ||
         (std::ranges::any_of(intermediates, is_named) && std::ranges::none_of(intermediates, signs_it));
}

Result<void> take_certificates(const AlipayKeyTexts& texts, AlipayKeys& keys) {
  const auto own = Certificate::parse(texts.app_certificate);
  if (!own) return wrong("app_certificate", own.error());
  const auto certified = own->public_key();
  if (!certified) return wrong("app_certificate", certified.error());
  if (certified->to_pem() != keys.own.public_key().to_pem())
    return wrong("app_certificate", "the application's certificate does not match the private key");
  keys.app_cert_sn = alipay::certificate_number(*own);

  const auto roots = Certificate::parse_all(texts.root_certificates);
  if (!roots) return wrong("root_certificates", roots.error());
  keys.root_cert_sn = alipay::roots_number(*roots);
  if (keys.root_cert_sn.empty())
    return wrong("root_certificates", "at least one root certificate must be signed with RSA");

  const auto alipay_certificates = Certificate::parse_all(texts.alipay_certificates);
  if (!alipay_certificates) return wrong("alipay_certificates", alipay_certificates.error());
  for (const Certificate& certificate : *alipay_certificates) {
    auto key = certificate.public_key();
    if (!key) return wrong("alipay_certificates", key.error());
    if (key->to_pem() == keys.own.public_key().to_pem())
      return wrong("alipay_certificates", "this is the application's own certificate, not Alipay's");
    if (is_refuted(certificate, *alipay_certificates, *roots))
      return wrong("alipay_certificates", "a certificate in it was not issued under any of the root certificates");
    keys.alipay.emplace(alipay::certificate_number(certificate), std::move(*key));
  }
  return {};
}

}  // namespace

Result<AlipayKeys> read_alipay_keys(const AlipayKeyTexts& texts) {
  auto own = RsaPrivateKey::parse(texts.private_key);
  if (!own) return wrong("private_key", own.error());
  AlipayKeys keys{.own = std::move(*own)};
  const bool has_certificates =
      !texts.app_certificate.empty() || !texts.alipay_certificates.empty() || !texts.root_certificates.empty();
  if (has_certificates == !texts.alipay_public_key.empty())
    return fail("set either alipay_public_key or all of app_certificate, alipay_certificates, root_certificates");
  if (has_certificates) {
    if (auto taken = take_certificates(texts, keys); !taken) return std::unexpected(taken.error());
    return keys;
  }
  auto alipay_key = RsaPublicKey::parse(texts.alipay_public_key);
  if (!alipay_key) return wrong("alipay_public_key", alipay_key.error());
  if (alipay_key->to_pem() == keys.own.public_key().to_pem())
    return wrong("alipay_public_key",
                 "this is the application's own public key; Alipay's portal shows Alipay's key next to it");
  keys.alipay.emplace("", std::move(*alipay_key));
  return keys;
}

Result<AlipayKeys> alipay_keys_of(const ChannelTexts& texts) {
  return read_alipay_keys({.private_key = texts.secret("private_key"),
                           .alipay_public_key = texts.text("alipay_public_key"),
                           .app_certificate = texts.text("app_certificate"),
                           .alipay_certificates = texts.text("alipay_certificates"),
                           .root_certificates = texts.text("root_certificates")});
}

}  // namespace finality
