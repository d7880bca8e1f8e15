// Previews what the approval of a resolution does: decides the approval, and the successful results of the requests to
// channels that follow it, on rows that are never committed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/described.h"
#include "decide/command.h"
#include "model/objects/account.h"
#include "model/objects/entry.h"
#include "model/policy.h"
#include "model/working_set.h"

namespace finality {

/// What a request asks of a channel.
enum class ChannelRequestKind : std::uint8_t { payment, refund, authorization, capture, release, close, query };
BOOST_DESCRIBE_ENUM(ChannelRequestKind, payment, refund, authorization, capture, release, close, query)

/// A request to a channel that follows the approval.
struct PreviewedRequest {
  std::string channel;
  ChannelRequestKind kind = ChannelRequestKind::query;
  std::optional<MinorUnits> amount{};  // empty: the request states no amount
  Currency currency{};
  bool operator==(const PreviewedRequest&) const = default;
};

/// An entry that follows the approval, and its account. Ids and balances are those of the preview, not of a commit.
struct PreviewedEntry {
  Entry entry;
  Account account;
  bool after_result = false;  // posted when the channel reports the success of a request, not with the approval
};

/// What an approval of the resolution does to the books, and what it requests from channels.
struct ResolutionPreview {
  std::string resolution;
  std::vector<PreviewedEntry> entries{};     // in the order of the postings
  std::vector<PreviewedRequest> requests{};  // in the order in which they are claimed
  std::optional<Refusal> refusal{};          // of the proposal or of the approval; the lists are then empty
  bool is_incomplete = false;                // more would follow: beyond limits::kPreviewStepsMax, or after a refusal
};

/// The steps of a preview: an approval, and the commands that follow it.
struct PreviewSteps {
  /// Names in `resolution` the previewed resolution, the accounts to load, and in `assign_to` the merchant of `assign`.
  /// `approved_by`, `reviewed_merchant` and `version` are not used.
  ApproveResolution approval;
  /// Claims of requests that become due, and the successful results of requests. Set by preview_resolution().
  std::vector<std::pair<Command, Time>> following{};
};

/// Adds the rows that preview_resolution() reads.
void add_reads_of_preview(const PreviewSteps& steps, ReadSet& reads);

/// Decides the proposal and the approval at `now`, as the engine decides the commands of two operators, and then the
/// commands that follow it. Captures, refunds and reversals succeed; the results of other requests post nothing before
/// the payer acts. Returns empty when further commands follow: they were added to `steps`, and the caller calls again
/// with newly loaded rows. Changes `rows`, which must not be committed. REQUIRES: `approval.resolution` is set, and
/// `rows` contains the rows of add_reads_of_preview().
std::optional<ResolutionPreview> preview_resolution(PreviewSteps& steps, WorkingSet& rows, const Policy& policy,
                                                    Time now);

/// Returns the request to a channel that an effect makes; empty for a webhook. Also used by tests.
std::optional<PreviewedRequest> request_of(const Effect& effect);

}  // namespace finality
