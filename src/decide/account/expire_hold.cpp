#include "decide/account/expire_hold.h"

#include "decide/account/hold_writer.h"

namespace finality {

void add_reads(const ExpireHold& command, ReadSet& reads) { reads.holds.push_back(command.hold_id); }

Decision decide(const ExpireHold& command, Context& context) {
  const Hold* hold = find_hold(context, command.merchant_id, command.hold_id);
  if (hold == nullptr) return no_such_hold();
  if (auto refused = refused_for_authorization(*hold)) return std::unexpected(std::move(*refused));
  const bool is_over = context.cell(hold_machine, hold->state, HoldEvent::expire).kind == fsm::CellKind::keep;
  if (!is_over && hold->expires_at <= context.now) end_hold(context, command.hold_id, HoldEvent::expire);
  return CommandResult{.object = command.hold_id};
}

}  // namespace finality
