// Checks repeated requests to a channel: the maximum number of sends, an unchanged out_refund_no, and the minimum pause
// between refunds of a trade.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>

#include "model/effect.h"
#include "model/objects/event.h"
#include "model/policy.h"
#include "sim/auditors/findings.h"

namespace finality::sim {

class RequestAuditor {
 public:
  RequestAuditor(Findings& findings, const Policy& policy) : findings_(findings), policy_(policy) {}

  /// Checks a committed event: a `send` must not exceed the maximum number of sends without a result.
  void look_at(const Event& event);
  /// Checks a refund request after its commit: the out_refund_no and the pause since other refunds of the trade.
  void look_at(const RefundCall& call);

 private:
  struct SendAttempts {
    std::int64_t without_result = 0;  // sends since the last result of the channel or retry by operators
    Time sent_at;                     // time of the last send
    bool may_change_number = false;   // the channel refused, so the next send may use a new out_refund_no
    std::string number;               // out_refund_no of the last send
  };

  Findings& findings_;
  const Policy& policy_;
  std::map<ObjectRef, SendAttempts> attempts_;
  std::map<std::pair<std::string, std::string>, std::set<Time>> deadlines_;  // by channel and channel_trade_no
};

}  // namespace finality::sim
