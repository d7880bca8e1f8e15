// Posts to the ledger as part of a decision.
#pragma once

#include <optional>
#include <string>

#include "decide/context.h"
#include "decide/payment/collector.h"
#include "ledger/post.h"

namespace finality {

/// A posting in the merchant's books, over the collector's channel account, for a document of the collector: a receipt,
/// refund, reversal, return or fee.
inline ledger::Posting posting_for(const Collector& collector, EntryType type, ObjectRef document, Currency currency,
                                   MinorUnits amount) {
  return {.type = type,
          .merchant_id = collector.merchant_id,
          .channel = std::string(collector.channel),
          .currency = currency,
          .amount = amount,
          .document = document,
          .root_id = collector.order_id.value,
          .channel_account = collector.channel_account_id,
          .funds = collector.funds};
}

/// Posts and returns the journal id, which is the id of the first entry. Empty for an amount of 0, and when the posting
/// fails. A failure is added to Context::findings, so the command is undone. REQUIRES: ledger::add_reads() added the
/// accounts.
inline std::optional<EntryId> post(Context& context, const ledger::Posting& posting) {
  if (posting.amount == 0) return std::nullopt;
  if (posting.amount < 0) {
    context.findings.push_back(to_text(posting.document) + " has a posting with a negative amount");
    return std::nullopt;
  }
  const auto journal = ledger::post(posting, context.rows, context.ids, context.now);
  if (journal) return *journal;
  context.findings.push_back(journal.error());
  return std::nullopt;
}

}  // namespace finality
