#include "sim/mutation/unreached.h"

#include <algorithm>
#include <array>
#include <span>

namespace finality::sim {
namespace {

struct Reason {
  std::string_view machine;
  std::array<std::string_view, 9> states;
  std::string_view event;
  std::string_view why;
};

constexpr std::string_view kNotSettledAgain = "a final order is not settled again";
constexpr std::string_view kHeld = "an order with a hold is settled only by the end of the hold";
constexpr std::string_view kSameCurrency = "simulated channels hold the whole amount in one currency";
constexpr std::string_view kSameAmount = "simulated channels capture the requested amount, once per number";
constexpr std::string_view kEndIsKnown =
    "known evidence is older than the end of its authorization, or about a trade whose capture has ended with a "
    "receipt";
constexpr std::string_view kOneHold = "simulated channels have one hold per number";
constexpr std::string_view kOnlyOpen = "closing an order closes only its open authorizations";
constexpr std::string_view kReleaseBegins = "the first request to release an authorization moves it to `releasing`";
constexpr std::string_view kDueToBeSent = "only rows that are due for sending are claimed for sending";
constexpr std::string_view kNumberInvalid = "a refusal ends its number; only a late `refunded` can still arrive for it";
constexpr std::string_view kOperatorsLook = "operators can decide only while the reversal is blocked";
constexpr std::string_view kOnlyUnderReview = "only a payment under review is accepted or rejected by operators";
constexpr std::string_view kOneDecision =
    "simulated channels report an unknown payment unchanged, so a receipt has one case and one decision";
constexpr std::string_view kClaimLost =
    "a server works only on a statement that it has claimed, and a step without the claim is refused before";
constexpr std::string_view kCaseDecides = "a difference that is not open has no case that operators can approve";

constexpr Reason kNever[] = {
    {"order", {"succeeded", "failed", "closed"}, "result_outstanding", kNotSettledAgain},
    {"order", {"succeeded", "failed", "closed"}, "result_received", kNotSettledAgain},
    {"order", {"authorized"}, "result_outstanding", kHeld},
    {"order", {"authorized"}, "result_received", kHeld},
    {"order", {"authorized"}, "authorized", kHeld},
    {"authorization",
     {"processing", "pending", "authorized", "releasing", "captured", "released", "failed", "closed"},
     "send",
     kDueToBeSent},
    {"authorization", {"authorized", "releasing", "captured", "released"}, "authorized_mismatch", kSameCurrency},
    {"authorization", {"created", "processing", "pending"}, "already_known", kEndIsKnown},
    {"authorization", {"authorized", "releasing"}, "already_known", kOneHold},
    {"authorization", {"captured", "released", "failed", "closed"}, "close_locally", kOnlyOpen},
    {"authorization", {"authorized"}, "release_again", kReleaseBegins},
    {"authorization", {"authorized"}, "release_refused", kReleaseBegins},
    {"authorization", {"captured"}, "captured", "the end of a chase is a note, not an event"},
    {"authorization", {"released", "failed", "closed"}, "released", "the end of a chase is a note, not an event"},
    {"capture", {"processing", "succeeded", "failed"}, "send", kDueToBeSent},
    {"capture",
     {"processing"},
     "captured_unexpectedly",
     "an authorization does not end while a capture of ours is open"},
    {"capture", {"succeeded"}, "captured_unexpectedly", kSameAmount},
    {"capture", {"pending", "processing", "succeeded", "failed"}, "captured_mismatch", kSameAmount},
    {"capture", {"pending", "processing"}, "already_known", kEndIsKnown},
    {"payment", {"processing", "pending", "under_review", "succeeded", "failed", "closed"}, "send", kDueToBeSent},
    {"payment",
     {"created", "processing", "pending", "succeeded", "failed", "closed"},
     "mismatch_accepted",
     kOnlyUnderReview},
    {"payment",
     {"created", "processing", "pending", "succeeded", "failed", "closed"},
     "mismatch_rejected",
     kOnlyUnderReview},
    {"payment", {"succeeded", "failed", "closed"}, "close_locally", "closing an order closes only open payments"},
    {"payment",
     {"created", "processing", "pending"},
     "already_known",
     "a known receipt and a later result require a final payment"},
    {"refund", {"processing", "succeeded", "failed"}, "send", kDueToBeSent},
    {"reversal", {"processing", "succeeded", "settled_offline"}, "send", kDueToBeSent},
    {"reversal", {"blocked", "settled_offline"}, "accepted", kNumberInvalid},
    {"reversal", {"blocked", "settled_offline"}, "try_again", kNumberInvalid},
    {"reversal", {"blocked", "settled_offline"}, "not_now", kNumberInvalid},
    {"reversal", {"blocked", "settled_offline"}, "refused", kNumberInvalid},
    {"reversal", {"blocked", "settled_offline"}, "not_found", kNumberInvalid},
    {"reversal", {"blocked", "settled_offline"}, "unknown", kNumberInvalid},
    {"reversal", {"pending", "processing", "succeeded", "settled_offline"}, "retry", kOperatorsLook},
    {"reversal", {"pending", "processing", "succeeded", "settled_offline"}, "settled_offline", kOperatorsLook},
    {"reversal",
     {"processing", "succeeded", "settled_offline"},
     "nothing_left",
     "a reversal at the channel keeps its amount until it succeeds"},
    {"delivery",
     {"delivered", "exhausted"},
     "unwanted",
     "only pending deliveries check whether their endpoint still exists"},
    {"delivery", {"delivered"}, "give_up", "a successful delivery settles its case"},
    {"case", {"resolved"}, "evidence", "further evidence is added to an open case or opens a new one"},
    {"case", {"resolved"}, "settled", "only open cases are settled"},
    {"transfer", {"refused"}, "refuse", "a transfer is refused only when it is created"},
    {"unknown_receipt", {"assigned", "cancelled"}, "assign", kOneDecision},
    {"unknown_receipt", {"assigned", "cancelled"}, "cancel", kOneDecision},
    {"statement", {"expected"}, "not_ready", kClaimLost},
    {"statement", {"expected", "received", "matching", "matched", "rejected"}, "report_empty", kClaimLost},
    {"statement", {"expected", "downloading", "matched", "rejected", "empty"}, "match", kClaimLost},
    {"statement", {"expected", "downloading", "received", "rejected", "empty"}, "finish", kClaimLost},
    {"statement", {"matched"}, "finish", kClaimLost},
    {"statement", {"expected", "downloading", "received", "matched", "rejected"}, "reject", kClaimLost},
    {"statement", {"empty"}, "reject", kClaimLost},
    {"difference", {"carried", "repaired", "resolved"}, "resolve", kCaseDecides},
};

constexpr std::string_view kWaitsForSend =
    "it waits for its send only after `not_found` or beside another one, so the channel rarely has a result";
constexpr std::string_view kLateFalseResult = "the channel denied it, and a different report arrives late";
constexpr std::string_view kReportUnderWay =
    "no request is in progress in this state, so the report was in flight when the row reached it";
constexpr std::string_view kRaisedAtTheEnd = "another system raises the hold just before its end is recorded";
constexpr std::string_view kChasedLate = "a hold is found and released after its authorization has ended";
constexpr std::string_view kTwoTries = "two concurrent attempts with a decision of operators in between";
constexpr std::string_view kTwoClocks = "a queued claim and an engine with a slow clock";
constexpr std::string_view kFetchedInBetween = "an operator fetches the statement while a server works on it";
constexpr std::string_view kTwoServers = "two servers compare a statement, or operators decide in between";

constexpr Reason kSeldom[] = {
    {"payment", {"created"}, "waiting", kWaitsForSend},
    {"payment", {"created"}, "paid_unexpectedly", kWaitsForSend},
    {"payment", {"created"}, "paid_mismatch", kWaitsForSend},
    {"payment", {"created"}, "closed", kWaitsForSend},
    {"payment", {"created"}, "unknown", kWaitsForSend},
    {"payment", {"succeeded"}, "not_found_while_closing", kLateFalseResult},
    {"authorization", {"created"}, "waiting", kWaitsForSend},
    {"authorization", {"created"}, "authorized", kWaitsForSend},
    {"authorization", {"created"}, "authorized_unexpectedly", kWaitsForSend},
    {"authorization", {"created"}, "authorized_mismatch", kWaitsForSend},
    {"authorization", {"created"}, "failed", kWaitsForSend},
    {"authorization", {"created"}, "closed", kWaitsForSend},
    {"authorization", {"created"}, "not_found", kWaitsForSend},
    {"authorization", {"created"}, "unknown", kWaitsForSend},
    {"authorization", {"created"}, "close_locally", "a local close while it waits for its send"},
    {"authorization", {"captured", "released"}, "authorized_unexpectedly", kRaisedAtTheEnd},
    {"authorization", {"releasing", "captured", "released", "failed", "closed"}, "waiting", kLateFalseResult},
    {"authorization", {"releasing", "captured", "released", "failed", "closed"}, "failed", kLateFalseResult},
    {"authorization", {"releasing", "captured", "released", "failed", "closed"}, "closed", kLateFalseResult},
    {"authorization", {"releasing", "captured", "released", "failed", "closed"}, "not_found", kLateFalseResult},
    {"authorization",
     {"authorized", "releasing", "captured", "released", "failed", "closed"},
     "not_found_while_closing",
     kLateFalseResult},
    {"authorization", {"captured", "failed"}, "unknown", kChasedLate},
    {"authorization", {"captured", "released", "failed", "closed"}, "release_again", kChasedLate},
    {"authorization", {"captured", "released", "failed", "closed"}, "release_refused", kChasedLate},
    {"authorization", {"releasing"}, "close_locally", "a local close while a release has no result"},
    {"capture", {"pending"}, "accepted", kReportUnderWay},
    {"capture", {"pending"}, "refused", kReportUnderWay},
    {"capture", {"pending"}, "not_now", kReportUnderWay},
    {"capture", {"pending"}, "not_found", kReportUnderWay},
    {"capture", {"pending"}, "unknown", kReportUnderWay},
    {"capture", {"succeeded", "failed"}, "accepted", kLateFalseResult},
    {"capture", {"succeeded", "failed"}, "not_now", kLateFalseResult},
    {"capture", {"succeeded", "failed"}, "not_found", kLateFalseResult},
    {"capture", {"failed"}, "unknown", kLateFalseResult},
    {"refund", {"pending"}, "accepted", kReportUnderWay},
    {"refund", {"pending"}, "not_now", kReportUnderWay},
    {"refund", {"succeeded", "failed"}, "not_now", kReportUnderWay},
    {"refund", {"pending"}, "try_again", kReportUnderWay},
    {"refund", {"pending"}, "refused", kReportUnderWay},
    {"refund", {"succeeded", "failed"}, "try_again", kLateFalseResult},
    {"refund", {"failed"}, "not_found", kLateFalseResult},
    {"reversal", {"pending"}, "accepted", kReportUnderWay},
    {"reversal", {"pending"}, "refunded", kLateFalseResult},
    {"reversal", {"pending", "succeeded"}, "not_now", kReportUnderWay},
    {"reversal", {"pending"}, "try_again", kReportUnderWay},
    {"reversal", {"pending"}, "refused", kReportUnderWay},
    {"reversal", {"pending"}, "unknown", kReportUnderWay},
    {"reversal", {"succeeded"}, "try_again", kLateFalseResult},
    {"reversal", {"succeeded"}, "refused", kLateFalseResult},
    {"reversal", {"succeeded"}, "not_found", kLateFalseResult},
    {"reversal", {"blocked", "settled_offline"}, "refunded", kLateFalseResult},
    {"delivery", {"pending"}, "give_up", kTwoTries},
    {"delivery", {"exhausted", "given_up"}, "acknowledged", kTwoTries},
    {"delivery", {"exhausted", "given_up"}, "unanswered", kTwoTries},
    {"delivery", {"given_up"}, "attempts_used_up", kTwoTries},
    {"delivery", {"given_up"}, "give_up", kTwoTries},
    {"delivery", {"given_up"}, "unwanted", kTwoTries},
    {"hold", {"posted", "voided"}, "expire", kTwoClocks},
    {"statement", {"received", "matching"}, "fetch", kFetchedInBetween},
    {"statement", {"received", "matching"}, "receive", kFetchedInBetween},
    {"statement", {"received", "matching", "matched", "rejected", "empty"}, "not_ready", kFetchedInBetween},
    {"difference", {"repaired", "resolved"}, "find", kTwoServers},
    {"difference", {"open", "repaired", "resolved"}, "carry", kTwoServers},
    {"difference", {"resolved"}, "repair", kTwoServers},
};

std::string_view find_reason(std::span<const Reason> reasons, CellId id) {
  const fsm::View& view = machine_of(id);
  for (const Reason& reason : reasons)
    if (reason.machine == view.name && reason.event == view.events[id.event] &&
        std::ranges::find(reason.states, view.states[id.state].name) != reason.states.end())
      return reason.why;
  return {};
}

}  // namespace

std::string_view unreachable_reason(CellId id) { return find_reason(kNever, id); }

std::string_view rare_reason(CellId id) { return find_reason(kSeldom, id); }

}  // namespace finality::sim
