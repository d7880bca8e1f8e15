#include "sandbox/core/certificates.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "base/check.h"
#include "base/crypto/random.h"

namespace finality::sandbox {
namespace {

using Bio = std::unique_ptr<BIO, decltype(&BIO_free)>;
using Number = std::unique_ptr<BIGNUM, decltype(&BN_free)>;
using X509Certificate = std::unique_ptr<X509, decltype(&X509_free)>;

constexpr std::size_t kSerialBytes = 20;
constexpr int kDaysOfYear = 365;

void require(bool succeeded, std::string_view action) { FINALITY_CHECK(succeeded, action); }

void set_serial(X509* certificate) {
  std::string bytes = random_bytes(kSerialBytes);
  bytes[0] = static_cast<char>((static_cast<unsigned char>(bytes[0]) & 0x3F) | 0x40);  // positive, no leading zeros
  const Number number(
      BN_bin2bn(reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<int>(bytes.size()), nullptr),
      BN_free);
  require(BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate)) != nullptr,
          "OpenSSL cannot set a serial");
}

void add_part(X509_NAME* name, const char* kind, const std::string& text) {
  if (text.empty()) return;
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  require(X509_NAME_add_entry_by_txt(name, kind, MBSTRING_UTF8, bytes, static_cast<int>(text.size()), -1, 0) == 1,
          "OpenSSL rejects a part of a name");
}

void set_subject(X509* certificate, const CertificateName& name) {
  X509_NAME* subject = X509_get_subject_name(certificate);
  add_part(subject, "C", name.country);
  add_part(subject, "O", name.organization);
  add_part(subject, "OU", name.unit);
  add_part(subject, "CN", name.common_name);
}

void set_validity(X509* certificate, Time from, int years) {
  const time_t seconds = from.ms / 1000;
  require(ASN1_TIME_set(X509_getm_notBefore(certificate), seconds) != nullptr &&
              ASN1_TIME_adj(X509_getm_notAfter(certificate), seconds, years * kDaysOfYear, 0) != nullptr,
          "OpenSSL cannot set a validity");
}

void add_extension(X509* certificate, int kind, const char* value) {
  const std::unique_ptr<X509_EXTENSION, decltype(&X509_EXTENSION_free)> extension(
      X509V3_EXT_conf_nid(nullptr, nullptr, kind, value), X509_EXTENSION_free);
  require(extension && X509_add_ext(certificate, extension.get(), -1) == 1, "OpenSSL rejects an extension");
}

X509Certificate parse_certificate(const std::string& pem) {
  const Bio bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), BIO_free);
  X509Certificate certificate(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr), X509_free);
  require(certificate != nullptr, "an issuer's certificate cannot be read");
  return certificate;
}

std::string to_pem(X509* certificate) {
  const Bio bio(BIO_new(BIO_s_mem()), BIO_free);
  require(PEM_write_bio_X509(bio.get(), certificate) == 1, "OpenSSL cannot write a certificate");
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &data);
  return {data, static_cast<std::size_t>(size)};
}

// Generates a key and its certificate. The certificate is self-signed if `issuer` is null.
Identity make(const CertificateName& name, const Identity* issuer, Time from, int years) {
  RsaPrivateKey key = RsaPrivateKey::generate();
  const X509Certificate certificate(X509_new(), X509_free);
  X509* made = certificate.get();
  require(made != nullptr && X509_set_version(made, X509_VERSION_3) == 1, "OpenSSL cannot make a certificate");
  set_serial(made);
  set_subject(made, name);
  set_validity(made, from, years);
  require(X509_set_pubkey(made, key.handle()) == 1, "OpenSSL cannot put a key into a certificate");

  X509Certificate issued_by(nullptr, X509_free);
  if (issuer != nullptr) issued_by = parse_certificate(issuer->certificate);
  require(X509_set_issuer_name(made, X509_get_subject_name(issued_by ? issued_by.get() : made)) == 1,
          "OpenSSL cannot set an issuer");
  add_extension(made, NID_basic_constraints, issuer != nullptr ? "critical,CA:FALSE" : "critical,CA:TRUE");
  add_extension(made, NID_key_usage,
                issuer != nullptr ? "critical,digitalSignature,keyEncipherment" : "critical,keyCertSign,cRLSign");
  const RsaPrivateKey& signer = issuer != nullptr ? issuer->key : key;
  require(X509_sign(made, signer.handle(), EVP_sha256()) > 0, "OpenSSL cannot sign a certificate");
  return {std::move(key), to_pem(made)};
}

Error file_error(std::string_view action, const std::filesystem::path& file) {
  return Error{fmt::format("cannot {} {}: {}", action, file.string(), std::strerror(errno))};
}

// Returns the content of the file; empty when the file does not exist.
Result<std::optional<std::string>> read_file(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::exists(file, error)) return std::nullopt;
  std::ifstream in(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in.is_open() || in.bad()) return std::unexpected(file_error("read", file));
  return text;
}

