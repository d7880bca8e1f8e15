// The one merchant that the WeChat Pay gateway knows, and the keys of both sides.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/rsa.h"
#include "base/secret.h"

namespace finality::sandbox {

inline constexpr std::string_view kWechatpayMchid = "1900000001";
inline constexpr std::string_view kWechatpayAppid = "wx0f1a0c0de0000001";

/// A key the channel signs with, and what Wechatpay-Serial says then.
struct WechatpaySigner {
  std::string serial;
  RsaPrivateKey key;
};

struct WechatpayAccount {
  std::string mchid{kWechatpayMchid};
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

/// Reads the keys and certificates from `directory`, made when they are not there, and writes what the merchant is to
/// have to `directory`/merchant: private_key.pem, certificate.pem, wechatpay_public_key.pem, platform_certificate.pem,
/// api_v3_key, account.json (mchid, appid and the serials). An error names the file.
Result<WechatpayAccount> open_wechatpay_account(const std::filesystem::path& directory);

}  // namespace finality::sandbox
