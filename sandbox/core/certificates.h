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

/// Distinguished name of a certificate's subject. The fields are in encoding order; empty fields are omitted.
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

/// Generates a self-signed certificate authority, valid from `from` for `years` of 365 days.
Identity make_root(const CertificateName& name, Time from, int years);
/// Generates a key and a certificate signed by `issuer`. The certificate's serial number is random and has 40 hex
/// digits.
Identity make_identity(const CertificateName& name, const Identity& issuer, Time from, int years);

// Storage in files. Several threads and processes may request the same file concurrently: all get the content that the
// first of them wrote. The directory must exist. Errors name the file.

/// Returns the content of `file`. If the file does not exist, first writes the result of `make` to it. Only the owner
/// can read the file.
Result<Secret> read_or_make(const std::filesystem::path& file, const std::function<Secret()>& make);
/// Reads a private key from the PEM file `file`. If the file does not exist, generates a key and writes it first. Only
/// the owner can read the file.
Result<RsaPrivateKey> read_or_make_key(const std::filesystem::path& file);
/// Reads a key and its certificate from `name`_private_key.pem and `name`_certificate.pem in `directory`. If a file is
/// missing, first generates both with `make`. `make` must not call this function for the same directory, because the
/// directory is locked (deadlock).
Result<Identity> read_or_make_identity(const std::filesystem::path& directory, const std::string& name,
                                       const std::function<Identity()>& make);
/// Replaces the content of `file` atomically; other users can read the file. Does not write if the content is equal.
Result<void> write_file(const std::filesystem::path& file, const std::string& text);
/// Replaces the content of `file` atomically; only its owner can read the file. Does not write if the content is equal.
Result<void> write_file(const std::filesystem::path& file, const Secret& text);

}  // namespace finality::sandbox
