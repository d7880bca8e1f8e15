// Bugs that a simulation can plant without changes to the engine's code, to verify that the auditor detects them.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "decide/delivery/record_delivery.h"
#include "engine/request.h"
#include "model/effect.h"
#include "model/evidence.h"
#include "sim/world/faulty_session.h"

namespace finality::sim {

class Auditor;

struct Bug {
  std::string_view name;
  std::unique_ptr<SessionBug> (*session)() = nullptr;                            // the store is wrong
  void (*evidence)(Evidence& evidence, const Payment& payment) = nullptr;        // the channel's result is misread
  void (*notice)(Evidence& evidence) = nullptr;                                  // a notification is misread
  void (*refund_call)(RefundCall& call, const OrderAggregate& order) = nullptr;  // a wrong refund is requested
  void (*refund_evidence)(RefundEvidence& evidence) = nullptr;                   // a refund result is misread
  void (*delivered)(RecordDelivery& result) = nullptr;                           // a server's response is misread
  void (*decision)(WorkingSet& rows) = nullptr;                                  // a decision is changed
  void (*effect)(Effect& effect) = nullptr;                                      // an effect is changed
  void (*request)(Request& request, const Auditor& auditor) = nullptr;           // a client's request is changed
  bool acknowledges_all = false;      // notifications are acknowledged before the commit
  bool skips_verification = false;    // notifications are not verified
  bool replies_before_flush = false;  // replies and effects precede the flush
};

/// All bugs, with their names.
const std::vector<Bug>& all_bugs();

}  // namespace finality::sim
