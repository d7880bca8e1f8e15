// Sums over the captures of an authorization, for the auditors. Independent of src/decide/authorization/held.h, which
// the auditors check.
#pragma once

#include <algorithm>

#include "model/aggregate.h"

namespace finality::sim {

/// What the receipts of an authorization's captures sum to.
struct Captured {
  MinorUnits accepted = 0;
  MinorUnits all = 0;     // in any state: accepted, in suspense and returned
  bool has_open = false;  // the result of a capture is outstanding
};

inline Captured captured_of(const OrderAggregate& aggregate, const Authorization& authorization) {
  Captured sums;
  for (const Capture& capture : aggregate.captures) {
    if (capture.authorization_id != authorization.id) continue;
    sums.has_open = sums.has_open || !capture_machine.is_final(capture.state);
    for (const Receipt& receipt : aggregate.receipts) {
      if (receipt.capture_id != capture.id) continue;
      if (receipt.currency == authorization.currency) sums.all += receipt.amount;
      if (receipt.state == ReceiptState::accepted) sums.accepted += receipt.amount;
    }
  }
  return sums;
}

/// Returns the amount that the channel still holds according to the rows.
inline MinorUnits rest_of(const OrderAggregate& aggregate, const Authorization& authorization) {
  const MinorUnits gone = captured_of(aggregate, authorization).all + authorization.released_amount;
  return std::max<MinorUnits>(authorization.authorized_amount - gone, 0);
}

/// Whether the order has a case of that kind about the object, in any state.
inline bool has_case(const OrderAggregate& aggregate, CaseKind kind, ObjectRef object) {
  return std::ranges::any_of(aggregate.cases,
                             [&](const Case& row) { return row.kind == kind && object_of(row) == object; });
}

}  // namespace finality::sim
