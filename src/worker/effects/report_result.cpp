#include "worker/effects/report_result.h"

#include <algorithm>
#include <utility>

#include "base/limits.h"

namespace finality {
namespace {

struct Report {
  std::shared_ptr<EffectContext> context;
  Request request;  // moved to the engine while it executes the request
  Permit permit;
  int tries = 0;
};

void submit(const std::shared_ptr<Report>& report);

// Called on the thread of the lane, which must not block. A timer starts the next try.
void handle_reply(const std::shared_ptr<Report>& report, const Reply& reply) {
  EffectContext& context = *report->context;
  if (!should_retry(reply)) {
    if (reply.refusal) ++context.counters.results_refused;
    return;
  }
  report->request = std::move(*reply.request);
  const bool is_retried = report->tries < limits::kResultTriesMax && context.guard.enter([&] {
    ++context.counters.results_retried;
    context.after(result_pause(report->tries), [report] {
      if (!report->context->guard.enter([&] { submit(report); })) ++report->context->counters.results_lost;
    });
  });
  if (!is_retried) ++context.counters.results_lost;
}

void submit(const std::shared_ptr<Report>& report) {
  ++report->tries;
  Request request = std::move(report->request);
  request.reply = [report](const Reply& reply) { handle_reply(report, reply); };
  report->context->engine.submit(std::move(request));
}

}  // namespace

Duration result_pause(int tries) {
  Duration pause = limits::kResultPauseFirst;
  for (int i = 1; i < tries && pause < limits::kResultPauseMax; ++i) pause *= 2;
  return std::min(pause, limits::kResultPauseMax);
}

void report_result(std::shared_ptr<EffectContext> context, Request request, Permit permit) {
  submit(std::make_shared<Report>(std::move(context), std::move(request), std::move(permit)));
}

}  // namespace finality
