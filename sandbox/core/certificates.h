// Generates RSA keys and X.509 certificates for the sandbox's gateways and their merchants, and stores them in files.
// Uses OpenSSL.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "base/crypto/certificate.h"
#include "base/crypto/rsa.h"
#include "base/result.h"
#include "base/secret.h"
#include "base/time/time.h"

namespace finality::sandbox {

/// A distinguished name, in encoding order. Empty parts are omitted.
struct CertificateName {
  std::string country;
  std::string organization;
  std::string unit;
  std::string common_name;
};

/// A key and its certificate.
struct Identity {
  RsaPrivateKey key;
  std::string certificate;  // PEM
};

/// A self-signed certificate authority, valid from `from` for `years`.
Identity make_root(const CertificateName& name, Time from, int years);
/// A new key with a certificate signed by `issuer`. The serial number is random: 40 hex digits, the first not 0.
Identity make_identity(const CertificateName& name, const Identity& issuer, Time from, int years);

// Files. Several processes may request the same file concurrently: all get the content that the first one wrote. The
// directory must exist. Errors name the file.

/// The content of `file`. If the file does not exist, writes the result of `make` to it first, readable by its owner
/// only.
Result<Secret> read_or_make(const std::filesystem::path& file, const std::function<Secret()>& make);
/// Reads a private key from `file`, as PEM, or generates it, in the same way.
Result<RsaPrivateKey> read_or_make_key(const std::filesystem::path& file);
/// Reads a key and its certificate from `directory`/`name`_private_key.pem and `name`_certificate.pem, or generates
/// both with `make` unless both files exist. `make` must not request another identity in the same directory: that would
/// deadlock.
Result<Identity> read_or_make_identity(const std::filesystem::path& directory, const std::string& name,
                                       const std::function<Identity()>& make);
/// Writes a file that other users may read. Leaves a file with the same content unchanged.
Result<void> write_file(const std::filesystem::path& file, const std::string& text);
/// Writes a file that only its owner may read. Leaves a file with the same content unchanged.
Result<void> write_file(const std::filesystem::path& file, const Secret& text);

}  // namespace finality::sandbox
