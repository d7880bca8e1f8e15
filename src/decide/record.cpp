#include "decide/record.h"

#include <fmt/format.h>

#include <utility>

namespace finality {

Event& record(Context& context, const Root& root, ObjectRef object, std::string_view event,
              std::optional<std::string> from, std::string_view to, fsm::CellKind cell) {
  Event row;
  row.root_id = root.ref.value;
  row.id = context.next_id<EventId>();
  row.merchant_id = root.merchant_id;
  row.root_type = root.ref.type;
  row.root_version = root.version;
  row.object_type = object.type;
  row.object_id = object.value;
  row.event = event;
  row.from_state = std::move(from);
  row.to_state = to;
  row.cell = cell;
  row.cause = context.cause_kind;
  row.at = context.now;
  return context.rows.events.emplace_back(std::move(row));
}

void add_impossible(Context& context, std::string_view machine, ObjectRef row, std::string_view state,
                    std::string_view event) {
  context.findings.push_back(
      fmt::format("{} {} is {}, in which event {} is impossible", machine, to_text(row), state, event));
}

}  // namespace finality
