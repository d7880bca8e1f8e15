// WeChat's keys by their Wechatpay-Serial: the serial of a platform certificate, or the id of a public key.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/crypto/certificate.h"
#include "base/crypto/rsa.h"
#include "base/time/time.h"

namespace finality::wechatpay {

/// Plain data without synchronization: to change an object that threads share, modify a copy.
class PlatformKeys {
 public:
  /// Ids compare without case and leading zeros, because serials are hexadecimal.
  void add(std::string_view id, RsaPublicKey key);
  /// Adds the certificate's key. An error when it is not an RSA key.
  Result<void> add(const Certificate& certificate);
  /// Adds all keys of `more_keys`. For duplicate ids, keeps the existing key.
  void add(const PlatformKeys& more_keys);

  /// The key with this id. Null if it does not exist, or if its certificate has expired at `now`.
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
