#include "decide/decide.h"

namespace finality {
namespace {

template <class C>
concept HasEvidence = requires(const C& command) { command.evidence.source; };

// Returns the cause of the command's events: the source of the evidence for a command that records evidence, `timer`
// for ParkOrder, otherwise the cause of the request.
CauseKind cause_of(const Command& command, const Cause& request) {
  return std::visit(
      [&]<class C>(const C& c) {
        if constexpr (HasEvidence<C>)
          return c.evidence.source;
        else if constexpr (std::is_same_v<C, ParkOrder>)
          return CauseKind::timer;
        else
          return request.kind;
      },
      command);
}

}  // namespace

bool records_evidence(const Command& command) {
  return std::visit([]<class C>(const C&) { return HasEvidence<C> || std::is_same_v<C, SettleWalletHold>; }, command);
}

void add_reads(const Command& command, ReadSet& reads) {
  std::visit([&](const auto& c) { add_reads(c, reads); }, command);
}

Decision decide(const Command& command, Context& context) {
  context.cause_kind = cause_of(command, context.cause);
  Decision decision = std::visit([&](const auto& c) { return decide(c, context); }, command);
  // A refused command must not leave partial changes, because the engine checks the invariants of the rows next. After
  // a finding the changes are kept: the engine finds the order to park among the changed rows.
  if (!decision && !decision.error().kept && context.findings.empty()) context.rows.roll_back();
  return decision;
}

}  // namespace finality
