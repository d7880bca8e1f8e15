// POST /v1/authorizations/{id}/captures: collects an amount that the authorization holds.
#pragma once

#include <optional>
#include <string>

#include "decide/context.h"
#include "decide/order/order_writer.h"
#include "model/read_set.h"

namespace finality {

struct CreateCapture {
  MerchantId merchant_id;
  OrderId order_id;  // order of the authorization, looked up by the caller
  AuthorizationId authorization_id;
  std::string merchant_capture_no;
  std::optional<MinorUnits> amount;  // in minor units; empty: everything that is held
  bool is_final = true;              // the rest of the hold is released
};

void add_reads(const CreateCapture& command, ReadSet& reads);

/// Adds a capture and claims its send. A repeated request (same merchant_capture_no, authorization and fields) returns
/// the existing capture. Without `amount` it is a repetition whatever the amount of the capture is: whether the first
/// request had an amount is not stored. Refuses with `not_found` (no such authorization),
/// `merchant_capture_no_conflict`, `authorization_not_capturable` (by state, deadline, close, parking or number of
/// captures), `capture_in_progress`, `partial_capture_unsupported`, `multiple_captures_unsupported`,
/// `capture_exceeds_authorized`.
Decision decide(const CreateCapture& command, Context& context);

/// The fields of an own capture that its initiator determines.
struct CaptureFields {
  CaptureOrigin origin = CaptureOrigin::merchant;
  std::string merchant_capture_no{};  // only if the origin is `merchant`
  MinorUnits amount = 0;
  bool is_final = true;
};

/// Adds an own capture, claims its send and returns its id. REQUIRES: the authorization is `authorized`, no other
/// capture of it is open, and it holds the amount.
CaptureId add_capture(OrderWriter& writer, const Authorization& authorization, const CaptureFields& fields);

}  // namespace finality
