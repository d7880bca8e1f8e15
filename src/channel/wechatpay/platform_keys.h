// Set of WeChat's keys, by the value of the header Wechatpay-Serial: the serial number of a platform certificate, or
// the id of a public key.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/crypto/certificate.h"
#include "base/crypto/rsa.h"
#include "base/time/time.h"

namespace finality::wechatpay {

/// Set of WeChat's keys. Not synchronized: to change a set that several threads use, replace it by a modified copy.
class PlatformKeys {
 public:
  /// Adds a public key that never expires. The comparison of ids ignores case and leading zeros, because serial numbers
  /// are hexadecimal.
  void add(std::string_view id, RsaPublicKey key);
  /// Adds the key of a certificate, under its serial number. Returns an error if the key is not an RSA key.
  Result<void> add(const Certificate& certificate);
  /// Adds all keys of `more_keys`. If an id exists already, its existing key stays.
  void add(const PlatformKeys& more_keys);

  /// Returns the key with this id. Null if the id does not exist or its certificate has expired at `now`.
  const RsaPublicKey* find(std::string_view id, Time now) const;
  bool empty() const { return keys_.empty(); }

 private:
  struct Entry {
    RsaPublicKey key;
    std::optional<Time> not_after;  // expiry of the certificate; empty for a public key, which never expires
  };

  std::map<std::string, Entry, std::less<>> keys_;
};

}  // namespace finality::wechatpay
