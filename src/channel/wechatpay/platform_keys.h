// WeChat's own keys by what Wechatpay-Serial calls them: the serial of a platform certificate, or a public key's id.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/crypto/certificate.h"
#include "base/crypto/rsa.h"
#include "base/time/time.h"

namespace finality::wechatpay {

/// Plain data: whoever shares one between threads changes a copy.
class PlatformKeys {
 public:
  /// Hexadecimal serials are the same in either case, and with leading zeros.
  void add(std::string_view id, RsaPublicKey key);
  /// An error when the key in it is none of RSA.
  Result<void> add(const Certificate& certificate);
  /// All of these; of two of one name the own one stays.
  void add(const PlatformKeys& others);

  /// Null when there is none of that name, or its certificate is not valid at `now`.
  const RsaPublicKey* find(std::string_view id, Time now) const;
  bool empty() const { return keys_.empty(); }

 private:
  struct Entry {
    RsaPublicKey key;
    std::optional<Time> not_after;  // a public key never expires
  };

  std::map<std::string, Entry, std::less<>> keys_;
};

}  // namespace finality::wechatpay
