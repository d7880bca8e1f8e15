// Renders authorizations and captures as objects of the API. Pure. Field names and their order are those of
// openapi.yaml.
#pragma once

#include <boost/json/object.hpp>

#include <span>
#include <string>

#include "model/aggregate.h"

namespace finality::wire {

/// Renders an authorization with those of `captures` that belong to it.
std::string authorization_json(const Authorization& authorization, std::span<const Capture> captures);
/// As above, with all its captures and their `channel_settlement`.
std::string authorization_json(const Authorization& authorization, const OrderAggregate& aggregate);

/// Renders a capture; with its order, includes `channel_settlement`.
std::string capture_json(const Capture& capture);
std::string capture_json(const Capture& capture, const OrderAggregate& aggregate);

/// Adds `authorized_amount`, `capture_before` and `authorizations` to the order. REQUIRES: the order has manual
/// capture.
void add_authorizations(boost::json::object& out, const OrderAggregate& aggregate,
                        const boost::json::storage_ptr& memory);

}  // namespace finality::wire
