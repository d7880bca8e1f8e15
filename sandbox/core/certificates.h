// RSA keys and X.509 certificates that the sandbox makes for its gateways and their merchants, and keeps in files.
// By OpenSSL.
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

/// A distinguished name, in the order in which it is encoded. Parts that are empty are left out.
struct CertificateName {
  std::string country;
  std::string organization;
  std::string unit;
  std::string common_name;
};

/// A key and the certificate about it.
struct Identity {
  RsaPrivateKey key;
  std::string certificate;  // PEM
};

/// A certificate authority: signed by itself. Valid from `from` for `years`.
Identity make_root(const CertificateName& name, Time from, int years);
/// A new key, and a certificate about it that `issuer` signs. Its serial is random: 40 hex digits, the first not 0.
Identity make_identity(const CertificateName& name, const Identity& issuer, Time from, int years);

// The files. Several processes may ask for the same one at once: all get what the first one made. The directory must be
// there. An error names the file.

/// What `file` holds; when there is no such file, what `make` returns, written to it first, for its owner only.
Result<Secret> read_or_make(const std::filesystem::path& file, const std::function<Secret()>& make);
/// The same for a private key, as PEM.
Result<RsaPrivateKey> read_or_make_key(const std::filesystem::path& file);
/// The same for a key and its certificate, in `directory`/`name`_private_key.pem and `name`_certificate.pem. Both are
/// made anew unless both are there. `make` must not ask for another identity of the directory: it would wait for ever.
Result<Identity> read_or_make_identity(const std::filesystem::path& directory, const std::string& name,
                                       const std::function<Identity()>& make);
/// Writes what others are to read from a file; a file that holds it already stays untouched.
Result<void> write_file(const std::filesystem::path& file, const std::string& text);
/// The same for its owner only.
Result<void> write_file(const std::filesystem::path& file, const Secret& text);

}  // namespace finality::sandbox
