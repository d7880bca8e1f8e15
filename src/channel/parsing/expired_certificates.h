// Messages for operators about expired certificates of a channel. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time/time.h"

namespace finality {

/// The text of a setting: concatenated certificates in PEM. An empty or malformed text counts as no certificates.
struct CertificateText {
  std::string_view key;
  const std::string& pem;
};

/// One sentence per certificate that has expired at `now`, beginning with the setting's key and a colon.
/// `channel_certificates` are the channel's certificates, which verify its replies; `own_certificates` are the
/// certificates that the channel verifies. An error when all of `channel_certificates` have expired and no other keys
/// verify replies (`has_other_keys`).
Result<std::vector<std::string>> expired_certificates(const CertificateText& channel_certificates,
                                                      const CertificateText& own_certificates, bool has_other_keys,
                                                      Time now);

}  // namespace finality
