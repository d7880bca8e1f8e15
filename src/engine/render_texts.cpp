#include "engine/render_texts.h"

#include <span>

namespace finality {
namespace {

// Adds the command's detail to the evidence of its cases, in the rows and in the notifications. Only new cases cause
// notifications, so the evidence in a notification is the first item.
void add_evidence(const Renderer& renderer, Context& context, std::string_view detail) {
  for (const CaseNote& note : context.case_notes) {
    Case& row = change_child<Case>(context.rows, note.root, note.case_id);
    row.evidence = renderer.with_evidence(row.evidence, detail);
  }
  for (Notice& notice : context.notices)
    if (Case* row = std::get_if<Case>(&notice.object)) row->evidence = renderer.with_evidence({}, detail);
}

void fill_bodies(const Renderer& renderer, Context& context) {
  for (const Notice& notice : context.notices) {
    const std::string body =
        renderer.notification(notice, context.rows, {.policy = context.policy, .now = context.now});
    for (const DeliveryId id : notice.deliveries) context.rows.deliveries.change(id).delivery.body = body;
  }
  if (context.notices.empty()) return;
  for (Effect& effect : context.effects) {
    auto* deliver = std::get_if<DeliveryAttempt>(&effect);
    if (deliver != nullptr && deliver->delivery.body.empty())
      deliver->delivery.body = context.rows.deliveries.find(deliver->delivery.id)->delivery.body;
  }
}

}  // namespace

void render_texts(const Renderer& renderer, Context& context) {
  const std::span<Event> events = std::span(context.rows.events).subspan(context.rows.events_accepted());
  if (events.empty()) return;  // without events there are no cases and deliveries to render
  const std::string detail = renderer.detail(context.cause, context.detail);
  for (Event& event : events) event.detail = detail;
  if (!context.cause.exchange.empty()) events.front().detail = renderer.with_exchange(detail, context.cause.exchange);
  add_evidence(renderer, context, detail);
  fill_bodies(renderer, context);
}

}  // namespace finality
