// Which fields of the API's objects each audience receives. One table (object_fields()) and one filter (shown_to()),
// through which every JSON object leaves: responses of the API, lists, events, timelines and webhooks. Renderers render
// all fields. Rules: docs/adr/0058-one-table-of-audiences.md.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace finality::wire {

/// Who receives a JSON object. `merchant`: callers with a merchant's key or without a key, and receivers of webhooks.
enum class Audience : std::uint8_t { merchant, operators };

/// The fields of one object of the API. All names are separated by spaces.
struct ObjectFields {
  std::string_view object;    // value of the field `object`; `cause` is the cause of an event, which has no such field
  std::string_view everyone;  // fields for merchants and operators
  /// Fields only for operators: notes, ids of keys, proposals, and settings of the platform. `a.b` is the field b of
  /// the object in the field a.
  std::string_view operators{};
};

/// The table: every object of openapi.yaml with every field.
std::span<const ObjectFields> object_fields();

/// Returns the JSON text without the fields that the audience does not receive. Handles an object of the API, a list of
/// them, the body of a webhook, and a timeline. Text in which merchants receive all fields of all objects is
/// returned unchanged, unread; otherwise a field or an object that the table does not contain is removed. REQUIRES:
/// `json` is JSON text of this program.
std::string shown_to(Audience audience, std::string json);
/// Returns the cause of an event (JSON of model/cause.h, may be empty) without the fields that the audience does not
/// receive. For texts that are made from the cause.
std::string cause_shown_to(Audience audience, std::string cause);

}  // namespace finality::wire
