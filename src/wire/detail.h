// JSON text of a command's cause and detail (model/cause.h), stored in events and cases. Pure. query/timeline_text.cpp
// reads the field names, and the API shows the text as an event's `cause`.
#pragma once

#include <string>
#include <string_view>

#include "model/cause.h"

namespace finality::wire {

/// Returns one JSON object; empty if there is nothing to show.
std::string detail_json(const Cause& cause, const Detail& detail);

/// Adds the member `exchange` to `detail`. `exchange` is JSON text and may be long. REQUIRES: `exchange` is not empty.
std::string with_exchange(std::string_view detail, std::string_view exchange);

/// Appends one item to `evidence`, a JSON array or empty. Returns it unchanged if it would become too long; the
/// object's events contain the later evidence.
std::string with_evidence(std::string_view evidence, std::string_view detail);

}  // namespace finality::wire
