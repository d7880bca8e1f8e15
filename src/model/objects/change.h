// Change: the events of one version of a root in one row, as the databases store them. Programs see Event
// (model/objects/event.h) and SQL the view `events`; store/sql/packed_events.h converts (docs/adr/0062).
#pragma once

#include <optional>
#include <string>

#include "model/objects/event.h"

namespace finality {

struct Change {
  std::int64_t root_id = 0;
  EventId id;  // of the first event
  MerchantId merchant_id;
  ObjectType root_type = ObjectType::order;
  std::int64_t root_version = 1;
  CauseKind cause = CauseKind::api;
  std::string detail;                       // of all events, except the first if it has `first_detail`
  std::optional<std::string> first_detail;  // of the first event, if it differs: it also has the exchange
  Time at;
  std::string steps;        // JSON: one array per event, see store/sql/packed_events.h
  bool is_checked = false;  // whether the order is checked against the money identities after the change
};
BOOST_DESCRIBE_STRUCT(Change, (),
                      (root_id, id, merchant_id, root_type, root_version, cause, detail, first_detail, at, steps,
                       is_checked))
FINALITY_ROW(
    Change, "changes", log, "root_id id", "",
    .about = "all steps of state machines that made one version of a root; the view `events` has a row per step")

}  // namespace finality
