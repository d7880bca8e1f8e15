#include "decide/account/void_hold.h"

#include "decide/account/hold_writer.h"

namespace finality {

void add_reads(const VoidHold& command, ReadSet& reads) { reads.holds.push_back(command.hold_id); }

Decision decide(const VoidHold& command, Context& context) {
  const Hold* hold = find_hold(context, command.merchant_id, command.hold_id);
  if (hold == nullptr) return no_such_hold();
  if (auto refused = refused_when_not_open(context, *hold, HoldEvent::release))
    return std::unexpected(std::move(*refused));
  end_hold(context, command.hold_id, HoldEvent::release);
  return CommandResult{.object = command.hold_id};
}

}  // namespace finality
