// Strict JSON parser (RFC 8259): no extensions, UTF-8 only, bounded nesting depth, unique names in
// each object.
#pragma once

#include <boost/json/value.hpp>

#include <expected>
#include <string_view>

#include "model/refusal.h"

namespace finality::http {

/// Returns the parsed document, or the refusal `invalid_request`. `param` is the path of a repeated name, and empty for
/// other errors.
std::expected<boost::json::value, Refusal> parse_json(std::string_view text);

/// Returns the first 64 bytes of `name`, cut between characters, for error messages.
std::string shortened(std::string_view name);

}  // namespace finality::http
