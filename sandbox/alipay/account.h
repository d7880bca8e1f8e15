// Merchants' applications at the Alipay gateway: fixed identifiers, and keys that are generated once and kept in files.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/crypto/rsa.h"
#include "base/result.h"

namespace finality::sandbox::alipay {

inline constexpr std::string_view kChannel = "alipay";
/// Identifiers of a merchant's application.
struct Application {
  std::string_view channel;  // Trade::channel of the application's trades
  std::string_view suffix;   // suffix of the names of the key files and of the directory `merchant<suffix>`
  std::string_view app_id;
  std::string_view seller_id;
  std::string_view seller_email;
};

/// All applications of the gateway. Each has separate keys, trades, refunds and bills.
inline constexpr std::array<Application, 2> kApplications{
    {{kChannel, "", "2021000000000001", "2088000000000001", "shop@sandbox.example"},
     {"alipay#2", "2", "2021000000000102", "2088000000000102", "shop2@sandbox.example"}}};

/// An application and its keys.
struct Account {
  Application app;
  RsaPrivateKey alipay;   // signs Alipay's responses and notifications to this merchant
  RsaPublicKey merchant;  // verifies the application's requests
  // Values of alipay_cert_sn, app_cert_sn and alipay_root_cert_sn in certificate mode.
  std::string alipay_sn;
  std::string app_sn;
  std::string root_sn;
};

/// Reads the application's keys from `directory`/alipay and generates missing keys. Several threads and processes may
/// call this function concurrently. An error names the file. The merchant's files are in `merchant<suffix>`:
///   app_private_key.pem (readable by its owner only), alipay_public_key.pem
///   app_certificate.pem, alipay_certificate.pem, alipay_root_certificate.pem   for certificate mode
///   account.json   app_id and seller_id
Result<Account> read_or_make_keys(const std::filesystem::path& directory, const Application& app = kApplications[0]);

}  // namespace finality::sandbox::alipay
