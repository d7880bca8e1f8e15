// Writes down what the clients of a world were told, as the checker of histories reads it. One thread's.
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
  /// How the API would be asked for the command; nothing for one that clients do not ask for, or that no check reads.
  static std::optional<history::Operation> request_of(const Command& command, const std::string& key);

  /// A request is sent. Names it for answered().
  std::size_t asked(const history::Operation& request);
  void answered(std::size_t which, const Reply& reply);
  /// A client asks for the object and is shown it at once.
  void shown(const OrderAggregate& order);
  void shown(const Account& account, Time now);

  /// Says what is impossible about all of it.
  void check(Findings& findings) const;
  const std::vector<history::Operation>& operations() const { return operations_; }

 private:
  void add_shown(std::string path, MerchantId merchant, const std::string& body);
  /// An empty object that takes its memory from `memory_`.
  boost::json::object fresh() { return boost::json::object(boost::json::storage_ptr(&memory_)); }

  boost::json::monotonic_resource memory_{1 << 16};  // a world's answers are freed together
  std::vector<history::Operation> operations_;
  std::int64_t last_instant_ = 0;  // within one instant of the world much happens, one after another
};

}  // namespace finality::sim
