// What a state means, in the seeds' words: which events can have led into it. The tables say more; that a row is in a
// state that nothing it was told accounts for is wrong whatever they say.
#pragma once

#include <string_view>

namespace finality::sim {

/// Whether `event` accounts for a row of `machine` having come into `state`.
bool accounts_for(std::string_view machine, std::string_view event, std::string_view state);

}  // namespace finality::sim
