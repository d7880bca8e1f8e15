#include "store/audit/audit.h"

#include <fmt/format.h>

#include "model/row_types.h"
#include "store/audit/questions.h"
#include "store/audit/readable_id.h"

namespace finality {

std::vector<AuditQuestion> audit_questions() {
  std::vector<AuditQuestion> questions;
  audit::ask_about_steps(questions);
  audit::ask_about_versions(questions);
  audit::ask_about_children(questions);
  audit::ask_about_ends(questions);
  audit::ask_about_receipts(questions);
  audit::ask_about_reversals(questions);
  audit::ask_about_external_refunds(questions);
  audit::ask_about_returns(questions);
  audit::ask_about_refunds(questions);
  audit::ask_about_the_ledger(questions);
  audit::ask_about_postings(questions);
  audit::ask_about_accounts(questions);
  audit::ask_about_holds(questions);
  audit::ask_about_transfers(questions);
  audit::ask_about_the_wallet(questions);
  audit::ask_about_fees(questions);
  audit::ask_about_channel_accounts(questions);
  audit::ask_about_keys(questions);
  audit::ask_about_deliveries(questions);
  audit::ask_about_time(questions);
  audit::ask_about_archived_orders(questions);
  return questions;
}

// Idempotency keys are left out: each has one record, which is counted.
std::vector<std::string_view> audited_tables() {
  std::vector<std::string_view> tables;
  for_each_row_type<boost::mp11::mp_remove<RowTypes, IdempotencyKey>>(
      [&]<class Row>(std::type_identity<Row>) { tables.push_back(RowTraits<Row>::table); });
  return tables;
}

Result<AuditReport> put_audit_questions(const AuditQuery& query, const AuditProgress& progress) {
  AuditReport report;
  for (const std::string_view table : audited_tables()) {
    const auto count = [&](const std::string& name, const std::string& rows) {
      report.checked.emplace_back(name, std::stoll(rows));
    };
    if (auto counted = query(fmt::format("SELECT '{0}', count(*) FROM {0}", table), "count rows", count); !counted)
      return std::unexpected(counted.error());
  }
  const std::vector<AuditQuestion> questions = audit_questions();
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const AuditQuestion& question = questions[i];
    if (progress) progress(i, questions.size(), question.invariant);
    const auto violated = [&](const std::string& id, const std::string& detail) {
      report.violations.push_back({question.invariant, audit::readable_id(question.object_type, id), detail});
    };
    const std::string sql = fmt::format("{} LIMIT {}", question.sql, kViolationsPerQuestion);
    if (auto asked = query(sql, question.invariant, violated); !asked) return std::unexpected(asked.error());
  }
  return report;
}

}  // namespace finality
