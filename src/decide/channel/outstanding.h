// Whether the channel's result of a row is outstanding, so that a client may still wait for it.
#pragma once

#include "model/aggregate.h"

namespace finality {

inline bool awaits_result(const Payment& row) {
  return row.state == PaymentState::processing || row.state == PaymentState::created;
}

/// An authorization has a second result: that of its release.
inline bool awaits_result(const Authorization& row) {
  using enum AuthorizationState;
  return row.state == processing || row.state == created || row.state == releasing;
}
inline bool awaits_result(const Capture& row) { return !capture_machine.is_final(row.state); }
inline bool awaits_result(const Refund& row) { return !refund_machine.is_final(row.state); }

}  // namespace finality
