#include "worker/perform_refund_call.h"

#include <utility>

#include "worker/ask_channel.h"
#include "worker/report_result.h"

namespace finality {
namespace {

void report_evidence(const std::shared_ptr<Outside>& outside, const RefundCall& call, const net::Outcome& outcome,
                     RefundEvidence evidence, Ticket ticket) {
  Cause cause{evidence.source,
              exchange_detail(name_of(call.kind), outcome, name_of(evidence.kind), evidence.code, evidence.message)};
  RecordRefund command{call.merchant_id, call.order_id, call.row,           call.out_refund_no,
                       call.channel,     call.currency, std::move(evidence)};
  report_result(outside, {.command = std::move(command), .merchant_id = call.merchant_id, .cause = std::move(cause)},
                std::move(ticket));
}

}  // namespace

void perform_refund_call(const std::shared_ptr<Outside>& outside, RefundCall call, Ticket ticket) {
  const Time now = outside->clock.now();
  if (now >= call.deadline) {
    ++outside->counters.effects_late;
    return;
  }
  const Channel* channel = find_channel(outside->channels, call.channel);
  if (channel == nullptr) {
    RefundEvidence evidence{.asked_at = now,
                            .code = "channel_not_configured",
                            .message = "this server has no channel named " + call.channel};
    const net::Outcome outcome{.failure = evidence.message};
    return report_evidence(outside, call, outcome, std::move(evidence), std::move(ticket));
  }
  UpstreamRequest request = channel->request_of(call, now);
  const Time deadline = call.deadline;
  ask_channel(outside, std::move(request), now, deadline,
              [outside, channel, call = std::make_shared<const RefundCall>(std::move(call)), now,
               ticket = std::move(ticket)](const net::Outcome& outcome) {
                report_evidence(outside, *call, outcome, channel->evidence_of(*call, response_of(outcome), now),
                                ticket);
              });
}

}  // namespace finality
