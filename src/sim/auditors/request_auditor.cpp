#include "sim/auditors/request_auditor.h"

#include <algorithm>

namespace finality::sim {
namespace {

constexpr const char* kRequests = "10 channel requests";

bool is_among(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

}  // namespace

void RequestAuditor::look_at(const Event& event) {
  const bool is_request = event.object_type == ObjectType::payment || event.object_type == ObjectType::refund ||
                          event.object_type == ObjectType::reversal;
  if (!is_request) return;
  const ObjectRef object(event.object_type, event.object_id);
  Sendings& sendings = sendings_[object];
  if (is_among(event.event, {"try_again", "refused", "retry"})) sendings.may_be_renewed = true;
  if (is_among(event.event, {"accepted", "waiting", "not_now", "try_again", "refused", "send_again"}))
    sendings.in_vain = 0;
  if (event.event != "send") return;
  ++sendings.in_vain;
  // Refunds and reversals continue to be sent, at long intervals. Engines' clocks differ.
  const bool is_seldom =
      object.type != ObjectType::payment && event.at - sendings.sent_at > policy_.resend_pause_exhausted / 2;
  findings_.require(sendings.in_vain <= policy_.sends_max || is_seldom, kRequests,
                    "{} was sent {} times, but the channel has no record of it", to_text(object), sendings.in_vain);
  sendings.sent_at = event.at;
}

// Uses the instants of the decisions, because engines' clocks differ.
void RequestAuditor::look_at(const RefundCall& call) {
  if (is_query(call)) return;
  Sendings& sendings = sendings_[call.row];
  findings_.require(sendings.number.empty() || sendings.number == call.out_refund_no || sendings.may_be_renewed,
                    kRequests, "{} is sent as {}, although {} may still be paid", to_text(call.row), call.out_refund_no,
                    sendings.number);
  sendings.number = call.out_refund_no;
  sendings.may_be_renewed = false;
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
