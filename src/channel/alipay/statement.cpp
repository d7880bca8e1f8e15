#include "channel/alipay/statement.h"

#include <fmt/format.h>

#include "base/limits.h"
#include "channel/alipay/codes.h"
#include "channel/alipay/request.h"
#include "channel/alipay/zip.h"
#include "channel/parsing/json_fields.h"
#include "channel/parsing/web_url.h"

namespace finality::alipay {
namespace {

constexpr std::string_view kSumsInGbk = "\xBB\xE3\xD7\xDC";  // 汇总 (summary), in the name of the CSV with the sums
constexpr std::string_view kSumsInUtf8 = "汇总";

bool has_rows(std::string_view name) {
  return name.ends_with(".csv") && !name.contains(kSumsInGbk) && !name.contains(kSumsInUtf8);
}

}  // namespace

Result<std::optional<BillLink>> read_statement_link(const BillCall& call, const AlipayReply& answer) {
  const std::string prefix = fmt::format("Alipay's statement of {}: ", call.date);
  if (!answer.is_ok()) {
    const StatementMeaning& meaning = statement_meaning_of(answer.sub_code);
    if (meaning.is_none) return std::nullopt;
    return fail(fmt::format("{}{}: {}", prefix, answer.most_specific_code(),
                            meaning.advice.empty() ? answer.message : meaning.advice));
  }
  const auto link = text_field(answer.node, "bill_download_url", limits::kUrlMax);
  const auto url = link ? parse_web_url(*link) : std::nullopt;
  if (!url) return fail(prefix + "the response has no valid bill_download_url");
  return BillLink{.download = {.url = std::string(*link), .http = {.target = url->target}}};
}

Result<std::string> read_statement(const UpstreamResponse& response) {
  if (!response.http) return fail("cannot download Alipay's statement: " + response.failure);
  if (response.http->status != 200)
    return fail(fmt::format("cannot download Alipay's statement: the channel returned HTTP {}", response.http->status));
  const auto files = list_zip(response.http->body);
  if (!files) return fail("Alipay's statement is malformed: " + files.error().message);
  const ZipEntry* rows = nullptr;
  for (const ZipEntry& file : *files) {
    if (!has_rows(file.name)) continue;
    if (rows != nullptr) return fail("Alipay's statement is malformed: more than one CSV file has rows");
    rows = &file;
  }
  if (rows == nullptr) return fail("Alipay's statement is malformed: no CSV file has rows");
  auto unpacked = unpack(*rows, limits::kBillBytesMax);
  if (!unpacked) return fail("Alipay's statement is malformed: " + unpacked.error().message);
  return unpacked;
}

}  // namespace finality::alipay
