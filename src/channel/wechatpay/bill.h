// Reads the link to a statement (对账单) of WeChat Pay and verifies the downloaded file. Pure.
//
// The response with the link is signed and contains the SHA1 hash of the unpacked file. The download itself is not
// signed, so read_bill() compares its hash. A collision attack on SHA1 needs control over the content of the genuine
// file, which only WeChat has.
#pragma once

#include <boost/json/object.hpp>

#include <string>
#include <string_view>

#include "base/result.h"
#include "channel/channel.h"

namespace finality::wechatpay {

struct BillLocation {
  std::string url;
  std::string sha1;  // hash of the unpacked file, in lower-case hexadecimal
};

/// Reads the link from a verified response. Returns an error unless the host of the link is that of `gateway_url` or
/// api.mch.weixin.qq.com: the download request contains the merchant's signature, which another host could misuse.
Result<BillLocation> read_bill_place(const boost::json::object& body, std::string_view gateway_url);

/// Whether the code of a refusal means that no statement exists for the requested day.
bool is_no_bill(std::string_view code);

/// Returns a message for operators about a refusal with a code for which is_no_bill() is false.
std::string no_bill_reason(std::string_view code, std::string_view message);

/// Returns the statement from the response to the download, unpacked if the response is compressed with GZIP. Returns
/// an error if the download failed or the hash of the statement differs from `sha1`.
Result<std::string> read_bill(const UpstreamResponse& response, std::string_view sha1);

}  // namespace finality::wechatpay
