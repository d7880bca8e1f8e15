// Previews what the approval of a resolution posts: decides the approval on rows that are never committed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "decide/exception/approve_resolution.h"
#include "model/objects/account.h"
#include "model/objects/entry.h"
#include "model/policy.h"
#include "model/working_set.h"

namespace finality {

/// An entry that the approval posts, and its account. Ids and balances are those of the preview, not of a commit.
struct PreviewedEntry {
  Entry entry;
  Account account;
};

/// What an approval of the resolution does to the books.
struct ResolutionPreview {
  std::string resolution;
  std::vector<PreviewedEntry> entries{};  // in the order of the postings; empty: the approval moves no money
  std::optional<Refusal> refusal{};       // of the proposal or of the approval; `entries` is then empty
};

/// Adds the rows that preview_resolution() reads.
void add_reads_of_preview(const ApproveResolution& approval, ReadSet& reads);

/// Decides the proposal of `approval.resolution` and its approval at `now`, as the engine decides the commands of two
/// operators, and returns the entries. `approval` names the accounts to load, and in `assign_to` the merchant of the
/// resolution `assign`; its `approved_by` and `reviewed_merchant` are not used. Changes `rows`, which must not be
/// committed. REQUIRES: `approval.resolution` is set, and `rows` contains the rows of add_reads_of_preview().
ResolutionPreview preview_resolution(const ApproveResolution& approval, WorkingSet& rows, const Policy& policy,
                                     Time now);

}  // namespace finality
