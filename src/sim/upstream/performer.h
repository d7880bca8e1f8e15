// Executes effects as the worker does, but with the simulated channel and simulated servers of merchants. Submits the
// results to the engines as commands.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sim/auditors/auditor.h"
#include "sim/bugs/bug.h"
#include "sim/upstream/upstream.h"
#include "sim/world/sim_engine.h"

namespace finality::sim {

using Engines = std::vector<std::unique_ptr<SimEngine>>;

class Performer {
 public:
  /// `bug` may be null. REQUIRES: all arguments outlive this object.
  Performer(SimScheduler& scheduler, Upstream& upstream, Engines& engines, Auditor& auditor, const Bug* bug)
      : scheduler_(scheduler), upstream_(upstream), engines_(engines), auditor_(auditor), bug_(bug) {}

  void perform(int engine, std::vector<Effect> effects);

 private:
  /// One request to the channel or to a server. `life` is the number of crashes of the engine when it sent the request.
  struct SimExchange {
    int engine;
    int life;
    Time asked_at;      // time of sending, by the clock of the engine
    Duration time_out;  // from sending to the deadline of the reply
  };

  SimExchange begin(int engine, Time deadline);
  template <class Call>
  void perform_effect(int engine, Call call);
  void perform_effect(int engine, const DeliveryAttempt& deliver);
  template <class Act, class Report>
  void call_channel(const SimExchange& exchange, Act act, Report report);
  void report(const SimExchange& exchange, Request request, int tries = 1);
  void plant(ChannelCall& call) const;
  void plant(RefundCall& call) const;
  void plant(Evidence& evidence, const ChannelCall& call) const;
  void plant(AuthorizationCall& call) const;
  void plant(CaptureCall& call) const;
  void plant(RefundEvidence& evidence, const RefundCall& call) const;
  void plant(AuthorizationEvidence& evidence, const AuthorizationCall& call) const;
  void plant(Evidence& evidence, const CaptureCall& call) const;
  Evidence carry_out(const ChannelCall& call);
  RefundEvidence carry_out(const RefundCall& call);
  AuthorizationEvidence carry_out(const AuthorizationCall& call);
  Evidence carry_out(const CaptureCall& call);
  bool is_up(const std::string& url);

  SimScheduler& scheduler_;
  Upstream& upstream_;
  Engines& engines_;
  Auditor& auditor_;
  const Bug* bug_;
  std::map<std::string, Time> down_until_;  // end of the outage of a merchant's server, by URL
};

}  // namespace finality::sim
