// Test double of WeChat Pay, with keys, signatures, encryption and certificates. Implements the protocol independently
// of the adapter, so that an error of the adapter does not also occur here.
#pragma once

#include <fmt/format.h>
#include <openssl/asn1.h>
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "base/crypto/aes_gcm.h"
#include "base/crypto/crypto.h"
#include "base/crypto/encoding.h"
#include "channel/wechatpay/channel.h"

namespace finality::wechatpay_test {

namespace json = boost::json;

inline const Secret kApiV3Key("0123456789abcdef0123456789abcdef");
inline constexpr const char* kPublicKeyId = "PUB_KEY_ID_0116000000012026010100000001";
inline constexpr const char* kMerchantSerial = "408B07E79B8269FEC3D5D3E6AB8ED163A6A380DB";
inline constexpr const char* kAppid = "wx0f1a0c0de0000001";
inline constexpr const char* kMchid = "1900000001";

// RSA keys for tests. Each key is generated once per process, because generation takes tens of milliseconds.
inline const RsaPrivateKey& merchant_key() {
  static const RsaPrivateKey key = RsaPrivateKey::generate();
  return key;
}
inline const RsaPrivateKey& platform_key() {
  static const RsaPrivateKey key = RsaPrivateKey::generate();
  return key;
}
inline const RsaPrivateKey& other_key() {
  static const RsaPrivateKey key = RsaPrivateKey::generate();
  return key;
}

inline WechatpayKeys keys() {
  return {kMerchantSerial, merchant_key(), kApiV3Key, {{kPublicKeyId, platform_key().public_key()}}, {}};
}

inline WechatpayOptions options() {
  return {.appid = kAppid,
          .mchid = kMchid,
          .url = "https://api.mch.weixin.qq.com/",
          .public_url = "https://pay.example/",
          .keys = keys(),
          .is_sandbox = true};
}

struct SignedBy {
  std::string serial = kPublicKeyId;
  const RsaPrivateKey* key = &platform_key();
  std::string nonce{};  // nonce of the signature; empty: a digest of the body
};

inline void sign(net::Headers& headers, std::string_view body, Time at, const SignedBy& by = {}) {
  const std::string timestamp = std::to_string(at.ms / 1000);
  const std::string nonce = by.nonce.empty() ? to_hex(sha256(body)).substr(0, 32) : by.nonce;
  const std::string text = timestamp + "\n" + nonce + "\n" + std::string(body) + "\n";
  headers.add("Wechatpay-Timestamp", timestamp);
  headers.add("Wechatpay-Nonce", nonce);
  headers.add("Wechatpay-Serial", by.serial);
  headers.add("Wechatpay-Signature-Type", "WECHATPAY2-SHA256-RSA2048");
  headers.add("Wechatpay-Signature", to_base64(by.key->sign(text)));
}

inline net::HttpResponse signed_answer(int status, std::string body, Time at, const SignedBy& by = {}) {
  net::HttpResponse response{.status = status, .body = std::move(body)};
  sign(response.headers, response.body, at, by);
  return response;
}
inline net::HttpResponse signed_answer(int status, const json::object& body, Time at, const SignedBy& by = {}) {
  return signed_answer(status, json::serialize(body), at, by);
}

inline net::HttpResponse refusal(int status, std::string_view code, std::string_view message = "why") {
  return {.status = status, .body = json::serialize(json::object{{"code", code}, {"message", message}})};
}

inline json::object encrypted(std::string_view plain, std::string_view associated, const Secret& key = kApiV3Key) {
  const std::string nonce = to_hex(sha256(plain)).substr(0, 12);
  return {{"algorithm", "AEAD_AES_256_GCM"},
          {"ciphertext", to_base64(aes_256_gcm_encrypt(key.reveal(), nonce, associated, plain))},
          {"associated_data", associated},
          {"nonce", nonce}};
}

inline json::object envelope(std::string_view event, const json::object& resource,
                             std::string_view create_time = "2026-09-21T22:13:20+08:00") {
  return {{"id", "EV-1"},          {"create_time", create_time},
          {"event_type", event},   {"resource_type", "encrypt-resource"},
          {"summary", "支付成功"}, {"resource", resource}};
}

inline net::HttpRequest notification(std::string body, Time at, const SignedBy& by = {}) {
  net::HttpRequest request{.method = "POST", .target = "/notify/wechatpay", .body = std::move(body)};
  sign(request.headers, request.body, at, by);
  return request;
}

/// Returns the headers without the fields with this name.
inline net::Headers without(const net::Headers& headers, std::string_view name) {
  net::Headers rest;
  for (const auto& [field, value] : headers.fields())
    if (!net::equals_ignoring_case(field, name)) rest.add(field, value);
  return rest;
}

/// Returns the headers with `value` as the only value of the field `name`.
inline net::Headers with(const net::Headers& headers, std::string_view name, std::string value) {
  net::Headers changed = without(headers, name);
  changed.add(std::string(name), std::move(value));
  return changed;
}

/// Returns a self-signed certificate of `key`, in PEM.
inline std::string certificate_pem(const RsaPrivateKey& key, std::string_view serial, Time not_before, Time not_after) {
  const std::unique_ptr<X509, decltype(&X509_free)> made(X509_new(), X509_free);
  BIGNUM* number = nullptr;
  BN_hex2bn(&number, std::string(serial).c_str());
  const std::unique_ptr<BIGNUM, decltype(&BN_free)> owned(number, BN_free);
  BN_to_ASN1_INTEGER(number, X509_get_serialNumber(made.get()));
  ASN1_TIME_set(X509_getm_notBefore(made.get()), not_before.ms / 1000);
  ASN1_TIME_set(X509_getm_notAfter(made.get()), not_after.ms / 1000);
  X509_set_pubkey(made.get(), key.handle());
  X509_sign(made.get(), key.handle(), EVP_sha256());
  const std::unique_ptr<BIO, decltype(&BIO_free)> out(BIO_new(BIO_s_mem()), BIO_free);
  PEM_write_bio_X509(out.get(), made.get());
  char* data = nullptr;
  const long size = BIO_get_mem_data(out.get(), &data);
  return {data, static_cast<std::size_t>(size)};
}

/// Returns the body of the response to GET /v3/certificates, with the certificates `pems` encrypted with `key`.
inline json::object certificate_list(const std::vector<std::string>& pems, const Secret& key = kApiV3Key) {
  json::array data;
  for (const std::string& pem : pems) {
    const auto certificate = Certificate::parse(pem);
    data.push_back({{"serial_no", certificate ? certificate->serial_hex() : "0"},
                    {"effective_time", "2026-01-01T00:00:00+08:00"},
                    {"expire_time", "2031-01-01T00:00:00+08:00"},
                    {"encrypt_certificate", encrypted(pem, "certificate", key)}});
  }
  return {{"data", data}};
}

}  // namespace finality::wechatpay_test
