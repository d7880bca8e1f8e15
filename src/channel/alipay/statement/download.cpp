#include "channel/alipay/statement/download.h"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "base/limits.h"
#include "channel/alipay/codes.h"
#include "channel/alipay/statement/zip.h"
#include "channel/parsing/gb18030.h"
#include "channel/parsing/inflate.h"
#include "channel/parsing/json_fields.h"
#include "channel/parsing/web_url.h"

namespace finality::alipay {
namespace {

constexpr std::string_view kSumsInGbk =
    "\xBB\xE3\xD7\xDC";  // 汇总 (summary), in the name and title of the CSV with sums
constexpr std::string_view kSumsInUtf8 = "汇总";
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::string_view kBeginInUtf8 = "#支付宝";
constexpr std::string_view kEmptyFile = "EMPTY_DATA_WITH_BILL_FILE";
constexpr std::size_t kCodeBytesMax = 64;

bool is_about_sums(std::string_view text) { return text.contains(kSumsInGbk) || text.contains(kSumsInUtf8); }

// Whether the first line of a file is the title of a CSV with sums. Used if the names of the files do not show it.
bool has_title_of_sums(const ZipEntry& file, ParseBudget& budget) {
  std::string title;
  const auto ignored = unpack(file, budget, [&](std::string_view bytes) -> Result<void> {
    title = bytes.substr(0, bytes.find('\n'));
    return fail("the title is complete");
  });
  return !ignored && is_about_sums(title);
}

Result<ZipEntry> entry_with_rows(std::string_view archive, ParseBudget& budget) {
  const auto files = list_zip(archive, budget);
  if (!files) return std::unexpected(files.error());
  std::vector<ZipEntry> found;
  for (const ZipEntry& file : *files)
    if (file.name.ends_with(".csv") && !is_about_sums(file.name)) found.push_back(file);
  if (found.size() > 1) std::erase_if(found, [&](const ZipEntry& file) { return has_title_of_sums(file, budget); });
  if (found.empty()) return fail("no CSV file has rows");
  if (found.size() > 1) return fail("more than one CSV file has rows");
  return found.front();
}

Result<void> unpack_rows(std::string_view file, ParseBudget& budget, const ByteSink& sink) {
  if (!is_zip(file)) return unpack_gzip_or_plain(file, budget, sink);
  const auto rows = entry_with_rows(file, budget);
  if (!rows) return std::unexpected(rows.error());
  return unpack(*rows, budget, sink);
}

}  // namespace

Result<StatementAnswer> read_statement_answer(const StatementCall& call, const AlipayReply& answer) {
  const std::string prefix = fmt::format("Alipay's statement of {}: ", call.date);
  if (!answer.is_ok()) {
    const StatementMeaning& meaning = statement_meaning_of(answer.sub_code);
    if (meaning.refusal != StatementRefusal::unknown)
      return NoStatement{.is_empty_day = meaning.refusal == StatementRefusal::empty_day, .code = answer.sub_code};
    return fail(fmt::format("{}{}: {}", prefix, answer.most_specific_code(),
                            meaning.advice.empty() ? answer.message : meaning.advice));
  }
  if (text_field(answer.node, "bill_file_code", kCodeBytesMax) == kEmptyFile)
    return NoStatement{.is_empty_day = true, .code = std::string(kEmptyFile)};
  const auto link = text_field(answer.node, "bill_download_url", limits::kUrlMax);
  const auto url = link ? parse_web_url(*link) : std::nullopt;
  if (!url) return fail(prefix + "the response has no valid bill_download_url");
  return StatementLink{.download = {.url = std::string(*link), .http = {.target = url->target}}};
}

Result<std::string> verified_file(const UpstreamResponse& response, ParseBudget& budget) {
  if (!response.http) return fail("cannot download Alipay's statement: " + response.failure);
  const net::HttpResponse& http = *response.http;
  if (http.status != 200)
    return fail(fmt::format("cannot download Alipay's statement: the channel returned HTTP {}", http.status));
  if (http.body.size() > limits::kStatementBytesMax) return fail("Alipay's statement exceeds the size limit");
  if (!is_zip(http.body)) return fail("Alipay's statement is malformed: it is not a ZIP file");
  const auto intact = unpack_rows(http.body, budget, [](std::string_view) { return Result<void>(); });
  if (!intact) return fail("Alipay's statement is malformed: " + intact.error().message);
  return http.body;
}

Result<void> read_statement_text(std::string_view file, ParseBudget& budget, const ByteSink& sink) {
  auto decoder = Gb18030Decoder::open(budget, sink);
  if (!decoder) return std::unexpected(decoder.error());
  std::optional<bool> is_utf8;
  auto done = unpack_rows(file, budget, [&](std::string_view bytes) -> Result<void> {
    if (!is_utf8) is_utf8 = bytes.starts_with(kByteOrderMark) || bytes.starts_with(kBeginInUtf8);
    return *is_utf8 ? sink(bytes) : decoder->take(bytes);
  });
  return done ? decoder->finish() : done;
}

}  // namespace finality::alipay
