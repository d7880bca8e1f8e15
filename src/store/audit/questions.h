// Audit queries (store/audit/audit.h) in SQL that both SQLite and PostgreSQL accept. Each function appends the queries
// of one subject to `questions`. The comment above a group of functions names the file that defines them.
#pragma once

#include <vector>

#include "store/audit/audit.h"

namespace finality::audit {

using Questions = std::vector<AuditQuestion>;

// Defined in steps.cpp.
void add_steps_questions(Questions& questions);
void add_versions_questions(Questions& questions);
void add_children_questions(Questions& questions);

// Defined in orders.cpp.
void add_ends_questions(Questions& questions);
void add_receipts_questions(Questions& questions);
void add_reversals_questions(Questions& questions);
void add_external_refunds_questions(Questions& questions);
void add_returns_questions(Questions& questions);
void add_channel_settlements_questions(Questions& questions);
void add_refunds_questions(Questions& questions);
void add_deliveries_questions(Questions& questions);
void add_time_questions(Questions& questions);

// Defined in authorizations.cpp.
void add_authorizations_questions(Questions& questions);
void add_captures_questions(Questions& questions);
void add_hold_amounts_questions(Questions& questions);
void add_authorization_deliveries_questions(Questions& questions);
void add_authorization_time_questions(Questions& questions);

// Defined in ledger.cpp.
void add_ledger_questions(Questions& questions);
void add_postings_questions(Questions& questions);

// Defined in approvals.cpp.
void add_approvals_questions(Questions& questions);

// Defined in channel_accounts.cpp.
void add_channel_accounts_questions(Questions& questions);

// Defined in unknown_receipts.cpp.
void add_unknown_receipts_questions(Questions& questions);

// Defined in statements.cpp.
void add_statements_questions(Questions& questions);

// Defined in accounts.cpp.
void add_accounts_questions(Questions& questions);
void add_holds_questions(Questions& questions);
void add_transfers_questions(Questions& questions);

// Defined in wallet.cpp.
void add_wallet_questions(Questions& questions);
void add_wallet_holds_questions(Questions& questions);
void add_fees_questions(Questions& questions);

// Defined in archived.cpp.
void add_archived_orders_questions(Questions& questions);

// Defined in keys.cpp.
void add_keys_questions(Questions& questions);

}  // namespace finality::audit
