// Adapter for WeChat Pay (微信支付), API v3: JSON over HTTPS. The adapter signs requests with the merchant's key.
// WeChat signs responses and notifications with the key that the header Wechatpay-Serial names, and encrypts
// notifications and certificates with the APIv3 key.
//
//   call           request                                            content of a success
//   send           POST /v3/pay/transactions/METHOD                   code_url, prepay_id or h5_url for the payer
//   query          GET  /v3/pay/transactions/out-trade-no/NO?mchid=   the trade
//   close          POST /v3/pay/transactions/out-trade-no/NO/close    none (204)
//   refund         POST /v3/refund/domestic/refunds                   the refund and its state
//   refund query   GET  /v3/refund/domestic/refunds/NO                the refund and its state
//   statement      GET  /v3/bill/tradebill, /v3/bill/fundflowbill     a link to a file
//   maintenance    GET  /v3/certificates                              WeChat's certificates
//
// The evidence is `unknown` after a 5xx and after a 2xx with an invalid signature. WeChat does not sign refusals (4xx);
// wechatpay/codes.cpp lists the evidence that each refusal gives.
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

/// A public key of WeChat and its id on the merchant platform (PUB_KEY_ID_…). A public key never expires.
struct WechatpayPublicKey {
  std::string id;
  RsaPublicKey key;
};

struct WechatpayKeys {
  std::string merchant_serial;  // serial number of the merchant's certificate, hexadecimal
  RsaPrivateKey private_key;    // key of the merchant's certificate
  Secret api_v3_key;            // 32 bytes
  /// Trusted public keys of WeChat. Requests ask WeChat to sign the response with the last key.
  std::vector<WechatpayPublicKey> public_keys;
  /// Certificates of WeChat, trusted until they expire. The adapter can fetch further certificates
  /// (WechatpayOptions::fetches_certificates).
  std::vector<Certificate> platform_certificates;
};

/// Texts of keys and certificates from files or the environment.
struct WechatpayKeyTexts {
  std::string merchant_serial;
  Secret private_key;                              // in PEM
  Secret api_v3_key;                               // 32 bytes
  std::map<std::string, std::string> public_keys;  // PEM, by id; WeChat signs with the key with the greatest id
  std::string platform_certificates;               // concatenated certificates in PEM; may be empty
};

/// Parses the texts. The error begins with the member name of the invalid text and a colon, and never contains the
/// text. The name for a public key is public_keys.ID.
Result<WechatpayKeys> read_wechatpay_keys(const WechatpayKeyTexts& texts);
/// Parses the texts of the channel settings like read_wechatpay_keys(). The keys of the settings are the member names
/// of WechatpayKeyTexts, except merchant_serial: the setting `certificate` contains the merchant's certificate, which
/// must match the private key.
Result<WechatpayKeys> wechatpay_keys_of(const ChannelTexts& texts);

struct WechatpayOptions {
  std::string name = "wechatpay";
  std::string appid;
  std::string mchid;
  std::string url;         // URL of the gateway: https://api.mch.weixin.qq.com
  std::string public_url;  // URL at which WeChat reaches this server
  WechatpayKeys keys;
  /// Whether the adapter fetches WeChat's certificates (Maintenance). Must be false for a merchant that uses only
  /// public keys, because WeChat has no certificates for this merchant.
  bool fetches_certificates = false;
  /// Whether the gateway is a `finality sandbox`. Requests may then contain a scenario in the field `attach`, and URLs
  /// may use plain HTTP.
  bool is_sandbox = false;
};

/// A channel of WeChat Pay. Thread safe.
class WechatpayChannel : public Channel, public Refunds, public Statements, public Maintenance, public ReplaceableKeys {
 public:
  using Channel::evidence_of;
  using Channel::request_of;
  using Refunds::evidence_of;
  using Refunds::request_of;
  using Statements::request_of;

  /// Replaces the keys. A call in progress completes with the keys with which it started. Returns an error and keeps
  /// the old keys if a key is invalid, or if no key can verify WeChat's signatures.
  virtual Result<void> use_keys(WechatpayKeys keys) = 0;
};

/// Makes a channel. The error names the invalid option. URLs must not have a query; trailing slashes are ignored.
Result<std::unique_ptr<WechatpayChannel>> make_wechatpay_channel(WechatpayOptions options);

/// The statements that the channel provides.
const StatementPlan& wechatpay_statement_plan();

}  // namespace finality
