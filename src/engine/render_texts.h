// Fills in the texts of one decided command.
#pragma once

#include "engine/renderer.h"

namespace finality {

/// Makes the `detail` of the command's events, the evidence of its cases and the bodies of its deliveries, in the rows
/// and in the effects. The command's are those of the rows' current scope. REQUIRES: it was decided in `context` and is
/// going to be accepted.
void render_texts(const Renderer& renderer, Context& context);

}  // namespace finality
