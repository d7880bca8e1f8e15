// Finds expired certificates of a channel and describes them for operators. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time/time.h"

namespace finality {

/// The key and the text of a setting that holds concatenated certificates in PEM. An empty or malformed text is treated
/// as a text without certificates.
struct CertificateText {
  std::string_view key;
  const std::string& pem;
};

/// Returns one sentence "KEY: …" for each certificate that has expired at `now`, KEY being the key of the setting.
/// `channel_certificates` are the certificates with which this server verifies replies of the channel.
/// `own_certificates` are the merchant's certificates. `has_other_keys` states whether this server can also verify
/// replies with other keys. Returns an error if all of `channel_certificates` have expired and there are no other keys.
Result<std::vector<std::string>> expired_certificates(const CertificateText& channel_certificates,
                                                      const CertificateText& own_certificates, bool has_other_keys,
                                                      Time now);

}  // namespace finality
