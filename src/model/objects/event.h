// Event: one recorded step of a state machine, with its cause. Each version of a root has at least one event, so an
// audit finds changes without a recorded cause.
#pragma once

#include <optional>
#include <string>

#include "base/time/time.h"
#include "fsm/table.h"
#include "model/ids.h"
#include "model/row.h"

namespace finality {

/// The kind of source that triggered the command.
enum class CauseKind : std::uint8_t { api, channel_reply, notification, query, timer, statement, operator_ };
BOOST_DESCRIBE_ENUM(CauseKind, api, channel_reply, notification, query, timer, statement, operator_)

/// Returns the cause's name in the API. The enumerator `operator_` has a suffix because `operator` is a C++ keyword.
constexpr std::string_view text_of(CauseKind kind) {
  return kind == CauseKind::operator_ ? std::string_view("operator") : name_of(kind);
}

struct Event {
  std::int64_t root_id = 0;
  EventId id;
  MerchantId merchant_id;
  ObjectType root_type = ObjectType::order;
  std::int64_t root_version = 1;  // version of the root that this step created
  ObjectType object_type = ObjectType::order;
  std::int64_t object_id = 0;
  std::string event;
  std::optional<std::string> from_state;  // empty if the step created the object
  std::string to_state;
  fsm::CellKind cell = fsm::CellKind::move;
  std::int64_t actions = 0;  // bit set of fsm::Actions
  CauseKind cause = CauseKind::api;
  std::string detail;                 // JSON of cause and detail (model/cause.h), rendered before the commit
  std::optional<EntryId> journal_id;  // posting that this step made; empty if none
  Time at;
};
BOOST_DESCRIBE_STRUCT(Event, (),
                      (root_id, id, merchant_id, root_type, root_version, object_type, object_id, event, from_state,
                       to_state, cell, actions, cause, detail, journal_id, at))
FINALITY_ROW(Event, "events", log, "root_id id", "",
             .about =
                 "one step of a state machine, with cause and version; every version of a root has at least one. A "
                 "view of `changes`")

}  // namespace finality
