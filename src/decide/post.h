// Posts to the ledger within a decision.
#pragma once

#include <optional>

#include "decide/context.h"
#include "ledger/post.h"

namespace finality {

/// Posts and returns the journal id. An amount of 0 is not posted. A posting that fails is a finding, which undoes the
/// command. REQUIRES: its accounts were declared (ledger::add_reads).
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
