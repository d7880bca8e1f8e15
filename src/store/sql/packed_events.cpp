#include "store/sql/packed_events.h"

#include <fmt/format.h>

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <array>
#include <iterator>
#include <string_view>
#include <tuple>

#include "base/described.h"

namespace finality::store {
namespace {

namespace json = boost::json;

// Elements of a step. Ids are relative, so they are short: those of events and journals to the change's id, those of
// objects to the root's. A step without the last three made a usual move: cell `move`, no actions, no journal.
enum Element : std::size_t { kId, kObjectType, kObject, kEvent, kFrom, kTo, kCell, kActions, kJournal, kElements };

/// States that can require a posting.
constexpr std::array<std::string_view, 5> kCheckedStates{"succeeded", "failed", "returned", "settled_offline",
                                                         "resolved"};

bool is_usual(const Event& event) {
  return event.cell == fsm::CellKind::move && event.actions == 0 && !event.journal_id;
}

void append(std::string& out, std::int64_t number) {
  const fmt::format_int digits(number);
  out.append(digits.data(), digits.size());
}

// Appends the text as a JSON string. The usual text is a name, which needs no escapes.
void append(std::string& out, std::string_view text) {
  const bool is_plain = std::ranges::all_of(text, [](char c) { return c >= ' ' && c < 0x7f && c != '"' && c != '\\'; });
  if (!is_plain) {
    out += json::serialize(json::string(text));
    return;
  }
  out += '"';
  out += text;
  out += '"';
}

template <class... Values>
void append_all(std::string& out, const Values&... values) {
  ((out += ',', append(out, values)), ...);
}

void append(std::string& steps, const Event& event, EventId first) {
  steps += steps.empty() ? "[[" : ",[";
  append(steps, event.id.value - first.value);
  append_all(steps, name_of(event.object_type), event.object_id - event.root_id, std::string_view(event.event));
  event.from_state ? append_all(steps, std::string_view(*event.from_state)) : void(steps += ",null");
  append_all(steps, std::string_view(event.to_state));
  if (!is_usual(event)) append_all(steps, name_of(event.cell), event.actions);
  if (event.journal_id) append_all(steps, event.journal_id->value - first.value);
  steps += ']';
}

auto commit_of(const Event& event) {
  return std::tie(event.root_id, event.root_version, event.merchant_id, event.root_type, event.cause, event.at);
}

// Returns the end of the events that share a row with the first one.
std::size_t end_of_change(const std::vector<const Event*>& events, std::size_t first) {
  std::size_t end = first + 1;
  while (end < events.size() && commit_of(*events[end]) == commit_of(*events[first]) &&
         events[end]->detail == events[first + 1]->detail)
    ++end;
  return end;
}

Change packed(std::span<const Event* const> events) {
  const Event& first = *events.front();
  const Event& last = *events.back();
  Change change{.root_id = first.root_id,
                .id = first.id,
                .merchant_id = first.merchant_id,
                .root_type = first.root_type,
                .root_version = first.root_version,
                .cause = first.cause,
                .detail = last.detail,
                .first_detail = first.detail == last.detail ? std::nullopt : std::optional(first.detail),
                .at = first.at,
                .steps = {},
                .is_checked = false};
  for (const Event* event : events) {
    append(change.steps, *event, first.id);
    change.is_checked = change.is_checked || is_checked(*event);
  }
  change.steps += ']';
  return change;
}

std::string text_at(const json::array& step, Element element) { return std::string(step.at(element).as_string()); }

// Throws if the step is not as append() writes it.
Event event_of(const Change& change, const json::array& step) {
  Event event{.root_id = change.root_id,
              .id = EventId{change.id.value + step.at(kId).as_int64()},
              .merchant_id = change.merchant_id,
              .root_type = change.root_type,
              .root_version = change.root_version,
              .object_type = parse_enum<ObjectType>(text_at(step, kObjectType)).value(),
              .object_id = change.root_id + step.at(kObject).as_int64(),
              .event = text_at(step, kEvent),
              .from_state = step.at(kFrom).is_null() ? std::nullopt : std::optional(text_at(step, kFrom)),
              .to_state = text_at(step, kTo),
              .cause = change.cause,
              .detail = change.detail,
              .at = change.at};
  if (step.size() > kCell) {
    event.cell = parse_enum<fsm::CellKind>(text_at(step, kCell)).value();
    event.actions = step.at(kActions).as_int64();
  }
  if (step.size() > kJournal) event.journal_id = EntryId{change.id.value + step.at(kJournal).as_int64()};
  return event;
}

}  // namespace

bool is_checked(const Event& event) {
  return event.root_type == ObjectType::order &&
         (event.journal_id || std::ranges::find(kCheckedStates, event.to_state) != kCheckedStates.end());
}

std::vector<Change> pack(std::span<const Event> events) {
  std::vector<const Event*> ordered;
  ordered.reserve(events.size());
  for (const Event& event : events) ordered.push_back(&event);
  std::ranges::sort(ordered, {}, [](const Event* event) { return std::pair(event->root_id, event->id); });
  std::vector<Change> changes;
  for (std::size_t i = 0; i < ordered.size();) {
    const std::size_t end = end_of_change(ordered, i);
    changes.push_back(packed(std::span(ordered).subspan(i, end - i)));
    i = end;
  }
  return changes;
}

Result<std::vector<Event>> unpack(const Change& change) {
  std::vector<Event> events;
  try {
    for (const json::value& step : json::parse(change.steps).as_array())
      events.push_back(event_of(change, step.as_array()));
  } catch (const std::exception&) {
    return fail(
        fmt::format("changes.steps of the row whose root_id is {} and id is {} is not readable. Run: finality "
                    "verify",
                    change.root_id, change.id.value));
  }
  if (change.first_detail && !events.empty()) events.front().detail = *change.first_detail;
  return events;
}

Result<std::vector<Event>> unpack(std::span<const Change> changes) {
  std::vector<Event> all;
  for (const Change& change : changes) {
    auto events = unpack(change);
    if (!events) return events;
    std::ranges::move(*events, std::back_inserter(all));
  }
  return all;
}

}  // namespace finality::store
