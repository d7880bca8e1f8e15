#include "base/crypto/certificate.h"

#include <openssl/asn1.h>
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/err.h>
#include <openssl/objects.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <ctime>
#include <optional>

#include "base/check.h"

namespace finality {
namespace {

using Bio = std::unique_ptr<BIO, decltype(&BIO_free)>;
using Number = std::unique_ptr<BIGNUM, decltype(&BN_free)>;
using Text = std::unique_ptr<char, void (*)(char*)>;

Number serial_of(const X509* certificate) {
  return {ASN1_INTEGER_to_BN(X509_get0_serialNumber(certificate), nullptr), BN_free};
}

std::string taken(char* text) {
  const Text owned(text, [](char* memory) { OPENSSL_free(memory); });
  FINALITY_CHECK(owned != nullptr, "OpenSSL cannot write a number");
  return owned.get();
}

std::optional<Time> time_of(const ASN1_TIME* at) {
  std::tm parts{};
  if (ASN1_TIME_to_tm(at, &parts) != 1) return std::nullopt;
  return Time{static_cast<std::int64_t>(timegm(&parts)) * 1000};
}

int no_passphrase(char*, int, int, void*) { return -1; }

// True if the last error of OpenSSL reports the end of the PEM text.
bool is_at_end() { return ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE; }

}  // namespace

Result<Certificate> Certificate::parse(std::string_view pem) {
  auto all = parse_all(pem);
  if (!all) return std::unexpected(all.error());
  return std::move(all->front());
}

Result<std::vector<Certificate>> Certificate::parse_all(std::string_view pem) {
  const Bio in(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), BIO_free);
  std::vector<Certificate> all;
  bool is_sound = in != nullptr;
  while (X509* one = PEM_read_bio_X509(in.get(), nullptr, no_passphrase, nullptr)) {
    all.push_back(Certificate(std::shared_ptr<X509>(one, X509_free)));
    is_sound = is_sound && time_of(X509_get0_notBefore(one)) && time_of(X509_get0_notAfter(one));
  }
  is_sound = is_sound && is_at_end();
  ERR_clear_error();
  if (all.empty()) return fail("not a certificate: expected PEM text");
  if (!is_sound) return fail("a certificate in the PEM text is invalid");
  return all;
}

std::string Certificate::serial_hex() const {
  std::string text = taken(BN_bn2hex(serial_of(certificate_.get()).get()));
  return text.erase(0, text.find_first_not_of('0'));
}

std::string Certificate::serial_decimal() const { return taken(BN_bn2dec(serial_of(certificate_.get()).get())); }

std::string Certificate::issuer() const {
  const Bio out(BIO_new(BIO_s_mem()), BIO_free);
  // The order of RFC 2253 (last component first) without its escapes, as in Alipay's SDK.
  constexpr unsigned long kStyle = XN_FLAG_SEP_COMMA_PLUS | XN_FLAG_DN_REV | XN_FLAG_FN_SN | ASN1_STRFLGS_UTF8_CONVERT;
  FINALITY_CHECK(X509_NAME_print_ex(out.get(), X509_get_issuer_name(certificate_.get()), 0, kStyle) >= 0,
                 "OpenSSL cannot write an issuer's name");
  char* data = nullptr;
  const long size = BIO_get_mem_data(out.get(), &data);
  return {data, static_cast<std::size_t>(size)};
}

bool Certificate::is_signed_with_rsa() const {
  char oid[80];
  const int size = OBJ_obj2txt(oid, sizeof oid, OBJ_nid2obj(X509_get_signature_nid(certificate_.get())), 1);
  return size > 0 && std::string_view(oid).starts_with("1.2.840.113549.1.1");
}

bool Certificate::names_as_issuer(const Certificate& issuer) const {
  return X509_NAME_cmp(X509_get_issuer_name(certificate_.get()), X509_get_subject_name(issuer.certificate_.get())) == 0;
}

bool Certificate::is_signed_by(const Certificate& issuer) const {
  if (!names_as_issuer(issuer)) return false;
  EVP_PKEY* key = X509_get0_pubkey(issuer.certificate_.get());
  const bool is_signed = key != nullptr && X509_verify(certificate_.get(), key) == 1;
  ERR_clear_error();
  return is_signed;
}

Time Certificate::not_before() const { return *time_of(X509_get0_notBefore(certificate_.get())); }
Time Certificate::not_after() const { return *time_of(X509_get0_notAfter(certificate_.get())); }

Result<RsaPublicKey> Certificate::public_key() const {
  const Bio out(BIO_new(BIO_s_mem()), BIO_free);
  FINALITY_CHECK(PEM_write_bio_X509(out.get(), certificate_.get()) == 1, "OpenSSL cannot write a certificate");
  char* data = nullptr;
  const long size = BIO_get_mem_data(out.get(), &data);
  return RsaPublicKey::parse({data, static_cast<std::size_t>(size)});
}

}  // namespace finality
