// X.509 certificates as used by payment channels: the public key, the names and the validity period. Uses OpenSSL.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/crypto/rsa.h"
#include "base/result.h"
#include "base/time/time.h"

struct x509_st;

namespace finality {

/// An X.509 certificate. This class does not check trust: a channel's certificate is trusted because it was configured,
/// or because it arrived encrypted with a key that only the channel has.
class Certificate {
 public:
  /// Parses all certificates of a PEM text, as parse_all() does, and returns the first.
  static Result<Certificate> parse(std::string_view pem);
  /// Parses all certificates of a bundle, in order. Returns an error if the bundle is empty or a certificate is
  /// invalid.
  static Result<std::vector<Certificate>> parse_all(std::string_view pem);

  std::string serial_hex() const;      // upper case, without leading zeros: the format of WeChat Pay
  std::string serial_decimal() const;  // the format that Alipay's certificate digest includes
  /// Returns the issuer's name, last component first (`CN=…,OU=…,O=…,C=…`), the order in Alipay's
  /// certificate digest.
  std::string issuer() const;
  /// True if the certificate is signed with RSA (an OID below 1.2.840.113549.1.1).
  bool is_signed_with_rsa() const;
  /// True if the issuer name of this certificate is the subject name of `issuer`. Not a proof of origin:
  /// anyone can create a certificate with that name.
  bool names_as_issuer(const Certificate& issuer) const;
  /// True if names_as_issuer() holds and the key of `issuer` verifies the signature of this certificate.
  bool is_signed_by(const Certificate& issuer) const;
  Time not_before() const;
  Time not_after() const;
  /// Returns an error if the key is not an RSA key.
  Result<RsaPublicKey> public_key() const;

 private:
  explicit Certificate(std::shared_ptr<x509_st> certificate) : certificate_(std::move(certificate)) {}

  std::shared_ptr<x509_st> certificate_;
};

}  // namespace finality
