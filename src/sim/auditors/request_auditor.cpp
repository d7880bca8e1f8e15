#include "sim/auditors/request_auditor.h"

#include <algorithm>

namespace finality::sim {
namespace {

constexpr const char* kRequests = "10 channel requests";

bool is_among(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

void RequestAuditor::look_at(const Event& event) {
  constexpr ObjectType kTypes[] = {ObjectType::payment, ObjectType::authorization, ObjectType::capture,
                                   ObjectType::refund, ObjectType::reversal};
  if (std::ranges::find(kTypes, event.object_type) == std::end(kTypes)) return;
  const ObjectRef object(event.object_type, event.object_id);
  SendAttempts& attempts = attempts_[object];
  if (is_among(event.event, {"try_again", "refused", "retry"})) attempts.may_change_number = true;
  if (is_among(event.event, {"accepted", "waiting", "authorized", "not_now", "try_again", "refused", "send_again"}))
    attempts.without_result = 0;
  if (event.event != "send") return;
  ++attempts.without_result;
  // After the maximum, refunds and reversals are still sent after resend_pause_exhausted. The check accepts half of it,
  // because the clocks of the engines differ.
  const bool is_refund = object.type == ObjectType::refund || object.type == ObjectType::reversal;
  const bool is_after_pause = is_refund && event.at - attempts.sent_at > policy_.resend_pause_exhausted / 2;
  findings_.require(attempts.without_result <= policy_.sends_max || is_after_pause, kRequests,
                    "{} was sent {} times, but the channel has no record of it", to_text(object),
                    attempts.without_result);
  attempts.sent_at = event.at;
}

// Compares the deadlines of the calls, which engines derive from the time of the decision.
void RequestAuditor::look_at(const RefundCall& call) {
  if (is_query(call)) return;
  SendAttempts& attempts = attempts_[call.row];
  findings_.require(attempts.number.empty() || attempts.number == call.out_refund_no || attempts.may_change_number,
                    kRequests, "{} is sent as {}, although {} may still be paid", to_text(call.row), call.out_refund_no,
                    attempts.number);
  attempts.number = call.out_refund_no;
  attempts.may_change_number = false;
  const auto channel = policy_.channels.find(call.channel);
  const Duration pause = channel == policy_.channels.end() ? Duration{0} : channel->second.refund_pause;
  std::set<Time>& deadlines = deadlines_[{call.channel, call.channel_trade_no}];
  const auto next = deadlines.upper_bound(call.deadline - pause);
  findings_.require(next == deadlines.end() || *next >= call.deadline + pause, kRequests,
                    "{} is sent {} ms after another refund of {}", to_text(call.row), (call.deadline - *next).count(),
                    call.channel_trade_no);
  deadlines.insert(call.deadline);
}

}  // namespace finality::sim
