#include "worker/perform_channel_call.h"

#include <utility>

#include "worker/ask_channel.h"
#include "worker/report_result.h"

namespace finality {
namespace {

CauseKind cause_kind_of(const ChannelCall& call) {
  return call.kind == ChannelCallKind::query_payment ? CauseKind::query : CauseKind::channel_reply;
}

void report(const std::shared_ptr<Outside>& outside, const ChannelCall& call, Evidence evidence, Cause cause,
            Ticket ticket) {
  const Payment& payment = call.payment;
  RecordEvidence command{payment.merchant_id, payment.id, payment.channel, payment.out_trade_no, std::move(evidence)};
  report_result(outside, {.command = std::move(command), .merchant_id = payment.merchant_id, .cause = std::move(cause)},
                std::move(ticket));
}

void report_heard(const std::shared_ptr<Outside>& outside, const ChannelCall& call, const Heard& heard,
                  Evidence evidence, Ticket ticket) {
  report(outside, call, std::move(evidence), cause_of(cause_kind_of(call), name_of(call.kind), heard, call.traceparent),
         std::move(ticket));
}

// Nothing left the machine: why not must show, and the asking must go on.
void report_unsent(const std::shared_ptr<Outside>& outside, const ChannelCall& call, Time now, std::string code,
                   std::string message, Ticket ticket) {
  Evidence evidence{.kind = EvidenceKind::unknown,
                    .source = cause_kind_of(call),
                    .asked_at = now,
                    .code = std::move(code),
                    .message = std::move(message)};
  const Heard heard = unheard(evidence.message);
  report_heard(outside, call, heard, std::move(evidence), std::move(ticket));
}

// The payer carries the request to the channel: what the channel would have said is known.
void report_known(const std::shared_ptr<Outside>& outside, const ChannelCall& call, Evidence evidence, Ticket ticket) {
  Cause cause{.kind = cause_kind_of(call),
              .trigger = CallResult{.call = name_of(call.kind), .asked = false},
              .traceparent = call.traceparent};
  report(outside, call, std::move(evidence), std::move(cause), std::move(ticket));
}

// Where an answer is owed already it stays owed. Where none is, nothing has been asked, so nothing becomes owed either:
// the row comes due again by itself.
void hold_back(const std::shared_ptr<Outside>& outside, const ChannelCall& call, Time now, Ticket ticket) {
  if (payment_machine.due_effect(call.payment.state) != PaymentEffect::query) return;
  report_unsent(outside, call, now, kHeldCode, held_message(call.payment.channel), std::move(ticket));
}

}  // namespace

void perform_channel_call(const std::shared_ptr<Outside>& outside, ChannelCall call, Ticket ticket) {
  const Time now = outside->clock.now();
  if (now >= call.deadline) {
    ++outside->counters.effects_late;
    return;
  }
  const std::string& name = call.payment.channel;
  const Channel* channel = find_channel(outside->channels, name);
  if (channel == nullptr)
    return report_unsent(outside, call, now, "channel_not_configured", "this server has no channel named " + name,
                         std::move(ticket));
  if (auto known = channel->answer_without_asking(call, now))
    return report_known(outside, call, std::move(*known), std::move(ticket));

  const auto asked = std::make_shared<const ChannelCall>(std::move(call));
  const bool sent =
      ask_channel(outside,
                  {*channel, asked->payment.out_trade_no, [&] { return channel->request_of(*asked, now); }, now,
                   asked->deadline, asked->traceparent},
                  [outside, channel, asked, now, ticket](const Heard& heard) {
                    Evidence evidence = channel->evidence_of(*asked, heard.response, now);
                    note_doubts(*outside, *channel, heard, evidence.code, evidence.message);
                    report_heard(outside, *asked, heard, std::move(evidence), ticket);
                  });
  if (!sent) hold_back(outside, *asked, now, std::move(ticket));
}

}  // namespace finality
