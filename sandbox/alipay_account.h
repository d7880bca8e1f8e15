// Who Alipay's side and the merchant are: fixed names, and keys that are made once and kept.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/rsa.h"

namespace finality::sandbox::alipay {

inline constexpr std::string_view kChannel = "alipay";
inline constexpr std::string_view kAppId = "2021000000000001";
inline constexpr std::string_view kSellerId = "2088000000000001";
inline constexpr std::string_view kSellerEmail = "shop@sandbox.example";

struct Keys {
  RsaPrivateKey alipay;   // signs what Alipay says
  RsaPublicKey merchant;  // of the merchant's app
  // Serial numbers of the certificates, as certificate mode names them.
  std::string alipay_sn;
  std::string app_sn;
  std::string root_sn;
};

/// Reads the keys below `directory`/alipay, and makes what is not there. `merchant` in it holds what a merchant needs:
/// app_private_key.pem (his, for his eyes only), alipay_public_key.pem; for certificate mode app_certificate.pem,
/// alipay_certificate.pem, alipay_root_certificate.pem; account.json with the app id and the seller id. Safe while
/// others do the same. An error names the file.
Result<std::shared_ptr<const Keys>> read_or_make_keys(const std::filesystem::path& directory);

}  // namespace finality::sandbox::alipay
