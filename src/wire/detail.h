// What events and cases store of why a command came and what it found (model/cause.h), as JSON text. Pure. The names
// are read by query/timeline_text.cpp and shown over the API as an event's `cause`.
#pragma once

#include <string>
#include <string_view>

#include "model/cause.h"

namespace finality::wire {

/// One JSON object; empty when nothing is known.
std::string detail_json(const Cause& cause, const Detail& detail);

/// `detail` with one more member, `exchange`, which is JSON text already: it may be long. REQUIRES: it is not empty.
std::string with_exchange(std::string_view detail, std::string_view exchange);

/// `evidence`, a JSON array or empty, with one more item. Unchanged when it would be too long: later evidence is
/// in the object's events.
std::string with_evidence(std::string_view evidence, std::string_view detail);

}  // namespace finality::wire
