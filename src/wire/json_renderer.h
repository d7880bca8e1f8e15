// The engine's renderer: the contract's JSON.
#pragma once

#include "engine/renderer.h"

namespace finality::wire {

/// Lives as long as the program. Thread safe.
const Renderer& json_renderer();

}  // namespace finality::wire
