// Event: one recorded step of a state machine, with its cause. Every version of a root has at least one event, so a
// change without a recorded cause is detected.
#pragma once

#include <optional>
#include <string>

#include "base/time/time.h"
#include "fsm/table.h"
#include "model/ids.h"
#include "model/row.h"

namespace finality {

/// The source that triggered the command.
enum class CauseKind : std::uint8_t { api, channel_reply, notification, query, timer, statement, operator_ };
BOOST_DESCRIBE_ENUM(CauseKind, api, channel_reply, notification, query, timer, statement, operator_)

/// The cause's name on the wire. `operator` is a C++ keyword.
constexpr std::string_view text_of(CauseKind kind) {
  return kind == CauseKind::operator_ ? std::string_view("operator") : name_of(kind);
}

struct Event {
  std::int64_t root_id = 0;
  EventId id;
  MerchantId merchant_id;
  ObjectType root_type = ObjectType::order;
  std::int64_t root_version = 1;  // the version that this step created
  ObjectType object_type = ObjectType::order;
  std::int64_t object_id = 0;
  std::string event;
  std::optional<std::string> from_state;  // empty: the object was created
  std::string to_state;
  fsm::CellKind cell = fsm::CellKind::move;
  std::int64_t actions = 0;  // fsm::Actions as bits
  CauseKind cause = CauseKind::api;
  std::string detail;                 // JSON: cause and detail (model/cause.h); empty until it is rendered
  std::optional<EntryId> journal_id;  // the posting of this step
  Time at;
};
BOOST_DESCRIBE_STRUCT(Event, (),
                      (root_id, id, merchant_id, root_type, root_version, object_type, object_id, event, from_state,
                       to_state, cell, actions, cause, detail, journal_id, at))
FINALITY_ROW(Event, "events", log, "root_id id", "",
             .about = "one step of a state machine, with cause and version; every version of a root has at least one")

}  // namespace finality
