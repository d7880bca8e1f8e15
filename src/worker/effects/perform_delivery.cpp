#include "worker/effects/perform_delivery.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "base/net/http_url.h"
#include "wire/audience.h"
#include "worker/effects/report_result.h"
#include "worker/effects/retry_after.h"
#include "worker/effects/webhook_signature.h"

namespace finality {
namespace {

constexpr int kGone = 410;

bool is_acknowledged(const Delivery& delivery, const net::HttpResponse& response) {
  const bool accepted = response.status >= 200 && response.status < 300;
  return accepted && (delivery.acknowledge == Acknowledge::status || response.body == "success");
}

std::string error_of(const net::HttpResponse& response) {
  if (response.status >= 300 && response.status < 400)
    return fmt::format("status {}, and redirects are not followed", response.status);
  if (response.status >= 200 && response.status < 300)
    return fmt::format("status {}, but the body is not exactly `success`", response.status);
  return fmt::format("status {}", response.status);
}

// Returns only the host for the log, because path and query of the URL may contain a secret of the merchant.
std::string host_of(const std::string& url) {
  const auto parsed = net::parse_http_url(url);
  return parsed ? parsed->host : "invalid";
}

/// The signature of a webhook, and the time that it states.
struct Signature {
  std::string text;
  Time at;
};

net::Call call_of(const EffectContext& context, const DeliveryAttempt& attempt, Signature signature, Time now) {
  net::Call call{.url = attempt.delivery.url,
                 .method = "POST",
                 .body = attempt.delivery.body,
                 .timeout = std::min(attempt.deadline - now, context.policy.webhook_timeout),
                 .public_only = true,
                 .allow_private = context.policy.allow_private,
                 .url_owner = attempt.delivery.merchant_id.value,
                 .response_bytes_max = limits::kUpstreamBodyMax};
  call.headers.add("Content-Type", "application/json");
  call.headers.add("User-Agent", "Finality/" + context.options.version);
  call.headers.add("webhook-id", to_text(attempt.delivery.id));
  call.headers.add("webhook-timestamp", webhook_timestamp(signature.at));
  call.headers.add("webhook-signature", std::move(signature.text));
  if (!attempt.traceparent.empty()) call.headers.add("traceparent", attempt.traceparent);
  return call;
}

void log_failure(const Delivery& delivery, const RecordDelivery& result) {
  log::warn("webhook delivery failed", {{"delivery", to_text(delivery.id)},
                                        {"merchant", to_text(delivery.merchant_id)},
                                        {"type", delivery.type},
                                        {"host", host_of(delivery.url)},
                                        {"attempt", delivery.attempts + 1},
                                        {"error", result.error}});
}

// Submits the result of the attempt to the engine. Counts the attempt, and logs it if it failed. If a limit
// of the client rejected the attempt, records nothing: the row becomes due again after the deadline of the attempt. The
// row of a resent final delivery does not, so the failure is recorded.
void report(const std::shared_ptr<EffectContext>& context, const Delivery& delivery, const net::CallResult& outcome,
            Permit permit) {
  if (outcome.over_limit && delivery.due_at) {
    ++context->counters.deliveries_postponed;
    return;
  }
  ++context->counters.deliveries;
  RecordDelivery result = result_of_delivery(delivery, outcome, context->clock.now());
  if (result.acknowledged)
    ++context->counters.deliveries_acknowledged;
  else
    log_failure(delivery, result);
  const MerchantId merchant_id = result.merchant_id;
  report_result(context,
                {.command = std::move(result), .merchant_id = merchant_id, .cause = {.kind = CauseKind::timer}},
                std::move(permit));
}

}  // namespace

RecordDelivery result_of_delivery(const Delivery& delivery, const net::CallResult& outcome, Time now) {
  RecordDelivery result{.merchant_id = delivery.merchant_id, .delivery_id = delivery.id};
  if (!outcome.answered) {
    result.error = outcome.failure;
    return result;
  }
  const net::HttpResponse& response = outcome.response;
  result.status = response.status;
  result.acknowledged = is_acknowledged(delivery, response);
  if (result.acknowledged) return result;
  result.error = error_of(response);
  result.retry_after = parse_retry_after(response.headers.get("Retry-After"), now);
  result.gone = response.status == kGone;
  return result;
}

void perform_delivery(const std::shared_ptr<EffectContext>& context, DeliveryAttempt attempt, Permit permit) {
  const Time now = context->clock.now();
  if (now >= attempt.deadline) {
    ++context->counters.effects_late;
    return;
  }
  Delivery& delivery = attempt.delivery;
  // Bodies that earlier versions stored can contain fields for operators.
  delivery.body = wire::shown_to(wire::Audience::merchant, std::move(delivery.body));
  const Clock* signing_clock = context->options.signing_clock;
  const Time signed_at = signing_clock != nullptr ? signing_clock->now() : now;
  Result<std::string> signature = webhook_signature(attempt.secrets, to_text(delivery.id), signed_at, delivery.body);
  if (!signature) {
    const net::CallResult unsent{.failure = "not sent: " + signature.error().message};
    return report(context, delivery, unsent, std::move(permit));
  }
  net::Call call = call_of(*context, attempt, {std::move(*signature), signed_at}, now);
  context->client.call(std::move(call), [context, delivery = std::make_shared<const Delivery>(std::move(delivery)),
                                         permit = std::move(permit)](const net::CallResult& outcome) {
    context->guard.enter([&] { report(context, *delivery, outcome, permit); });
  });
}

}  // namespace finality
