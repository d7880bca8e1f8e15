// Parts that several objects of the API have in common.
#pragma once

#include <boost/json/object.hpp>

#include <optional>
#include <string>

#include "model/aggregate.h"
#include "wire/optional_field.h"

namespace finality::wire {

/// Number of fields up to which an object is rendered fast: Boost.JSON builds no index for objects with up to 18
/// fields.
inline constexpr std::size_t kFields = 18;

/// Adds `failure` if there is a code.
void add_failure(boost::json::object& out, const std::optional<std::string>& code,
                 const std::optional<std::string>& message);

/// Adds `channel_settlement`, the settlement of the receipt, refund or reversal, if the channel has reported it.
void add_settlement(boost::json::object& out, const OrderAggregate& aggregate, ObjectRef document);
/// Adds the settlement of the accepted receipt of a payment or capture.
void add_settlement_of_collector(boost::json::object& out, const OrderAggregate& aggregate, ObjectRef collector);

/// Renders the payer's next action of a payment or authorization.
template <class Row>
boost::json::object action_of(const Row& row, const boost::json::storage_ptr& memory) {
  boost::json::object action({{"type", name_of(row.action_type)}}, memory);
  add_optional(action, "url", row.action_url);
  add_optional(action, "code", row.action_code);
  return action;
}

}  // namespace finality::wire
