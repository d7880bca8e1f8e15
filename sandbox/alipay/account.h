// The merchants' applications that Alipay's gateway serves: fixed names, and keys that are made once and kept.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/crypto/rsa.h"
#include "base/result.h"

namespace finality::sandbox::alipay {

inline constexpr std::string_view kChannel = "alipay";
/// An application of a merchant, by its names.
struct Application {
  std::string_view channel;  // in the books
  std::string_view suffix;   // of its files' names and its directory's: `merchant` and this
  std::string_view app_id;
  std::string_view seller_id;
  std::string_view seller_email;
};

/// All that the gateway serves. Each has separate keys, trades, refunds and bills.
inline constexpr std::array<Application, 2> kApplications{
    {{kChannel, "", "2021000000000001", "2088000000000001", "shop@sandbox.example"},
     {"alipay#2", "2", "2021000000000102", "2088000000000102", "shop2@sandbox.example"}}};

/// An application and its keys.
struct Account {
  Application app;
  RsaPrivateKey alipay;   // signs what Alipay sends to this merchant
  RsaPublicKey merchant;  // of the merchant's app
  // Serial numbers of the certificates, as certificate mode names them.
  std::string alipay_sn;
  std::string app_sn;
  std::string root_sn;
};

/// Reads the application's keys below `directory`/alipay, and makes those that are missing. `merchant` in it, with the
/// application's suffix, holds what the merchant needs: app_private_key.pem (his, for his eyes only),
/// alipay_public_key.pem; for certificate mode app_certificate.pem, alipay_certificate.pem,
/// alipay_root_certificate.pem; account.json with the app id and the seller id. Safe while others do the same. An error
/// names the file.
Result<Account> read_or_make_keys(const std::filesystem::path& directory, const Application& app = kApplications[0]);

}  // namespace finality::sandbox::alipay
