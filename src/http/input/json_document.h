// Strict JSON parser (RFC 8259): no extensions, UTF-8 only, bounded depth, unique names in each object.
#pragma once

#include <boost/json/value.hpp>

#include <expected>
#include <string_view>

#include "model/refusal.h"

namespace finality::http {

/// Refuses: invalid_request; `param` is the path of a repeated name.
std::expected<boost::json::value, Refusal> parse_json(std::string_view text);

/// `name` truncated for error messages.
std::string shortened(std::string_view name);

}  // namespace finality::http
