#include "channel/wechatpay/statement/download.h"

#include <fmt/format.h>

#include "base/crypto/encoding.h"
#include "base/crypto/legacy_digest.h"
#include "base/limits.h"
#include "channel/parsing/inflate.h"
#include "channel/parsing/json_fields.h"
#include "channel/parsing/web_url.h"

namespace finality::wechatpay {
namespace {

constexpr std::size_t kFieldBytesMax = 64;
constexpr std::string_view kFilesAuthority = "api.mch.weixin.qq.com";  // WeChat Pay's file host
constexpr std::size_t kSha1Bytes = 20;

// Whether `code` is `bare` without its '_' characters. WeChat writes the same code with and without '_'.
bool is_code(std::string_view code, std::string_view bare) {
  std::string without(code);
  std::erase(without, '_');
  return without == bare;
}

}  // namespace

Result<StatementLocation> read_location(const boost::json::object& body, std::string_view gateway_url) {
  if (text_field(body, "hash_type", kFieldBytesMax) != "SHA1") return fail("hash_type is not SHA1");
  const auto digest = from_hex(text_field(body, "hash_value", kFieldBytesMax).value_or(""));
  if (!digest || digest->size() != kSha1Bytes) return fail("hash_value is not a SHA1 hash in hexadecimal");
  const std::string url(text_field(body, "download_url", limits::kUrlMax).value_or(""));
  const auto parsed = parse_web_url(url);
  if (!parsed) return fail("download_url is not an http or https URL");
  const auto gateway = parse_web_url(gateway_url);
  const bool at_gateway = gateway && parsed->tls == gateway->tls && parsed->authority == gateway->authority;
  const bool at_wechat = parsed->tls && parsed->authority == kFilesAuthority;
  if (!at_gateway && !at_wechat)
    return fail("download_url must be on the host of url or of https://api.mch.weixin.qq.com");
  return StatementLocation{url, to_hex(*digest)};
}

std::optional<NoStatement> no_statement_of(std::string_view code) {
  if (is_code(code, "NOSTATEMENTEXIST")) return NoStatement{.is_empty_day = true, .code = std::string(code)};
  if (is_code(code, "STATEMENTCREATING")) return NoStatement{.is_empty_day = false, .code = std::string(code)};
  return std::nullopt;
}

Result<std::string> verified_file(const UpstreamResponse& response, std::string_view sha1, ParseBudget& budget) {
  if (!response.http) return fail("cannot download the statement: " + response.failure);
  const net::HttpResponse& http = *response.http;
  if (http.status != 200) return fail(fmt::format("cannot download the statement: HTTP {}", http.status));
  if (http.body.size() > limits::kStatementBytesMax) return fail("the statement exceeds the size limit");
  Sha1 digest;
  const auto unpacked = unpack_gzip_or_plain(http.body, budget, [&](std::string_view bytes) -> Result<void> {
    digest.add(bytes);
    return {};
  });
  if (!unpacked) return fail("cannot unpack the statement: " + unpacked.error().message);
  if (digest.hex() != sha1) return fail("the statement failed verification: its SHA1 differs from hash_value");
  return http.body;
}

}  // namespace finality::wechatpay
