// Renders the texts that one decided command stores: event details, case evidence and delivery bodies.
#pragma once

#include "engine/renderer.h"

namespace finality {

/// Renders the `detail` of the command's events, the evidence of its cases and the bodies of its deliveries. Sets them
/// in the rows of the current scope and in the effects. REQUIRES: the command was decided in `context` and will be
/// accepted.
void render_texts(const Renderer& renderer, Context& context);

}  // namespace finality
