// Adapter for Alipay (支付宝), gateway v2: requests and responses are signed with RSA2, in public-key mode or
// certificate mode.
//
//   method    send                     the payer's action          the trade is created
//   page      (nothing is sent)        redirect: the signed page   when the payer opens it
//   wap       (nothing is sent)        redirect: the signed page   when the payer opens it
//   app       (nothing is sent)        form: the order string      when the payer's app opens it
//   qr        alipay.trade.precreate   qr_code                     when the payer scans it
//   barcode   alipay.trade.pay         none                        immediately
//
//   query         alipay.trade.query                         40004 ACQ.TRADE_NOT_EXIST: not_found
//   close         alipay.trade.close; alipay.trade.cancel for a barcode payment whose trade_no is unknown
//   refund        alipay.trade.refund
//   refund query  alipay.trade.fastpay.refund.query
//   statement     alipay.data.dataservice.bill.downloadurl.query
//
// A response is evidence only if Alipay signed the bytes of its response node; everything else is `unknown`. Meaning of
// the codes: alipay/codes.cpp. Signatures: alipay/signature.h.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "base/crypto/rsa.h"
#include "base/secret.h"
#include "channel/channel.h"
#include "channel/refunds.h"
#include "channel/replaceable_keys.h"
#include "channel/statements.h"

namespace finality {

/// Keys of both sides. In public-key mode the serial numbers are empty and `alipay` has one key, under "".
struct AlipayKeys {
  RsaPrivateKey own;                                        // the application's private key
  std::map<std::string, RsaPublicKey, std::less<>> alipay;  // Alipay's keys, by the SN of their certificates
  std::string app_cert_sn;
  std::string root_cert_sn;
};

/// Key texts from files or the environment: PEM, or for the two keys the base64 that Alipay's console shows. Set either
/// `alipay_public_key` or the three certificates.
struct AlipayKeyTexts {
  Secret private_key;
  std::string alipay_public_key;
  std::string app_certificate;
  std::string alipay_certificates;  // one or more, concatenated
  std::string root_certificates;    // the bundle (alipayRootCert.crt)
};

/// Parses the texts. The error begins with the member name of the invalid text and a colon; it never contains the text.
/// Rejects the application's own key as Alipay's key, and Alipay certificates that the roots cannot have issued.
Result<AlipayKeys> read_alipay_keys(const AlipayKeyTexts& texts);
/// Parses the keys from the texts of settings, whose keys are the member names of AlipayKeyTexts.
Result<AlipayKeys> alipay_keys_of(const ChannelTexts& texts);

struct AlipayOptions {
  std::string name = "alipay";
  std::string gateway = "https://openapi.alipay.com/gateway.do";
  std::string app_id;
  std::string seller_id;   // the payee (2088…)
  std::string public_url;  // where Alipay reaches this server
  AlipayKeys keys;
  bool is_sandbox = false;  // the gateway is `finality sandbox`; payments may have a scenario
};

class AlipayChannel : public Channel, public Refunds, public Statements, public ReplaceableKeys {
 public:
  using Channel::evidence_of;
  using Channel::request_of;
  using Refunds::evidence_of;
  using Refunds::request_of;
  using Statements::request_of;

  /// Replaces the keys. Thread safe while other threads use the channel: each request and each response uses either the
  /// old keys or the new keys. Without any key of Alipay's, returns an error and has no effect.
  virtual Result<void> use_keys(AlipayKeys keys) = 0;
};

/// The error names the invalid option. A trailing slash of `public_url` is ignored. The gateway must be https unless
/// `is_sandbox` is set, because requests contain the payer's payment code.
Result<std::unique_ptr<AlipayChannel>> make_alipay_channel(AlipayOptions options);

}  // namespace finality
