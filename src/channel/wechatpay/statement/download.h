// Reads the response to a request for a statement (对账单) of WeChat Pay, and verifies the downloaded file. Pure.
//
// The response with the link is signed and contains the SHA1 hash of the unpacked file. The download itself is not
// signed, so verified_file() compares its hash. A collision attack on SHA1 needs control over the content of the
// genuine file, which only WeChat has.
#pragma once

#include <boost/json/object.hpp>

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "channel/statements.h"

namespace finality::wechatpay {

struct StatementLocation {
  std::string url;
  std::string sha1;  // hash of the unpacked file, in lower-case hexadecimal
};

/// Reads the link from a verified response. Returns an error unless the host of the link is that of `gateway_url` or
/// api.mch.weixin.qq.com: the download request contains the merchant's signature, which another host could misuse.
Result<StatementLocation> read_location(const boost::json::object& body, std::string_view gateway_url);

/// Returns what the code of a refusal reports about the statement; empty if it reports something else.
std::optional<NoStatement> no_statement_of(std::string_view code);

/// Returns the downloaded file as received. Returns an error if the download failed, the file is too large, or the hash
/// of its unpacked content differs from `sha1`.
Result<std::string> verified_file(const UpstreamResponse& response, std::string_view sha1, ParseBudget& budget);

}  // namespace finality::wechatpay
