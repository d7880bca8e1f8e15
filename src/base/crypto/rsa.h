// RSA signatures (SHA256withRSA, PKCS#1 v1.5: RFC 8017 §8.2), as Alipay (RSA2) and WeChat Pay v3 sign. By OpenSSL.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/secret.h"

struct evp_pkey_st;

namespace finality {

/// The other side's key. Cheap to copy; safe to use from several threads.
class RsaPublicKey {
 public:
  /// A PEM text (PUBLIC KEY or CERTIFICATE), or the base64 of a DER public key without the frame, as
  /// Alipay's console shows it. An error says what is wrong, without the text; fewer than 2048 bits are refused.
  static Result<RsaPublicKey> parse(std::string_view text);
  explicit RsaPublicKey(std::shared_ptr<evp_pkey_st> key) : key_(std::move(key)) {}

  /// `signature` as bytes, not as base64.
  bool verifies(std::string_view data, std::string_view signature) const;
  std::string to_pem() const;

 private:
  std::shared_ptr<evp_pkey_st> key_;
};

/// Our own key. Cheap to copy; safe to use from several threads.
class RsaPrivateKey {
 public:
  /// A PEM text (PKCS#8 or PKCS#1, without a passphrase), or the base64 of either DER without the frame. A key whose
  /// signatures do not verify is refused: with a file that was damaged, sign() would stop the process.
  static Result<RsaPrivateKey> parse(const Secret& text);
  /// A new key of 2048 bits.
  static RsaPrivateKey generate();

  std::string sign(std::string_view data) const;  // bytes
  RsaPublicKey public_key() const { return RsaPublicKey(key_); }
  Secret to_pem() const;  // PKCS#8
  /// For certificates that this key signs.
  evp_pkey_st* handle() const { return key_.get(); }

 private:
  explicit RsaPrivateKey(std::shared_ptr<evp_pkey_st> key) : key_(std::move(key)) {}

  std::shared_ptr<evp_pkey_st> key_;
};

}  // namespace finality
