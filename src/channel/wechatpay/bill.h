// WeChat Pay's statements (对账单): reads the link and verifies the downloaded file. Pure.
//
// The response with the link is signed and contains the SHA1 of the unpacked file, against which the unsigned download
// is verified. A SHA1 collision would need control over both files, and only WeChat has that control.
#pragma once

#include <boost/json/object.hpp>

#include <string>
#include <string_view>

#include "base/result.h"
#include "channel/channel.h"

namespace finality::wechatpay {

struct BillLocation {
  std::string url;
  std::string sha1;  // lower case
};

/// Reads the link from the verified response. The link must be at the gateway `gateway_url` or at WeChat Pay's own
/// host, because the download request contains the merchant's signature, which any recipient could misuse.
Result<BillLocation> read_bill_place(const boost::json::object& body, std::string_view gateway_url);

/// Whether a refusal's code means that no statement exists for that day.
bool is_no_bill(std::string_view code);

/// Message for operators about any other refusal.
std::string no_bill_reason(std::string_view code, std::string_view message);

/// The unpacked file from the response to the download, which may be compressed or not. An error when its SHA1 differs.
Result<std::string> read_bill(const UpstreamResponse& response, std::string_view sha1);

}  // namespace finality::wechatpay
