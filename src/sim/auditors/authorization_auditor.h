// Checks orders with manual capture after every commit, against the records of the simulated channels: the holds of
// their authorizations, the deadlines of captures, the holds on user accounts, and the notifications. CaptureAuditor
// checks the captures.
#pragma once

#include <map>
#include <set>
#include <string>
#include <tuple>

#include "model/effect.h"
#include "model/policy.h"
#include "model/working_set.h"
#include "sim/auditors/findings.h"
#include "sim/upstream/upstream.h"

namespace finality::sim {

class AuthorizationAuditor {
 public:
  AuthorizationAuditor(Findings& findings, const Upstream& upstream, const Policy& policy)
      : findings_(findings), upstream_(upstream), policy_(policy) {}

  /// Checks the orders of a commit. `at`: the simulated time, without the clock error of the engine.
  void look_at(const WorkingSet& rows, Time at);
  /// Records that the clock of an engine is wrong: reports of several engines then have no order in time.
  void clocks_differ() { do_clocks_differ_ = true; }
  /// Checks a request about an authorization. `committed`: the order after the last commit.
  void look_at(const AuthorizationCall& call, const OrderAggregate& committed);

 private:
  void check_order(const OrderAggregate* before, const OrderAggregate& now, const WorkingSet& rows, Time at);
  void check_holder(const OrderAggregate* before, const OrderAggregate& now);
  void check_amounts(const OrderAggregate& aggregate, const Authorization& row);
  void check_rest(const OrderAggregate& aggregate, const Authorization& row);
  void check_rest_in_wrong_currency(const OrderAggregate& aggregate, const Authorization& row);
  void check_local_close(const OrderAggregate* before, const OrderAggregate& now, const Authorization& row);
  void check_due(const OrderAggregate& aggregate, const Authorization& row, Time at);
  void check_start(const Authorization& row);
  void check_deadline(const Order& order, const Authorization& row);
  void check_end(const OrderAggregate& aggregate, const Authorization& row);
  void check_end_reason(const OrderAggregate& aggregate, const Authorization* before, const Authorization& row,
                        const WorkingSet& rows);
  void check_wallet(const OrderAggregate& aggregate);
  void check_notifications(const OrderAggregate* before, const OrderAggregate& now, const WorkingSet& rows);
  void check_once(const WorkingSet& rows);
  void check_released_once(const WorkingSet& rows);

  Findings& findings_;
  const Upstream& upstream_;
  const Policy& policy_;
  std::map<std::string, Hold> wallet_holds_;  // by reference
  /// Notified orders, by type of the notification and endpoint; endpoint 0 is the order's notify_url.
  std::set<std::tuple<OrderId, std::string, std::int64_t>> notified_;
  std::map<std::string, MinorUnits> releases_;  // amount of each release request, by its number
  /// Version of the order at which the release of a hold that has ended was first notified, by authorization.
  std::map<AuthorizationId, std::int64_t> released_;
  bool do_clocks_differ_ = false;
};

}  // namespace finality::sim
