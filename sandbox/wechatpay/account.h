// Merchants of the WeChat Pay gateway: fixed identifiers, and the keys of the merchant and of the channel.
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

/// Trade::channel of the first merchant.
inline constexpr std::string_view kWechatpayChannel = "wechatpay";

/// Identifiers of a merchant.
struct WechatpayMerchant {
  std::string_view channel;  // Trade::channel of the merchant's trades
  std::string_view suffix;   // suffix of the names of the key files and of the directory `merchant<suffix>`
  std::string_view mchid;
  std::string_view appid;
};

/// All merchants of the gateway. Each has separate keys, trades, refunds and bills.
inline constexpr std::array<WechatpayMerchant, 2> kWechatpayMerchants{
    {{kWechatpayChannel, "", "1900000001", "wx0f1a0c0de0000001"},
     {"wechatpay#2", "2", "1900000102", "wx0f1a0c0de0000102"}}};

/// Signing key of the channel, and the value of Wechatpay-Serial that identifies the key.
struct WechatpaySigner {
  std::string serial;
  RsaPrivateKey key;
};

/// A merchant, the merchant's keys, and the channel's keys for this merchant.
struct WechatpayAccount {
  WechatpayMerchant merchant;
  std::string merchant_serial;       // serial number of the merchant's certificate: hex, upper case
  RsaPublicKey merchant_key;         // verifies the merchant's requests
  WechatpaySigner platform;          // signs for merchants that verify with platform certificates
  std::string platform_certificate;  // PEM
  WechatpaySigner public_key;        // signs for merchants that verify with WeChat Pay's public key (`PUB_KEY_ID_…`)
  Secret api_v3_key;                 // 32 characters; encrypts callbacks and platform certificates

  /// Returns the signer with this serial, from a request's Wechatpay-Serial. An empty serial selects `platform`. Null
  /// when the serial is unknown.
  const WechatpaySigner* signer_for(std::string_view wanted_serial) const;
};

/// Reads the merchant's keys and certificates from `directory` and generates missing ones. An error names the file.
/// Writes the merchant's files to the subdirectory `merchant<suffix>`:
///   private_key.pem, certificate.pem, api_v3_key       the merchant's keys
///   wechatpay_public_key.pem, platform_certificate.pem   to verify the channel's signatures
///   account.json                                       mchid, appid and the serials of the keys
Result<WechatpayAccount> open_wechatpay_account(const std::filesystem::path& directory,
                                                const WechatpayMerchant& merchant = kWechatpayMerchants[0]);

}  // namespace finality::sandbox
