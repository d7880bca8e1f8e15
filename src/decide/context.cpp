#include "decide/context.h"

#include <utility>

namespace finality {

std::unexpected<Refusal> refuse(RefusalCode code, std::string detail, std::optional<std::string> param,
                                std::optional<std::string> state) {
  return std::unexpected(Refusal{code, std::move(detail), std::move(param), std::move(state)});
}

std::unexpected<Refusal> refuse_and_keep(RefusalCode code, std::string detail, std::optional<std::string> state) {
  return std::unexpected(Refusal{code, std::move(detail), {}, std::move(state), true});
}

}  // namespace finality
