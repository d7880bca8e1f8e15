#include "channel/wechatpay/bill.h"

#include <fmt/format.h>

#include "base/crypto/encoding.h"
#include "base/crypto/legacy_digest.h"
#include "base/limits.h"
#include "channel/parsing/inflate.h"
#include "channel/parsing/json_fields.h"
#include "channel/parsing/web_url.h"

namespace finality::wechatpay {
namespace {

constexpr std::string_view kGzipMagic = "\x1f\x8b";
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

Result<BillLocation> read_bill_place(const boost::json::object& body, std::string_view gateway_url) {
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
  return BillLocation{url, to_hex(*digest)};
}

bool is_no_bill(std::string_view code) { return is_code(code, "NOSTATEMENTEXIST"); }

std::string no_bill_reason(std::string_view code, std::string_view message) {
  if (is_code(code, "STATEMENTCREATING"))
    return "the statement is not ready: try again in half an hour, after 10:00 China time";
  return fmt::format("WeChat Pay refused the statement: {} {}", code, message);
}

Result<std::string> read_bill(const UpstreamResponse& response, std::string_view sha1) {
  if (!response.http) return fail("cannot download the statement: " + response.failure);
  const net::HttpResponse& http = *response.http;
  if (http.status != 200) return fail(fmt::format("cannot download the statement: HTTP {}", http.status));
  auto file = http.body.starts_with(kGzipMagic) ? inflate_gzip(http.body, limits::kBillBytesMax) : http.body;
  if (!file) return fail("cannot unpack the statement: " + file.error().message);
  if (sha1_hex(*file) != sha1) return fail("the statement failed verification: its SHA1 differs from hash_value");
  return file;
}

}  // namespace finality::wechatpay
