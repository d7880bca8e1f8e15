// The merchants that the WeChat Pay gateway serves, and the keys of both sides.
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

/// The channel's name in the books.
inline constexpr std::string_view kWechatpayChannel = "wechatpay";

/// A merchant, by its names.
struct WechatpayMerchant {
  std::string_view channel;  // in the books
  std::string_view suffix;   // of its files' names and its directory's: `merchant` and this
  std::string_view mchid;
  std::string_view appid;
};

/// All that the gateway serves. Each has separate keys, trades, refunds and bills.
inline constexpr std::array<WechatpayMerchant, 2> kWechatpayMerchants{
    {{kWechatpayChannel, "", "1900000001", "wx0f1a0c0de0000001"},
     {"wechatpay#2", "2", "1900000102", "wx0f1a0c0de0000102"}}};

/// A key the channel signs with, and what Wechatpay-Serial says then.
struct WechatpaySigner {
  std::string serial;
  RsaPrivateKey key;
};

/// A merchant and the keys of both sides.
struct WechatpayAccount {
  WechatpayMerchant merchant;
  std::string merchant_serial;       // of the merchant's certificate: hex, upper case
  RsaPublicKey merchant_key;         // what its requests are verified with
  WechatpaySigner platform;          // by the platform certificate
  std::string platform_certificate;  // PEM
  WechatpaySigner public_key;        // by the newer public key: serial is `PUB_KEY_ID_…`
  Secret api_v3_key;                 // 32 characters: what is told is encrypted with it

  /// The signer that a request's Wechatpay-Serial asks for: by default the platform certificate. Null when there is no
  /// such one.
  const WechatpaySigner* signer_for(std::string_view wanted_serial) const;
};

/// Reads the merchant's keys and certificates from `directory`, made when they are not there, and writes what it is to
/// have to `merchant` in it, with the merchant's suffix: private_key.pem, certificate.pem, wechatpay_public_key.pem,
/// platform_certificate.pem, api_v3_key, account.json (mchid, appid and the serials). An error names the file.
Result<WechatpayAccount> open_wechatpay_account(const std::filesystem::path& directory,
                                                const WechatpayMerchant& merchant = kWechatpayMerchants[0]);

}  // namespace finality::sandbox