// Returns a unique temporary path in the directory of `file`.
std::filesystem::path beside_of(const std::filesystem::path& file) { return file.string() + "." + random_hex(8); }

Result<void> write_new(const std::filesystem::path& file, const std::string& text, std::filesystem::perms allowed) {
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  std::error_code error;
  std::filesystem::permissions(file, allowed, error);
  out << text;
  out.close();
  if (!out || error) return std::unexpected(file_error("write", file));
  return {};
}

// Replaces the file atomically: writes a temporary file in the same directory and renames it to `file`.
Result<void> replace_file(const std::filesystem::path& file, const std::string& text, std::filesystem::perms allowed) {
  const std::filesystem::path beside = beside_of(file);
  if (auto written = write_new(beside, text, allowed); !written) return written;
  std::error_code error;
  std::filesystem::rename(beside, file, error);
  if (error) return fail(fmt::format("cannot write {}: {}", file.string(), error.message()));
  return {};
}

constexpr std::filesystem::perms kOwnerOnly = std::filesystem::perms::owner_read | std::filesystem::perms::owner_write;

Result<void> write_unless_there(const std::filesystem::path& file, const std::string& text,
                                std::filesystem::perms allowed) {
  auto there = read_file(file);
  if (!there) return std::unexpected(there.error());
  if (*there && **there == text) return {};
  return replace_file(file, text, allowed);
}

// Exclusive lock on a directory (flock on its file `.lock`), so that only one thread of one process writes files there.
class DirectoryLock {
 public:
  explicit DirectoryLock(const std::filesystem::path& directory)
      : descriptor_(::open((directory / ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
    is_held_ = descriptor_ >= 0 && ::flock(descriptor_, LOCK_EX) == 0;
  }
  ~DirectoryLock() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  DirectoryLock(const DirectoryLock&) = delete;
  DirectoryLock& operator=(const DirectoryLock&) = delete;

  bool is_held() const { return is_held_; }

 private:
  int descriptor_;
  bool is_held_ = false;
};

}  // namespace

Identity make_root(const CertificateName& name, Time from, int years) { return make(name, nullptr, from, years); }

Identity make_identity(const CertificateName& name, const Identity& issuer, Time from, int years) {
  return make(name, &issuer, from, years);
}

Result<Secret> read_or_make(const std::filesystem::path& file, const std::function<Secret()>& make) {
  auto text = read_file(file);
  if (!text) return std::unexpected(text.error());
  if (*text) return Secret(std::move(**text));
  const Secret made = make();
  const std::filesystem::path beside = beside_of(file);
  if (auto written = write_new(beside, made.reveal(), kOwnerOnly); !written) return std::unexpected(written.error());
  // link() fails if the file exists, so only the first process creates the file. All other processes read it.
  const bool is_first = ::link(beside.c_str(), file.c_str()) == 0;
  const bool exists_already = !is_first && errno == EEXIST;
  const Error error = file_error("write", file);
  ::unlink(beside.c_str());
  if (exists_already) return read_or_make(file, make);
  if (!is_first) return std::unexpected(error);
  return made;
}

Result<RsaPrivateKey> read_or_make_key(const std::filesystem::path& file) {
  const auto pem = read_or_make(file, [] { return RsaPrivateKey::generate().to_pem(); });
  if (!pem) return std::unexpected(pem.error());
  auto key = RsaPrivateKey::parse(*pem);
  if (!key) return fail(file.string() + ": " + key.error().message);
  return key;
}

Result<Identity> read_or_make_identity(const std::filesystem::path& directory, const std::string& name,
                                       const std::function<Identity()>& make) {
  const std::filesystem::path key_file = directory / (name + "_private_key.pem");
  const std::filesystem::path certificate_file = directory / (name + "_certificate.pem");
  const DirectoryLock lock(directory);
  if (!lock.is_held()) return std::unexpected(file_error("lock", directory));
  auto key = read_file(key_file);
  if (!key) return std::unexpected(key.error());
  auto certificate = read_file(certificate_file);
  if (!certificate) return std::unexpected(certificate.error());
  if (*key && *certificate) {
    auto parsed = RsaPrivateKey::parse(Secret(**key));
    if (!parsed) return fail(key_file.string() + ": " + parsed.error().message);
    if (auto read = Certificate::parse(**certificate); !read)
      return fail(certificate_file.string() + ": " + read.error().message);
    return Identity{std::move(*parsed), std::move(**certificate)};
  }
  Identity made = make();
  if (auto written = replace_file(key_file, made.key.to_pem().reveal(), kOwnerOnly); !written)
    return std::unexpected(written.error());
  if (auto written = write_file(certificate_file, made.certificate); !written) return std::unexpected(written.error());
  return made;
}

Result<void> write_file(const std::filesystem::path& file, const std::string& text) {
  return write_unless_there(file, text,
                            kOwnerOnly | std::filesystem::perms::group_read | std::filesystem::perms::others_read);
}

Result<void> write_file(const std::filesystem::path& file, const Secret& text) {
  return write_unless_there(file, text.reveal(), kOwnerOnly);
}

}  // namespace finality::sandbox
