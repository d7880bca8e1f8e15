// The merchants' applications of the Alipay gateway: fixed identifiers, and keys that are generated once and stored.
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
  std::string_view channel;  // the channel's name in the database
  std::string_view suffix;   // ends the names of its key files and of its directory, `merchant` + suffix
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
  RsaPrivateKey alipay;   // signs Alipay's messages to this merchant
  RsaPublicKey merchant;  // verifies the application's requests
  // Serial numbers of the certificates in certificate mode.
  std::string alipay_sn;
  std::string app_sn;
  std::string root_sn;
};

/// Reads the application's keys below `directory`/alipay and generates missing ones. The subdirectory `merchant` +
/// suffix contains the merchant's files: app_private_key.pem (readable by the owner only), alipay_public_key.pem; for
/// certificate mode app_certificate.pem, alipay_certificate.pem, alipay_root_certificate.pem; account.json with app_id
/// and seller_id. Several threads and processes may call this concurrently. The error names the file.
Result<Account> read_or_make_keys(const std::filesystem::path& directory, const Application& app = kApplications[0]);

}  // namespace finality::sandbox::alipay
