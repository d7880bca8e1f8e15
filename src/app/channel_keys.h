// Where the keys of a channel come from: files, which may be replaced while the server runs, or the environment.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "channel/alipay/alipay_channel.h"
#include "channel/wechatpay/wechatpay_channel.h"

namespace finality::app {

inline constexpr std::size_t kKeyBytesMax = 64 << 10;  // of one file or variable: a bundle of certificates at most

/// A text's place. Where the variable is set it wins.
struct TextSource {
  std::string file;
  std::string variable;  // of the environment

  bool is_named() const { return !file.empty() || !variable.empty(); }
};

/// The text, without the line ends after it. An error names the file or the variable, never the text.
Result<std::string> read_source(const TextSource& source);

struct AlipaySettings {
  std::string name;
  std::string gateway = "https://openapi.alipay.com/gateway.do";
  std::string app_id;
  std::string seller_id;
  std::string public_url;
  bool is_sandbox = false;
  TextSource private_key;
  // Either Alipay's key, or the three certificates.
  TextSource alipay_public_key;
  TextSource app_certificate;
  TextSource alipay_certificates;
  TextSource root_certificates;
};

struct WechatpaySettings {
  std::string url = "https://api.mch.weixin.qq.com";
  std::string appid;
  std::string mchid;
  std::string public_url;
  bool fetches_certificates = false;
  bool is_sandbox = false;
  TextSource private_key;
  TextSource certificate;  // the merchant's: its number goes with every request
  TextSource api_v3_key;
  TextSource platform_certificates;                // may be unnamed
  std::map<std::string, std::string> public_keys;  // files, by the id of the key
};

/// The keys as the files and the environment have them now. An error says what cannot be used and why.
Result<AlipayKeys> read_keys(const AlipaySettings& settings);
Result<WechatpayKeys> read_keys(const WechatpaySettings& settings);

/// Certificates that have expired at `now`: a sentence each, with setting, file and day. An error where none is left to
/// verify the channel's answers with.
Result<std::vector<std::string>> expired_certificates(const AlipaySettings& settings, Time now);
Result<std::vector<std::string>> expired_certificates(const WechatpaySettings& settings, Time now);

/// Reads the keys again and hands them to the channel. An error leaves it with the keys it has.
Result<void> load_keys(AlipayChannel& channel, const AlipaySettings& settings);
Result<void> load_keys(WechatpayChannel& channel, const WechatpaySettings& settings);

/// The channel, with the keys as they are now. An error says what to change.
Result<std::unique_ptr<AlipayChannel>> make_channel(const AlipaySettings& settings);
Result<std::unique_ptr<WechatpayChannel>> make_channel(const WechatpaySettings& settings);

/// The files that the keys are read from.
std::vector<std::string> key_files(const AlipaySettings& settings);
std::vector<std::string> key_files(const WechatpaySettings& settings);

}  // namespace finality::app
