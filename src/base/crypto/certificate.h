// X.509 certificates as far as payment channels use them: the key inside, and the names they go by. By OpenSSL.
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

/// One certificate. Nobody's trust in it is checked here: a channel's certificate is believed because it was
/// configured, or came encrypted with a key that only the channel has.
class Certificate {
 public:
  /// The first certificate of a PEM text.
  static Result<Certificate> parse(std::string_view pem);
  /// All of a bundle, in order. An error when there is none, or one of them is broken.
  static Result<std::vector<Certificate>> parse_all(std::string_view pem);

  std::string serial_hex() const;      // upper case, without leading zeros, as WeChat Pay writes it
  std::string serial_decimal() const;  // as Alipay reckons with it
  /// `CN=…,OU=…,O=…,C=…`: the issuer's name from its end, as Alipay's digest wants it.
  std::string issuer() const;
  /// Whether it is signed with RSA (an OID below 1.2.840.113549.1.1).
  bool is_signed_with_rsa() const;
  /// Whether `issuer` has the name that this one says it is from; anybody may have chosen it.
  bool names_as_issuer(const Certificate& issuer) const;
  /// Whether it has, and its key made the signature.
  bool is_signed_by(const Certificate& issuer) const;
  Time not_before() const;
  Time not_after() const;
  /// An error when the key is none of RSA.
  Result<RsaPublicKey> public_key() const;

 private:
  explicit Certificate(std::shared_ptr<x509_st> certificate) : certificate_(std::move(certificate)) {}

  std::shared_ptr<x509_st> certificate_;
};

}  // namespace finality
