// RSA signatures (SHA256withRSA, PKCS#1 v1.5: RFC 8017 §8.2), used by Alipay (RSA2) and WeChat Pay v3. Uses OpenSSL.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/secret.h"

struct evp_pkey_st;

namespace finality {

/// An RSA public key, which verifies signatures. Cheap to copy; thread safe.
class RsaPublicKey {
 public:
  /// Parses PEM (PUBLIC KEY or CERTIFICATE), or a base64-encoded DER public key without PEM header and footer, as shown
  /// by Alipay's console. Returns an error for other keys and for fewer than 2048 bits; it never contains the text.
  static Result<RsaPublicKey> parse(std::string_view text);
  explicit RsaPublicKey(std::shared_ptr<evp_pkey_st> key) : key_(std::move(key)) {}

  /// True if `signature` (raw bytes, not base64) is a valid signature of `data`.
  bool verifies(std::string_view data, std::string_view signature) const;
  std::string to_pem() const;

 private:
  std::shared_ptr<evp_pkey_st> key_;
};

/// An RSA private key, which creates signatures. Cheap to copy; thread safe.
class RsaPrivateKey {
 public:
  /// Parses PEM (PKCS#8 or PKCS#1, without a passphrase), or the base64-encoded DER without PEM header and footer.
  /// Rejects keys of fewer than 2048 bits. Also rejects a damaged key, whose signatures do not verify: sign() would
  /// abort the process.
  static Result<RsaPrivateKey> parse(const Secret& text);
  /// Generates a key of 2048 bits.
  static RsaPrivateKey generate();

  std::string sign(std::string_view data) const;  // raw bytes, not base64
  RsaPublicKey public_key() const { return RsaPublicKey(key_); }
  Secret to_pem() const;  // PKCS#8, not encrypted
  /// The key for calls of OpenSSL, such as signing a certificate. Valid while a copy of this object exists.
  evp_pkey_st* handle() const { return key_.get(); }

 private:
  explicit RsaPrivateKey(std::shared_ptr<evp_pkey_st> key) : key_(std::move(key)) {}

  std::shared_ptr<evp_pkey_st> key_;
};

}  // namespace finality
