#include "worker/perform_channel_call.h"

#include <utility>

#include "worker/ask_channel.h"
#include "worker/report_result.h"

namespace finality {
namespace {

void report_evidence(const std::shared_ptr<Outside>& outside, const ChannelCall& call, const net::Outcome& outcome,
                     Evidence evidence, Ticket ticket) {
  const Payment& payment = call.payment;
  const bool asked = call.kind == ChannelCallKind::query_payment;
  Cause cause{asked ? CauseKind::query : CauseKind::channel_reply,
              exchange_detail(name_of(call.kind), outcome, name_of(evidence.kind), evidence.code, evidence.message)};
  RecordEvidence command{payment.merchant_id, payment.id, payment.channel, payment.out_trade_no, std::move(evidence)};
  report_result(outside, {.command = std::move(command), .merchant_id = payment.merchant_id, .cause = std::move(cause)},
                std::move(ticket));
}

// The payment is owed an answer that nobody here can ask for: that must show, and the asking must go on.
void report_missing_channel(const std::shared_ptr<Outside>& outside, const ChannelCall& call, Time now, Ticket ticket) {
  const bool asked = call.kind == ChannelCallKind::query_payment;
  Evidence evidence{.kind = EvidenceKind::unknown,
                    .source = asked ? CauseKind::query : CauseKind::channel_reply,
                    .asked_at = now,
                    .code = "channel_not_configured",
                    .message = "this server has no channel named " + call.payment.channel};
  const net::Outcome outcome{.failure = evidence.message};
  report_evidence(outside, call, outcome, std::move(evidence), std::move(ticket));
}

}  // namespace

void perform_channel_call(const std::shared_ptr<Outside>& outside, ChannelCall call, Ticket ticket) {
  const Time now = outside->clock.now();
  if (now >= call.deadline) {
    ++outside->counters.effects_late;
    return;
  }
  const Channel* channel = find_channel(outside->channels, call.payment.channel);
  if (channel == nullptr) return report_missing_channel(outside, call, now, std::move(ticket));

  UpstreamRequest request = channel->request_of(call, now);
  const Time deadline = call.deadline;
  ask_channel(outside, std::move(request), now, deadline,
              [outside, channel, call = std::make_shared<const ChannelCall>(std::move(call)), now,
               ticket = std::move(ticket)](const net::Outcome& outcome) {
                report_evidence(outside, *call, outcome, channel->evidence_of(*call, response_of(outcome), now),
                                ticket);
              });
}

}  // namespace finality
