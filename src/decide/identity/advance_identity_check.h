// Claims the identity check for one server, or records how far it has checked.
#pragma once

#include "decide/context.h"
#include "model/read_set.h"

namespace finality {

struct AdvanceIdentityCheck {
  std::int64_t version = 0;        // of the IdentityCheck that the server has read; 0: there was none
  std::int64_t checked_until = 0;  // IdentityCheck::checked_until
  Time claimed_until;              // IdentityCheck::claimed_until
};

void add_reads(const AdvanceIdentityCheck& command, ReadSet& reads);

/// Creates or changes the row. Refuses with `illegal_transition` if another server has changed it since.
Decision decide(const AdvanceIdentityCheck& command, Context& context);

}  // namespace finality
