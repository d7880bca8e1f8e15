// Adapter for WeChat Pay (微信支付), API v3: JSON over HTTPS. Requests are signed with the merchant's key. Responses
// and notifications are signed with the key of WeChat's that the header Wechatpay-Serial names. Notifications and
// certificates are encrypted with the APIv3 key.
//
//   send     POST /v3/pay/transactions/METHOD                   the payer's action: a code, a prepay_id, a URL
//   query    GET  /v3/pay/transactions/out-trade-no/NO?mchid=   the trade
//   close    POST /v3/pay/transactions/out-trade-no/NO/close    204
//   refund   POST /v3/refund/domestic/refunds; GET …/NO         the refund and its state
//   bills    GET  /v3/bill/tradebill, /v3/bill/fundflowbill     a link to a file
//   certificates GET /v3/certificates                                WeChat's certificates
//
// A 2xx whose signature does not verify is `unknown`, and so is every 5xx. Refusals (4xx) are never signed;
// wechatpay/codes.cpp defines what they may prove.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/crypto/certificate.h"
#include "base/crypto/rsa.h"
#include "base/secret.h"
#include "channel/channel.h"
#include "channel/maintenance.h"
#include "channel/refunds.h"
#include "channel/replaceable_keys.h"
#include "channel/statements.h"

namespace finality {

/// A public key of WeChat's, which never expires, with its id from the merchant platform (PUB_KEY_ID_…).
struct WechatpayPublicKey {
  std::string id;
  RsaPublicKey key;
};

struct WechatpayKeys {
  std::string merchant_serial;  // serial number of the merchant's certificate, hexadecimal
  RsaPrivateKey private_key;    // key of that certificate
  Secret api_v3_key;            // 32 bytes
  /// All these keys are trusted. Requests ask WeChat to sign with the last one.
  std::vector<WechatpayPublicKey> public_keys;
  /// Trusted until they expire. More may be fetched (WechatpayOptions::fetches_certificates).
  std::vector<Certificate> platform_certificates;
};

/// Key texts from files or the environment.
struct WechatpayKeyTexts {
  std::string merchant_serial;
  Secret private_key;                              // PEM
  Secret api_v3_key;                               // 32 characters
  std::map<std::string, std::string> public_keys;  // PEM, by id; WeChat signs with the last one
  std::string platform_certificates;               // PEM, concatenated; may be empty
};

/// Parses the texts. The error begins with the member name of the invalid text (public_keys.ID for a public key) and a
/// colon; it never contains the text.
Result<WechatpayKeys> read_wechatpay_keys(const WechatpayKeyTexts& texts);
/// Parses the keys from the texts of settings, whose keys are the member names of WechatpayKeyTexts. The serial number
/// is read from the text `certificate`, which must match the private key.
Result<WechatpayKeys> wechatpay_keys_of(const ChannelTexts& texts);

struct WechatpayOptions {
  std::string name = "wechatpay";
  std::string appid;
  std::string mchid;
  std::string url;         // https://api.mch.weixin.qq.com
  std::string public_url;  // URL at which WeChat reaches this server
  WechatpayKeys keys;
  /// Maintenance fetches WeChat's certificates. Must be false for merchants with public keys only: WeChat has no
  /// certificates for them.
  bool fetches_certificates = false;
  /// The gateway is `finality sandbox`: `attach` carries a payment's scenario, and plain HTTP is allowed.
  bool is_sandbox = false;
};

/// Thread safe.
class WechatpayChannel : public Channel, public Refunds, public Statements, public Maintenance, public ReplaceableKeys {
 public:
  using Channel::evidence_of;
  using Channel::request_of;
  using Refunds::evidence_of;
  using Refunds::request_of;
  using Statements::request_of;

  /// Replaces the keys. Calls in progress complete with the keys they started with. No effect on error (an APIv3 key of
  /// the wrong length, or no key to verify WeChat's signatures).
  virtual Result<void> use_keys(WechatpayKeys keys) = 0;
};

/// The error names the invalid option. URLs must not have a query; a trailing slash is ignored.
Result<std::unique_ptr<WechatpayChannel>> make_wechatpay_channel(WechatpayOptions options);

}  // namespace finality
