// Renders cause and detail of a command (model/cause.h) as JSON, which events and exception cases store. Pure. The API
// returns this JSON as the `cause` of an event, and query/timeline_text.cpp reads its fields.
#pragma once

#include <string>
#include <string_view>

#include "model/cause.h"

namespace finality::wire {

/// Returns one JSON object, or an empty text if neither cause nor detail has a field to render.
std::string detail_json(const Cause& cause, const Detail& detail);

/// Returns `detail`, a JSON object or empty, with the additional member `exchange`. REQUIRES: `exchange` is JSON text
/// and not empty.
std::string with_exchange(std::string_view detail, std::string_view exchange);

/// Returns `evidence`, a JSON array or empty, with `detail` appended. Omits `detail` if the result would be longer than
/// limits::kCaseEvidenceBytesMax; the events of the object still contain it.
std::string with_evidence(std::string_view evidence, std::string_view detail);

}  // namespace finality::wire
