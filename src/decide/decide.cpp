#include "decide/decide.h"

namespace finality {

void add_needs(const Command& command, Needs& needs) {
  std::visit([&](const auto& c) { add_needs(c, needs); }, command);
}

Decision decide(const Command& command, Context& context) {
  return std::visit([&](const auto& c) { return decide(c, context); }, command);
}

}  // namespace finality
