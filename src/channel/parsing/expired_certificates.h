// Which certificates of a channel have expired, in words for an operator. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time/time.h"

namespace finality {

/// The text of a setting: certificates in PEM, one after another. Empty or broken: there are none.
struct CertificateText {
  std::string_view key;
  const std::string& pem;
};

/// Those that have expired at `now`, a sentence each that begins with the setting's key and a colon. `theirs` verify
/// the channel's replies, `ours` is what the channel looks at. An error where all of theirs have expired and nothing
/// else verifies replies (`has_others`).
Result<std::vector<std::string>> expired_certificates(const CertificateText& theirs, const CertificateText& ours,
                                                      bool has_others, Time now);

}  // namespace finality
