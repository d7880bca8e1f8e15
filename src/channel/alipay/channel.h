// Adapter for Alipay (支付宝), gateway v2: requests and responses are signed with RSA2, in public-key mode or
// certificate mode.
//
//   method    request of the adapter   action for the payer        Alipay creates the trade when
//   page      none                     redirect to a signed page   the payer opens the page
//   wap       none                     redirect to a signed page   the payer opens the page
//   app       none                     form with an order string   the payer's app opens the order string
//   qr        alipay.trade.precreate   qr_code                     the payer scans the QR code
//   barcode   alipay.trade.pay         none                        Alipay receives the request
//
//   query         alipay.trade.query; the refusal 40004 ACQ.TRADE_NOT_EXIST is `not_found`
//   close         alipay.trade.close; alipay.trade.cancel for a barcode payment whose trade_no is unknown
//   refund        alipay.trade.refund
//   refund query  alipay.trade.fastpay.refund.query
//   statement     alipay.data.dataservice.bill.downloadurl.query
//
// alipay/fund_auth.h lists the requests of authorizations and captures.
//
// A response is evidence only if Alipay signed the bytes of its response node; any other response is `unknown`.
// alipay/codes.cpp lists the meaning of the codes, alipay/signature.h defines the signatures.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "base/crypto/rsa.h"
#include "base/secret.h"
#include "channel/authorizations.h"
#include "channel/channel.h"
#include "channel/refunds.h"
#include "channel/replaceable_keys.h"
#include "channel/statements.h"

namespace finality {

/// Keys of the application and of Alipay. In public-key mode the certificate serial numbers (SN) are empty, and
/// `alipay` has exactly one key, with the SN "".
struct AlipayKeys {
  RsaPrivateKey own;                                        // private key of the application
  std::map<std::string, RsaPublicKey, std::less<>> alipay;  // Alipay's public keys, by the SN of their certificates
  std::string app_cert_sn;
  std::string root_cert_sn;
};

/// Texts of keys and certificates in PEM, from files or the environment. The two keys may also be in the base64 that
/// Alipay's portal shows. Set either `alipay_public_key` or all three certificate members.
struct AlipayKeyTexts {
  Secret private_key;
  std::string alipay_public_key;
  std::string app_certificate;
  std::string alipay_certificates;  // one or more certificates, concatenated
  std::string root_certificates;    // Alipay's root certificates, concatenated (alipayRootCert.crt)
};

/// Parses the texts. An error about one text begins with its member name and a colon, and never contains the text.
/// Returns an error if Alipay's key is the application's own key, or if a certificate of Alipay cannot have been issued
/// under the root certificates.
Result<AlipayKeys> read_alipay_keys(const AlipayKeyTexts& texts);
/// Parses the texts of the channel settings like read_alipay_keys(). The keys of the settings are the member names of
/// AlipayKeyTexts.
Result<AlipayKeys> alipay_keys_of(const ChannelTexts& texts);

struct AlipayOptions {
  std::string name = "alipay";
  std::string gateway = "https://openapi.alipay.com/gateway.do";
  std::string app_id;
  std::string seller_id;   // Alipay's id of the payee (2088…)
  std::string public_url;  // URL at which Alipay reaches this server
  AlipayKeys keys;
  /// Days for which Alipay holds an authorized amount, by the merchant's contract. Alipay reports no time.
  std::int64_t authorization_valid_days = 7;
  bool is_sandbox = false;  // `gateway` is a `finality sandbox`, and payments may have a scenario
};

class AlipayChannel : public Channel, public Refunds, public Authorizations, public Statements, public ReplaceableKeys {
 public:
  using Authorizations::answer_without_asking;
  using Authorizations::evidence_of;
  using Authorizations::request_of;
  using Channel::answer_without_asking;
  using Channel::evidence_of;
  using Channel::request_of;
  using Refunds::evidence_of;
  using Refunds::request_of;
  using Statements::request_of;

  /// Replaces the keys. Other threads may use the channel meanwhile: each request and each response uses either the old
  /// keys or the new keys. Returns an error and keeps the old keys if `keys` has no key of Alipay.
  virtual Result<void> use_keys(AlipayKeys keys) = 0;
};

/// Makes a channel. The error names the invalid option. Ignores trailing slashes of `public_url`. `gateway` must be an
/// https URL unless `is_sandbox` is set, because requests contain the payer's payment code.
Result<std::unique_ptr<AlipayChannel>> make_alipay_channel(AlipayOptions options);

/// The statements that the channel provides.
const StatementPlan& alipay_statement_plan();

}  // namespace finality
