#include "worker/perform_refund_call.h"

#include <utility>

#include "channel/refunds.h"

#include "worker/ask_channel.h"
#include "worker/report_result.h"

namespace finality {
namespace {

void report_heard(const std::shared_ptr<Outside>& outside, const RefundCall& call, const Heard& heard,
                  RefundEvidence evidence, Ticket ticket) {
  Cause cause = cause_of(evidence.source, name_of(call.kind), heard, call.traceparent);
  RecordRefund command{call.merchant_id, call.order_id, call.row,    call.out_refund_no,
                       call.channel,     call.currency, call.amount, std::move(evidence)};
  report_result(outside, {.command = std::move(command), .merchant_id = call.merchant_id, .cause = std::move(cause)},
                std::move(ticket));
}

// Nothing left the machine: why not must show, and the asking must go on.
void report_unsent(const std::shared_ptr<Outside>& outside, const RefundCall& call, Time now, std::string code,
                   std::string message, Ticket ticket, RefundEvidenceKind kind = RefundEvidenceKind::unknown) {
  RefundEvidence evidence{.kind = kind, .asked_at = now, .code = std::move(code), .message = std::move(message)};
  if (call.kind == RefundCallKind::query_refund) evidence.source = CauseKind::query;
  const Heard heard = unheard(evidence.message);
  report_heard(outside, call, heard, std::move(evidence), std::move(ticket));
}

}  // namespace

void perform_refund_call(const std::shared_ptr<Outside>& outside, RefundCall call, Ticket ticket) {
  const Time now = outside->clock.now();
  if (now >= call.deadline) {
    ++outside->counters.effects_late;
    return;
  }
  const Channel* channel = find_channel(outside->channels, call.channel);
  if (channel == nullptr)
    return report_unsent(outside, call, now, "channel_not_configured",
                         "this server has no channel named " + call.channel, std::move(ticket));
  const Refunds* refunds = channel->refunds();
  if (refunds == nullptr)  // nothing will ever move, so a person has to
    return report_unsent(outside, call, now, "refunds_not_supported",
                         "the channel " + call.channel + " takes no refunds", std::move(ticket),
                         RefundEvidenceKind::refused);

  const auto asked = std::make_shared<const RefundCall>(std::move(call));
  const bool sent = ask_channel(outside,
                                {*channel, asked->out_refund_no, [&] { return refunds->request_of(*asked, now); }, now,
                                 asked->deadline, asked->traceparent},
                                [outside, channel, refunds, asked, now, ticket](const Heard& heard) {
                                  RefundEvidence evidence = refunds->evidence_of(*asked, heard.response, now);
                                  note_doubts(*outside, *channel, heard, evidence.code, evidence.message);
                                  report_heard(outside, *asked, heard, std::move(evidence), ticket);
                                });
  if (!sent) report_unsent(outside, *asked, now, kHeldCode, held_message(asked->channel), std::move(ticket));
}

}  // namespace finality
