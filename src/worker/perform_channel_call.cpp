#include "worker/perform_channel_call.h"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <utility>

#include "worker/report_result.h"

namespace finality {
namespace {

// What the timeline says of the exchange: never a header or a body, since those may carry secrets.
std::string detail_of(const ChannelCall& call, const net::Outcome& outcome, const Evidence& evidence) {
  boost::json::object detail{{"call", name_of(call.kind)}, {"evidence", name_of(evidence.kind)}};
  if (outcome.answered) {
    detail["status"] = outcome.response.status;
  } else {
    detail["failure"] = outcome.failure;
    detail["sent"] = outcome.sent;
  }
  if (!evidence.code.empty()) detail["code"] = evidence.code;
  if (!evidence.message.empty()) detail["message"] = evidence.message;
  return boost::json::serialize(detail);
}

void report_evidence(const std::shared_ptr<Outside>& outside, const ChannelCall& call, const net::Outcome& outcome,
                     Evidence evidence, Ticket ticket) {
  const Payment& payment = call.payment;
  const bool asked = call.kind == ChannelCallKind::query_payment;
  Cause cause{asked ? CauseKind::query : CauseKind::channel_reply, detail_of(call, outcome, evidence)};
  RecordEvidence command{payment.merchant_id, payment.id, payment.channel, payment.out_trade_no, std::move(evidence)};
  report_result(outside,
                {.command = std::move(command), .merchant_id = payment.merchant_id, .cause = std::move(cause)},
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

void hear(const std::shared_ptr<Outside>& outside, const Channel& channel, const ChannelCall& call, Time asked_at,
          net::Outcome outcome, Ticket ticket) {
  UpstreamResponse response;
  if (outcome.answered) {
    response.http = outcome.response;
  } else {
    response.failure = outcome.failure;
    ++outside->counters.channel_calls_unanswered;
  }
  report_evidence(outside, call, outcome, channel.evidence_of(call, response, asked_at), std::move(ticket));
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
  net::Call http{.url = std::move(request.url),
                 .method = std::move(request.http.method),
                 .headers = std::move(request.http.headers),
                 .body = std::move(request.http.body),
                 .timeout = call.deadline - now,
                 .response_bytes_max = limits::kUpstreamBodyMax};
  ++outside->counters.channel_calls;
  outside->client.call(std::move(http), [outside, channel, call = std::make_shared<const ChannelCall>(std::move(call)),
                                         now, ticket = std::move(ticket)](net::Outcome outcome) {
    outside->gate.pass([&] { hear(outside, *channel, *call, now, std::move(outcome), ticket); });
  });
}

}  // namespace finality
