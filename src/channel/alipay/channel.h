// Alipay (支付宝), gateway v2: requests and answers signed with RSA2, in public-key mode or in certificate mode.
//
//   method    send                     the payer's action          the trade comes into being
//   page      (nothing is sent)        redirect: the signed page   when the payer opens it
//   wap       (nothing is sent)        redirect: the signed page   when the payer opens it
//   app       (nothing is sent)        form: the order string      when the payer's app opens it
//   qr        alipay.trade.precreate   qr_code                     when the payer scans it
//   barcode   alipay.trade.pay         none                        at once
//
//   query         alipay.trade.query                         40004 ACQ.TRADE_NOT_EXIST: not_found
//   close         alipay.trade.close; alipay.trade.cancel for a barcode payment whose trade was never named
//   refund        alipay.trade.refund
//   refund query  alipay.trade.fastpay.refund.query
//   statement     alipay.data.dataservice.bill.downloadurl.query
//
// An answer counts when Alipay signed the bytes of its response node; everything else is `unknown`. What the codes mean
// stands in alipay/codes.cpp, how bytes are signed in alipay/signature.h.
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

/// What both sides sign with. In public-key mode the numbers are empty and `alipay` has one key, under "".
struct AlipayKeys {
  RsaPrivateKey own;                                        // the application's
  std::map<std::string, RsaPublicKey, std::less<>> alipay;  // by the number (SN) of the certificate it stands in
  std::string app_cert_sn;
  std::string root_cert_sn;
};

/// The texts that keys are read from, as files or the environment hold them: PEM, or for the two keys the base64 that
/// Alipay's console shows. Either `alipay_public_key` or the three certificates.
struct AlipayKeyTexts {
  Secret private_key;
  std::string alipay_public_key;
  std::string app_certificate;
  std::string alipay_certificates;  // one or more, one after another
  std::string root_certificates;    // the bundle (alipayRootCert.crt)
};

/// An error begins with the name of the text that is wrong, as above, and a colon; it never says what is in it.
/// Alipay's key must not be the application's own, nor its certificates ones that the roots cannot have issued.
Result<AlipayKeys> read_alipay_keys(const AlipayKeyTexts& texts);
/// The same of the texts of settings, which have the same names.
Result<AlipayKeys> alipay_keys_of(const ChannelTexts& texts);

struct AlipayOptions {
  std::string name = "alipay";
  std::string gateway = "https://openapi.alipay.com/gateway.do";
  std::string app_id;
  std::string seller_id;   // of whom the payer pays (2088…)
  std::string public_url;  // where Alipay reaches us
  AlipayKeys keys;
  bool is_sandbox = false;  // the gateway is our sandbox: scenarios are taken
};

class AlipayChannel : public Channel, public Refunds, public Statements, public ReplaceableKeys {
 public:
  using Channel::evidence_of;
  using Channel::request_of;
  using Refunds::evidence_of;
  using Refunds::request_of;
  using Statements::request_of;

  /// Signs and verifies with these from now on. Safe while other threads use the channel: each request and each answer
  /// sees the old keys or the new ones. An error (no key of Alipay's) changes nothing.
  virtual Result<void> use_keys(AlipayKeys keys) = 0;
};

/// An error says which option is wrong. A slash at the end of `public_url` is ignored. The gateway is https, but for
/// the sandbox's: what we send tells how the payer pays.
Result<std::unique_ptr<AlipayChannel>> make_alipay_channel(AlipayOptions options);

}  // namespace finality
