#include "decide/decide.h"

namespace finality {
namespace {

// What the command's events name as their cause: for a channel's report the way it came, which may be another than the
// request's.
CauseKind cause_of(const Command& command, const Cause& request) {
  return std::visit(
      [&]<class C>(const C& c) {
        if constexpr (requires { c.evidence.source; })
          return c.evidence.source;
        else if constexpr (std::is_same_v<C, ParkOrder>)
          return CauseKind::timer;
        else
          return request.kind;
      },
      command);
}

}  // namespace

void add_reads(const Command& command, ReadSet& reads) {
  std::visit([&](const auto& c) { add_reads(c, reads); }, command);
}

Decision decide(const Command& command, Context& context) {
  context.cause_kind = cause_of(command, context.cause);
  Decision decision = std::visit([&](const auto& c) { return decide(c, context); }, command);
  // The rules are checked next, and half a command may break them. The rows of a finding show which order it is about.
  if (!decision && !decision.error().kept && context.findings.empty()) context.rows.roll_back();
  return decision;
}

}  // namespace finality
