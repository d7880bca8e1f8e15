// Implementation of the engine's Renderer interface: renders objects as JSON of the API.
#pragma once

#include "engine/renderer.h"

namespace finality::wire {

/// Returns the only instance, which exists until the process exits. Thread safe.
const Renderer& json_renderer();

}  // namespace finality::wire
