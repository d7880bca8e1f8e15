// Records the requests and replies of the simulated clients in the format of the history checker. Used by one thread.
#pragma once

#include <boost/json/monotonic_resource.hpp>

#include <optional>
#include <string>
#include <vector>

#include "engine/request.h"
#include "history/operation.h"
#include "model/aggregate.h"
#include "model/objects/account.h"
#include "sim/auditors/findings.h"

namespace finality::sim {

class HistoryRecorder {
 public:
  /// Returns the API request for the command; empty if clients do not send the command, or if no check uses it.
  static std::optional<history::Operation> request_of(const Command& command, const std::string& key);

  /// Records a request. Returns its index, to be passed to replied() with the reply.
  std::size_t sent(const history::Operation& request);
  void replied(std::size_t which, const Reply& reply);
  /// Records that a client sent a GET request for the object and received the object in the same instant.
  void shown(const OrderAggregate& order);
  void shown(const Account& account, Time now);

  /// Checks the history for consistency, and adds a finding for each contradiction.
  void check(Findings& findings) const;
  const std::vector<history::Operation>& operations() const { return operations_; }

 private:
  void add_shown(std::string path, MerchantId merchant, const std::string& body);
  /// Returns an empty object that allocates from `memory_`.
  boost::json::object fresh() { return boost::json::object(boost::json::storage_ptr(&memory_)); }

  boost::json::monotonic_resource memory_{1 << 16};  // frees all replies together
  std::vector<history::Operation> operations_;
  std::int64_t last_instant_ = 0;  // sequence number: many operations have equal times
};

}  // namespace finality::sim
