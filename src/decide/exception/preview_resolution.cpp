#include "decide/exception/preview_resolution.h"

#include <utility>

#include "decide/decide.h"
#include "decide/invariants.h"

namespace finality {
namespace {

// Ids of the preview are greater than those of all loaded rows, so they are equal to none of them.
constexpr Time kIdsNotBefore{time_of_id(kLargestId).ms - 1000};

ProposeResolution proposal_of(const ApproveResolution& approval) {
  return {.merchant_id = approval.merchant_id,
          .root = approval.root,
          .case_id = approval.case_id,
          .resolution = *approval.resolution,
          .note = {},
          .proposed_by = "proposer",
          .assign_to = approval.assign_to};
}

ApproveResolution approval_by_another(ApproveResolution approval) {
  approval.approved_by = "approver";
  approval.reviewed_merchant = approval.assign_to;
  return approval;
}

// Returns the refusal of the command, or of its violation of an invariant, which the engine undoes.
std::optional<Refusal> carry_out(const Command& command, WorkingSet& rows, IdGenerator& ids, const Policy& policy,
                                 Time now) {
  const Cause cause{.kind = CauseKind::operator_};
  std::vector<Effect> effects;
  std::vector<std::string> findings;
  Context context{rows, ids, policy, now, cause, effects, findings};
  const Decision decision = decide(command, context);
  if (findings.empty()) findings = broken_invariants(rows);
  if (!findings.empty())
    return Refusal{RefusalCode::illegal_transition, "The approval would violate an invariant of the ledger.", {}, {}};
  if (!decision) return decision.error();
  return std::nullopt;
}

}  // namespace

void add_reads_of_preview(const ApproveResolution& approval, ReadSet& reads) {
  reads.owners.push_back(approval.merchant_id);
  add_reads(proposal_of(approval), reads);
  add_reads(approval, reads);
}

ResolutionPreview preview_resolution(const ApproveResolution& approval, WorkingSet& rows, const Policy& policy,
                                     Time now) {
  IdGenerator ids(0, kIdsNotBefore);
  ResolutionPreview preview{.resolution = *approval.resolution};
  preview.refusal = carry_out(proposal_of(approval), rows, ids, policy, now);
  if (preview.refusal) return preview;
  rows.accept();
  preview.refusal = carry_out(approval_by_another(approval), rows, ids, policy, now);
  if (preview.refusal) return preview;
  for (std::size_t i = rows.entries_accepted(); i < rows.entries.size(); ++i)
    preview.entries.push_back({rows.entries[i], *rows.accounts.find(rows.entries[i].account_id)});
  return preview;
}

}  // namespace finality
