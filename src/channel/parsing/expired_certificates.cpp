#include "channel/parsing/expired_certificates.h"

#include <fmt/format.h>

#include <utility>

#include "base/crypto/certificate.h"

namespace finality {
namespace {

std::string day_of(Time at) { return to_rfc3339(at).substr(0, 10); }

/// The expired certificates in one CertificateText.
struct Bundle {
  std::vector<std::string> expired;  // one sentence per expired certificate
  bool all_expired = false;          // the text has certificates, and all have expired
};

Bundle find_expired(const CertificateText& text, Time now) {
  Bundle bundle;
  const auto all = Certificate::parse_all(text.pem);
  if (!all) return bundle;
  for (const Certificate& certificate : *all)
    if (certificate.not_after() < now)
      bundle.expired.push_back(fmt::format("{}: the certificate {} expired on {}; replace it", text.key,
                                           certificate.serial_hex(), day_of(certificate.not_after())));
  bundle.all_expired = bundle.expired.size() == all->size();
  return bundle;
}

}  // namespace

Result<std::vector<std::string>> expired_certificates(const CertificateText& channel_certificates,
                                                      const CertificateText& own_certificates, bool has_other_keys,
                                                      Time now) {
  Bundle verifying = find_expired(channel_certificates, now);
  if (verifying.all_expired && !has_other_keys) return fail(verifying.expired.back());
  Bundle own = find_expired(own_certificates, now);
  verifying.expired.insert(verifying.expired.end(), own.expired.begin(), own.expired.end());
  return std::move(verifying.expired);
}

}  // namespace finality
