#include "worker/effects/perform_call.h"

#include <utility>

#include "channel/authorizations.h"
#include "channel/refunds.h"
#include "worker/effects/report_result.h"
#include "worker/effects/send_request.h"

namespace finality {
namespace {

// ---- Overloads for the types of calls

// Returns the interface of the channel that builds requests and reads responses for such calls.
const Channel& adapter_of(const Channel& channel, const ChannelCall&) { return channel; }
const Refunds& adapter_of(const Channel& channel, const RefundCall&) { return *channel.refunds(); }
const Authorizations& adapter_of(const Channel& channel, const AuthorizationCall&) { return *channel.authorizations(); }
const Authorizations& adapter_of(const Channel& channel, const CaptureCall&) { return *channel.authorizations(); }

template <class Row>
SettleWalletHold settle_hold(const Row& row) {
  return {row.merchant_id, row.order_id, row.id, row.currency};
}

// Returns the command that performs a call about an authorization of the wallet; empty for other calls.
std::optional<SettleWalletHold> wallet_command_of(const ChannelCall&) { return std::nullopt; }
std::optional<SettleWalletHold> wallet_command_of(const RefundCall&) { return std::nullopt; }
std::optional<SettleWalletHold> wallet_command_of(const AuthorizationCall& call) {
  return channel_of(call) == kWallet ? std::optional(settle_hold(call.authorization)) : std::nullopt;
}
std::optional<SettleWalletHold> wallet_command_of(const CaptureCall& call) {
  return channel_of(call) == kWallet ? std::optional(settle_hold(call.capture)) : std::nullopt;
}

// Returns the evidence if no request is needed, because the payer's browser or app submits the request to the channel.
std::optional<Evidence> answer_without_asking(const Channel& channel, const ChannelCall& call, Time now) {
  return channel.answer_without_asking(call, now);
}
// Returns evidence without a request if the channel does not support refunds. A refund is refused, so that an operator
// is notified; a query leaves the result of an earlier refund unknown.
std::optional<RefundEvidence> answer_without_asking(const Channel& channel, const RefundCall& call, Time now) {
  if (channel.refunds() != nullptr) return std::nullopt;
  return RefundEvidence{.kind = is_query(call) ? RefundEvidenceKind::unknown : RefundEvidenceKind::refused,
                        .source = source_of(call),
                        .asked_at = now,
                        .code = "refunds_not_supported",
                        .message = "the channel " + call.channel + " does not support refunds"};
}
// Returns the evidence that a channel without authorizations gives. A send fails; any other request leaves the result
// of an earlier one unknown.
template <class AnEvidence>
AnEvidence no_authorizations(const std::string& channel, bool is_send, CauseKind source, Time now) {
  AnEvidence evidence;
  if (is_send) evidence.kind = decltype(evidence.kind)::failed;
  evidence.source = source;
  evidence.asked_at = now;
  evidence.code = "authorizations_not_supported";
  evidence.message = "the channel " + channel + " does not support authorizations";
  return evidence;
}
std::optional<AuthorizationEvidence> answer_without_asking(const Channel& channel, const AuthorizationCall& call,
                                                           Time now) {
  if (const Authorizations* adapter = channel.authorizations()) return adapter->answer_without_asking(call, now);
  const bool is_send = call.kind == AuthorizationCallKind::send_authorization;
  return no_authorizations<AuthorizationEvidence>(channel_of(call), is_send, source_of(call), now);
}
std::optional<Evidence> answer_without_asking(const Channel& channel, const CaptureCall& call, Time now) {
  if (channel.authorizations() != nullptr) return std::nullopt;
  return no_authorizations<Evidence>(channel_of(call), !is_query(call), source_of(call), now);
}

// ---- Functions for all types of calls

template <class Call>
using EvidenceOf =
    decltype(answer_without_asking(std::declval<const Channel&>(), std::declval<const Call&>(), {}))::value_type;

template <class Call>
void report(const std::shared_ptr<EffectContext>& context, const Call& call, Command command, Cause cause,
            Permit permit) {
  report_result(context, {.command = std::move(command), .merchant_id = merchant_of(call), .cause = std::move(cause)},
                std::move(permit));
}

template <class Call>
void report_reply(const std::shared_ptr<EffectContext>& context, const Call& call, const ChannelReply& reply,
                  EvidenceOf<Call> evidence, Permit permit) {
  Cause cause = cause_of(source_of(call), name_of(call.kind), reply, call.traceparent);
  report(context, call, record_of(call, std::move(evidence)), std::move(cause), std::move(permit));
}

// Records that no request was sent. The timeline then shows the reason, and the result remains outstanding.
template <class Call>
void report_unsent(const std::shared_ptr<EffectContext>& context, const Call& call, Time now, std::string code,
                   std::string message, Permit permit) {
  EvidenceOf<Call> evidence;
  evidence.source = source_of(call);
  evidence.asked_at = now;
  evidence.code = std::move(code);
  evidence.message = std::move(message);
  const ChannelReply reply = no_reply(evidence.message);
  report_reply(context, call, reply, std::move(evidence), std::move(permit));
}

// Answers the clients that wait for the result of a call that was not sent.
template <class Call>
void release_client(EffectContext& context, const Call& call) {
  context.engine.release_unsent(merchant_of(call), {row_of(call), name_of(call.kind)});
}

// Records evidence that needs no request.
template <class Call>
void report_known(const std::shared_ptr<EffectContext>& context, const Call& call, Command command, Permit permit) {
  Cause cause{.kind = source_of(call),
              .trigger = CallResult{.call = name_of(call.kind), .called = false},
              .traceparent = call.traceparent};
  report(context, call, std::move(command), std::move(cause), std::move(permit));
}

}  // namespace

template <class Call>
void perform_call(const std::shared_ptr<EffectContext>& context, Call call, Permit permit) {
  const Time now = context->clock.now();
  if (now >= call.deadline) {
    ++context->counters.effects_late;
    return;
  }
  if (auto command = wallet_command_of(call)) {
    Cause cause{.kind = CauseKind::timer, .traceparent = call.traceparent};
    return report(context, call, std::move(*command), std::move(cause), std::move(permit));
  }
  const std::string& name = channel_of(call);
  const Channel* channel = find_channel(context->channels, name);
  if (channel == nullptr) {
    report_unsent(context, call, now, "channel_not_configured", "this server has no channel named " + name,
                  std::move(permit));
    return release_client(*context, call);
  }
  if (auto known = answer_without_asking(*channel, call, now))
    return report_known(context, call, record_of(call, std::move(*known)), std::move(permit));

  const auto pending_call = std::make_shared<const Call>(std::move(call));
  const bool sent = send_request(
      context,
      {*channel, number_of(*pending_call),
       [&] { return adapter_of(*channel, *pending_call).request_of(*pending_call, now); }, now, pending_call->deadline,
       pending_call->traceparent},
      [context, channel, pending_call, now, permit](const ChannelReply& reply) {
        EvidenceOf<Call> evidence = adapter_of(*channel, *pending_call).evidence_of(*pending_call, reply.response, now);
        warn_of_config(*context, *channel, reply, evidence.code, evidence.message);
        report_reply(context, *pending_call, reply, std::move(evidence), permit);
      });
  if (sent) return;
  // If no result is outstanding, no earlier request was sent and nothing is recorded. The row becomes due again.
  if (is_result_outstanding(*pending_call))
    report_unsent(context, *pending_call, now, kHeldCode, held_message(channel_of(*pending_call)), std::move(permit));
  release_client(*context, *pending_call);
}

template void perform_call(const std::shared_ptr<EffectContext>&, ChannelCall, Permit);
template void perform_call(const std::shared_ptr<EffectContext>&, RefundCall, Permit);
template void perform_call(const std::shared_ptr<EffectContext>&, AuthorizationCall, Permit);
template void perform_call(const std::shared_ptr<EffectContext>&, CaptureCall, Permit);

}  // namespace finality
