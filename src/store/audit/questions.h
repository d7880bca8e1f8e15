// The auditor's questions, one file per subject (store/audit/audit.h), in SQL that SQLite and PostgreSQL both accept.
#pragma once

#include <vector>

#include "store/audit/audit.h"

namespace finality::audit {

using Questions = std::vector<AuditQuestion>;

// steps.cpp
void ask_about_steps(Questions& questions);
void ask_about_versions(Questions& questions);
void ask_about_children(Questions& questions);

// orders.cpp
void ask_about_ends(Questions& questions);
void ask_about_receipts(Questions& questions);
void ask_about_reversals(Questions& questions);
void ask_about_external_refunds(Questions& questions);
void ask_about_returns(Questions& questions);
void ask_about_refunds(Questions& questions);
void ask_about_deliveries(Questions& questions);
void ask_about_time(Questions& questions);

// ledger.cpp
void ask_about_the_ledger(Questions& questions);
void ask_about_postings(Questions& questions);

// channel_accounts.cpp
void ask_about_channel_accounts(Questions& questions);

// accounts.cpp
void ask_about_accounts(Questions& questions);
void ask_about_holds(Questions& questions);
void ask_about_transfers(Questions& questions);

// wallet.cpp
void ask_about_the_wallet(Questions& questions);
void ask_about_fees(Questions& questions);

// archived.cpp
void ask_about_archived_orders(Questions& questions);

// keys.cpp
void ask_about_keys(Questions& questions);

}  // namespace finality::audit
