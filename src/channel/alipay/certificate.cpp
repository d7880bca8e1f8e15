#include "channel/alipay/certificate.h"

#include "base/crypto/legacy_digest.h"

namespace finality::alipay {

std::string certificate_number(const Certificate& certificate) {
  return md5_hex(certificate.issuer() + certificate.serial_decimal());
}

std::string roots_number(std::span<const Certificate> roots) {
  std::string joined;
  for (const Certificate& root : roots) {
    if (!root.is_signed_with_rsa()) continue;
    if (!joined.empty()) joined += '_';
    joined += certificate_number(root);
  }
  return joined;
}

}  // namespace finality::alipay
