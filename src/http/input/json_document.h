// JSON by the letter (RFC 8259): no extensions, UTF-8, bounded depth, no name twice in one object.
#pragma once

#include <boost/json/value.hpp>

#include <expected>
#include <string_view>

#include "model/refusal.h"

namespace finality::http {

/// Refuses: invalid_request, with `param` where a name stands twice.
std::expected<boost::json::value, Refusal> parse_json(std::string_view text);

/// `name` cut to what fits an error message.
std::string shortened(std::string_view name);

}  // namespace finality::http
