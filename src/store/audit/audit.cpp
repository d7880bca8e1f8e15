#include "store/audit/audit.h"

#include <fmt/format.h>

#include "model/row_types.h"
#include "store/audit/questions.h"
#include "store/audit/readable_id.h"

namespace finality {

std::vector<AuditQuestion> audit_questions() {
  std::vector<AuditQuestion> questions;
  audit::add_steps_questions(questions);
  audit::add_versions_questions(questions);
  audit::add_children_questions(questions);
  audit::add_ends_questions(questions);
  audit::add_authorizations_questions(questions);
  audit::add_receipts_questions(questions);
  audit::add_captures_questions(questions);
  audit::add_reversals_questions(questions);
  audit::add_external_refunds_questions(questions);
  audit::add_returns_questions(questions);
  audit::add_channel_settlements_questions(questions);
  audit::add_refunds_questions(questions);
  audit::add_hold_amounts_questions(questions);
  audit::add_ledger_questions(questions);
  audit::add_postings_questions(questions);
  audit::add_accounts_questions(questions);
  audit::add_holds_questions(questions);
  audit::add_transfers_questions(questions);
  audit::add_wallet_questions(questions);
  audit::add_wallet_holds_questions(questions);
  audit::add_fees_questions(questions);
  audit::add_channel_accounts_questions(questions);
  audit::add_keys_questions(questions);
  audit::add_deliveries_questions(questions);
  audit::add_authorization_deliveries_questions(questions);
  audit::add_time_questions(questions);
  audit::add_authorization_time_questions(questions);
  audit::add_archived_orders_questions(questions);
  audit::add_approvals_questions(questions);
  audit::add_unknown_receipts_questions(questions);
  audit::add_statements_questions(questions);
  return questions;
}

// All tables except idempotency keys and changes. Each idempotency key has one idempotency record, and the records are
// counted. Events are counted instead of the changes that store them.
std::vector<std::string_view> audited_tables() {
  std::vector<std::string_view> tables;
  for_each_row_type<boost::mp11::mp_remove<boost::mp11::mp_remove<DescribedRows, IdempotencyKey>, Change>>(
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
