// The engine's renderer for the JSON of the API.
#pragma once

#include "engine/renderer.h"

namespace finality::wire {

/// Returns a static instance. Thread safe.
const Renderer& json_renderer();

}  // namespace finality::wire
