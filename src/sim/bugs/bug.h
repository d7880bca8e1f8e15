// Bugs that can be planted in a simulated world from outside, to see whether the auditor notices them.
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
  void (*evidence)(Evidence& evidence, const Payment& payment) = nullptr;        // the channel is misread
  void (*notice)(Evidence& evidence) = nullptr;                                  // a notification is misread
  void (*refund_call)(RefundCall& call, const OrderAggregate& order) = nullptr;  // something else is asked to go back
  void (*refund_evidence)(RefundEvidence& evidence) = nullptr;                   // what went back is misread
  void (*delivered)(RecordDelivery& result) = nullptr;                           // a server's answer is misread
  void (*decision)(WorkingSet& rows) = nullptr;                                  // something else is decided
  void (*effect)(Effect& effect) = nullptr;                             // something else is asked of the worker
  void (*request)(Request& request, const Auditor& auditor) = nullptr;  // a client is misheard
  bool acknowledges_all = false;    // the channel hears "received" before anything is committed
  bool believes_forgeries = false;  // a notification is not verified
  bool tells_before_flush = false;  // a commit is told of before the disk has it
};

/// Every bug, by name.
const std::vector<Bug>& all_bugs();

}  // namespace finality::sim
