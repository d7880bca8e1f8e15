// RSA signatures (SHA256withRSA, PKCS#1 v1.5: RFC 8017 §8.2), used by Alipay (RSA2) and WeChat Pay v3. Uses OpenSSL.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/secret.h"

struct evp_pkey_st;

namespace finality {

/// The public key of another party. Cheap to copy; thread safe.
class RsaPublicKey {
 public:
  /// Parses PEM (PUBLIC KEY or CERTIFICATE), or the base64 of a DER public key without the PEM frame, as shown by
  /// Alipay's console. Rejects keys of fewer than 2048 bits. Error messages do not contain the text.
  static Result<RsaPublicKey> parse(std::string_view text);
  explicit RsaPublicKey(std::shared_ptr<evp_pkey_st> key) : key_(std::move(key)) {}

  /// `signature` is raw bytes, not base64.
  bool verifies(std::string_view data, std::string_view signature) const;
  std::string to_pem() const;

 private:
  std::shared_ptr<evp_pkey_st> key_;
};

/// A private key of this server. Cheap to copy; thread safe.
class RsaPrivateKey {
 public:
  /// Parses PEM (PKCS#8 or PKCS#1, without a passphrase), or the base64 of either DER without the PEM frame. Rejects a
  /// key whose signatures do not verify: sign() with a damaged key would abort the process.
  static Result<RsaPrivateKey> parse(const Secret& text);
  /// Generates a key of 2048 bits.
  static RsaPrivateKey generate();

  std::string sign(std::string_view data) const;  // bytes
  RsaPublicKey public_key() const { return RsaPublicKey(key_); }
  Secret to_pem() const;  // PKCS#8
  /// For signing certificates.
  evp_pkey_st* handle() const { return key_.get(); }

 private:
  explicit RsaPrivateKey(std::shared_ptr<evp_pkey_st> key) : key_(std::move(key)) {}

  std::shared_ptr<evp_pkey_st> key_;
};

}  // namespace finality
