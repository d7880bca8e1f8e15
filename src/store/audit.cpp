#include "store/audit.h"

#include "store/audit/questions.h"

namespace finality {

std::vector<AuditQuestion> audit_questions() {
  std::vector<AuditQuestion> questions;
  audit::ask_about_steps(questions);
  audit::ask_about_versions(questions);
  audit::ask_about_ends(questions);
  audit::ask_about_receipts(questions);
  audit::ask_about_reversals(questions);
  audit::ask_about_refunds(questions);
  audit::ask_about_the_ledger(questions);
  audit::ask_about_postings(questions);
  audit::ask_about_accounts(questions);
  audit::ask_about_holds(questions);
  audit::ask_about_transfers(questions);
  audit::ask_about_the_wallet(questions);
  audit::ask_about_fees(questions);
  audit::ask_about_keys(questions);
  audit::ask_about_deliveries(questions);
  audit::ask_about_time(questions);
  audit::ask_about_archived_orders(questions);
  return questions;
}

std::vector<std::string_view> audited_tables() {
  return {
      "merchants", "orders",  "payments",       "receipts", "refunds", "reversals", "cases",      "accounts",
      "transfers", "holds",   "prices",         "fees",     "entries", "events",    "deliveries", "webhook_endpoints",
      "keys",      "answers", "archived_orders"};
}

}  // namespace finality
