#include "channel/bank/bank_statements.h"

#include <utility>

#include "channel/bank/camt_statement.h"
#include "channel/bank/csv_statement.h"
#include "channel/parsing/inflate.h"

namespace finality::bank {
namespace {

constexpr StatementKind kUploadedKinds[] = {StatementKind::bank};
// Banks keep statements for years, and an operator may compare the years before Finality was introduced.
constexpr StatementPlan kPlan{
    .kinds = {}, .uploaded_kinds = kUploadedKinds, .utc_offset = kBankTime, .history_days = 3'660};

std::unexpected<Error> not_downloaded() { return fail("the statement of a bank account is uploaded, not downloaded"); }

// Whether the file begins like XML. CSV begins with the name of a column.
bool is_xml(std::string_view file, ParseBudget& budget) {
  constexpr std::string_view kBlanks = "\xEF\xBB\xBF \t\r\n";  // with the byte order mark of UTF-8
  constexpr std::size_t kHeadBytes = 64;
  std::string head;
  // An error of a corrupt file is reported by the parser, which reads it again.
  (void)unpack_gzip_or_plain(file, budget, [&head](std::string_view bytes) -> Result<void> {
    head = bytes.substr(0, kHeadBytes);
    return fail("the first bytes suffice");
  });
  const bool is_utf16 = head.starts_with("\xFF\xFE") || head.starts_with("\xFE\xFF");
  const std::size_t begin = head.find_first_not_of(kBlanks);
  return is_utf16 || (begin != std::string::npos && head[begin] == '<');
}

}  // namespace

const StatementPlan& statement_plan() { return kPlan; }

BankStatements::BankStatements(BankAccountNumber account, std::optional<Duration> expected_within)
    : account_(std::move(account)), plan_(kPlan) {
  plan_.are_uploads_expected = expected_within.has_value();
  plan_.late_after = expected_within.value_or(plan_.late_after);
}

const StatementPlan& BankStatements::statement_plan() const { return plan_; }

Result<UpstreamRequest> BankStatements::request_of(const StatementCall&, Time) const { return not_downloaded(); }

Result<StatementAnswer> BankStatements::statement_answer_of(const StatementCall&, const UpstreamResponse&, Time) const {
  return not_downloaded();
}

Result<std::string> BankStatements::file_of(const StatementLink&, const UpstreamResponse&, ParseBudget&) const {
  return not_downloaded();
}

Result<std::vector<StatementSums>> BankStatements::parse(const StatementCall& call, std::string_view file,
                                                         ParseBudget& budget, const LineSink& sink) const {
  if (const auto day = check_call(kPlan, call); !day) return std::unexpected(day.error());
  LineCollector lines(sink);
  return sums_or_error(lines, is_xml(file, budget) ? parse_camt(account_, call.date, file, budget, lines)
                                                   : parse_csv(account_, call.date, file, budget, lines));
}

}  // namespace finality::bank
