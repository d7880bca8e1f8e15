// Statements (对账单): where WeChat Pay puts them, and whether what was downloaded is what it promised. Pure.
//
// The answer with the link is signed; the download is not, and is held against the SHA1 of the unpacked file in it.
// SHA1 does not stop who makes both files himself; that would be WeChat.
#pragma once

#include <boost/json/object.hpp>

#include <string>
#include <string_view>

#include "base/result.h"
#include "channel/channel.h"

namespace finality::wechatpay {

struct BillPlace {
  std::string url;
  std::string sha1;  // lower case
};

/// Reads the verified answer. The link must be at the gateway at `gateway_url`, or WeChat Pay's own: our signature goes
/// with the download, and is good for whatever it is shown to.
Result<BillPlace> read_bill_place(const boost::json::object& body, std::string_view gateway_url);

/// Whether a refusal's code says that there is no statement of that day.
bool says_no_bill(std::string_view code);

/// Why a statement was refused otherwise, in words for an operator.
std::string why_no_bill(std::string_view code, std::string_view message);

/// The unpacked file, from the answer to the download: packed or not, as WeChat pleased.
Result<std::string> read_bill(const UpstreamResponse& response, std::string_view sha1);

}  // namespace finality::wechatpay
