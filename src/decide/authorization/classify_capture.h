// Classifies channel evidence as an event of the capture's state machine. Pure function.
#pragma once

#include "model/evidence.h"
#include "model/objects/authorization.h"
#include "model/objects/capture.h"

namespace finality {

/// Input of classify(): the evidence, its capture, and the facts that determine the event.
struct ClassifiedCapture {
  const Authorization& authorization;  // of the capture
  const Capture& capture;
  const Evidence& evidence;
  bool is_receipt_known = false;  // the reported trade has a receipt
};

/// Whether the evidence says that the channel has not captured, and will not.
bool is_refusal(const Evidence& evidence);

/// Returns the event of the capture's state machine that the evidence causes. The refusal of a repeated request is
/// `unknown` until a query confirms it; meanwhile Capture::failure_code states it.
CaptureEvent classify(const ClassifiedCapture& in);

}  // namespace finality
