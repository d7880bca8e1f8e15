#include "decide/decide.h"

namespace finality {

void add_reads(const Command& command, ReadSet& reads) {
  std::visit([&](const auto& c) { add_reads(c, reads); }, command);
}

Decision decide(const Command& command, Context& context) {
  return std::visit([&](const auto& c) { return decide(c, context); }, command);
}

}  // namespace finality
