// WeChat Pay, API v3: JSON over HTTPS. Our requests are signed with the merchant's key; answers and notifications with
// one of WeChat's, which Wechatpay-Serial names; notifications and certificates are encrypted with the APIv3 key.
//
//   send     POST /v3/pay/transactions/METHOD                   what the payer needs: a code, a prepay_id, a URL
//   query    GET  /v3/pay/transactions/out-trade-no/NO?mchid=   the trade
//   close    POST /v3/pay/transactions/out-trade-no/NO/close    204
//   refund   POST /v3/refund/domestic/refunds; GET …/NO         the refund: accepted, or how far it is
//   bills    GET  /v3/bill/tradebill, /v3/bill/fundflowbill     a link to a file
//   certificates GET /v3/certificates                                WeChat's certificates
//
// A 2xx whose signature does not verify is `unknown`. Refusals (4xx) are never signed: wechatpay/codes.cpp says what
// they may prove. No 5xx proves anything.
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

/// A key of WeChat's that never expires, by the id of the merchant centre (PUB_KEY_ID_…).
struct WechatpayPublicKey {
  std::string id;
  RsaPublicKey key;
};

struct WechatpayKeys {
  std::string merchant_serial;  // of the merchant's certificate, in hexadecimal
  RsaPrivateKey private_key;    // of the same certificate
  Secret api_v3_key;            // 32 bytes
  /// All are believed; WeChat is asked to sign with the last.
  std::vector<WechatpayPublicKey> public_keys;
  /// Believed until they expire. Others may be fetched (WechatpayOptions::fetches_certificates).
  std::vector<Certificate> platform_certificates;
};

/// The texts that keys are read from, as files or the environment hold them.
struct WechatpayKeyTexts {
  std::string merchant_serial;
  Secret private_key;                              // PEM
  Secret api_v3_key;                               // 32 characters
  std::map<std::string, std::string> public_keys;  // PEM, by id; WeChat is asked to sign with the last
  std::string platform_certificates;               // PEM, one after another; may be empty
};

/// An error begins with the name of the text that is wrong, as above (of a public key with its id: public_keys.ID), and
/// a colon; it never says what is in it.
Result<WechatpayKeys> read_wechatpay_keys(const WechatpayKeyTexts& texts);
/// The same of the texts of settings, which have the same names; the serial is that of the text `certificate`, which
/// must be of the private key.
Result<WechatpayKeys> wechatpay_keys_of(const ChannelTexts& texts);

struct WechatpayOptions {
  std::string name = "wechatpay";
  std::string appid;
  std::string mchid;
  std::string url;         // https://api.mch.weixin.qq.com
  std::string public_url;  // where WeChat reaches us
  WechatpayKeys keys;
  /// Maintenance asks for WeChat's certificates. Not for merchants who have public keys only: they have none.
  bool fetches_certificates = false;
  /// Its gateway is the sandbox: a payment's scenario goes along in `attach`, and plain HTTP will do.
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

  /// From now on these keys sign, verify and decrypt; calls under way end with those they began with. An error (a key
  /// of the wrong length, nothing to verify with) changes nothing.
  virtual Result<void> use_keys(WechatpayKeys keys) = 0;
};

/// An error says which option is wrong. URLs are without a query; a slash at their end is ignored.
Result<std::unique_ptr<WechatpayChannel>> make_wechatpay_channel(WechatpayOptions options);

}  // namespace finality
