// Bugs that a simulation run can inject without changes to the engine's code, to verify that the auditors detect them.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "decide/delivery/record_delivery.h"
#include "engine/request.h"
#include "model/effect.h"
#include "model/evidence.h"
#include "model/statement_line.h"
#include "sim/world/faulty_session.h"

namespace finality::sim {

class Auditor;

struct Bug {
  std::string_view name;
  std::unique_ptr<SessionBug> (*session)() = nullptr;                            // changes what the store writes
  void (*evidence)(Evidence& evidence, const Payment& payment) = nullptr;        // changes a channel's result
  void (*notice)(Evidence& evidence) = nullptr;                                  // changes a notification
  void (*refund_call)(RefundCall& call, const OrderAggregate& order) = nullptr;  // changes a refund request
  // Changes the result of a refund or reversal, or a notification about it. `number`: its out_refund_no.
  void (*refund_evidence)(RefundEvidence& evidence, std::string_view number) = nullptr;
  void (*authorization_call)(AuthorizationCall& call) = nullptr;  // changes a request about a hold
  void (*capture_call)(CaptureCall& call) = nullptr;              // changes a request about a capture
  // Changes a report about a hold: a reply, the result of a query or a notification.
  void (*authorization_evidence)(AuthorizationEvidence& evidence) = nullptr;
  void (*capture_evidence)(Evidence& evidence, const Capture& capture) = nullptr;  // changes a result of a capture
  void (*delivered)(RecordDelivery& result) = nullptr;                             // changes a delivery result
  void (*decision)(WorkingSet& rows) = nullptr;                                    // changes decided rows
  void (*effect)(Effect& effect) = nullptr;                                        // changes an effect
  void (*request)(Request& request, const Auditor& auditor) = nullptr;             // changes a client's request
  bool (*statement_line)(StatementLine& line) = nullptr;  // changes a compared line; false: it is not compared
  /// Changes a command of a comparison. False: it is not submitted, and the comparison receives a success.
  bool (*statement_command)(Command& command, const Auditor& auditor) = nullptr;
  bool forgets_versions = false;      // compares a funds statement without the lines of its earlier versions
  bool ends_without_fee = false;      // compares no line of a file from the first one without a fee
  bool reads_no_other_day = false;    // never compares an open line of another day again
  bool needs_funds = false;           // only in worlds with statements of funds, see WorldOptions::funds_per_mille
  bool acknowledges_all = false;      // acknowledges notifications before the commit
  bool skips_verification = false;    // accepts notifications without verification
  bool replies_before_flush = false;  // sends replies and runs effects before the flush
  bool follows_spikes = false;        // believes each reading of the wall clock
  bool accepts_failed_parts = false;  // replies with success to the requests of a failed part of the store
  bool hides_failed_part = false;     // takes the failure of a part of the store for one of the whole store
};

/// Returns all bugs. The names are unique.
const std::vector<Bug>& all_bugs();

}  // namespace finality::sim
