// The merchants of the WeChat Pay gateway, and the keys of both sides.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/crypto/rsa.h"
#include "base/result.h"
#include "base/secret.h"

namespace finality::sandbox {

/// The channel's name in the database.
inline constexpr std::string_view kWechatpayChannel = "wechatpay";

/// Identifiers of a merchant.
struct WechatpayMerchant {
  std::string_view channel;  // the channel's name in the database
  std::string_view suffix;   // ends the names of its key files and of its directory, `merchant` + suffix
  std::string_view mchid;
  std::string_view appid;
};

/// All merchants of the gateway. Each has separate keys, trades, refunds and bills.
inline constexpr std::array<WechatpayMerchant, 2> kWechatpayMerchants{
    {{kWechatpayChannel, "", "1900000001", "wx0f1a0c0de0000001"},
     {"wechatpay#2", "2", "1900000102", "wx0f1a0c0de0000102"}}};

/// A signing key of the channel, and its Wechatpay-Serial.
struct WechatpaySigner {
  std::string serial;
  RsaPrivateKey key;
};

/// A merchant and the keys of both sides.
struct WechatpayAccount {
  WechatpayMerchant merchant;
  std::string merchant_serial;       // serial number of the merchant's certificate: hex, upper case
  RsaPublicKey merchant_key;         // verifies the merchant's requests
  WechatpaySigner platform;          // signs in the mode of platform certificates
  std::string platform_certificate;  // PEM
  WechatpaySigner public_key;        // signs in the newer mode of the public key: serial is `PUB_KEY_ID_…`
  Secret api_v3_key;                 // 32 characters; encrypts notifications

  /// The signer that a request's Wechatpay-Serial names; the platform certificate if that header is empty. Null when
  /// the serial is unknown.
  const WechatpaySigner* signer_for(std::string_view wanted_serial) const;
};

/// Reads the merchant's keys and certificates from `directory` and generates missing ones. Writes the merchant's files
/// to the subdirectory `merchant` + suffix: private_key.pem, certificate.pem, wechatpay_public_key.pem,
/// platform_certificate.pem, api_v3_key, account.json (mchid, appid and the serials). The error names the file.
Result<WechatpayAccount> open_wechatpay_account(const std::filesystem::path& directory,
                                                const WechatpayMerchant& merchant = kWechatpayMerchants[0]);

}  // namespace finality::sandbox
