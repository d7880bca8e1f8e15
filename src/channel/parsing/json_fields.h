// Strict readers for JSON from a channel. The input may be untrusted. Pure.
#pragma once

#include <boost/json/object.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace finality {

/// Parses a JSON object. Empty if `body` is not a JSON object or is nested deeper than limits::kJsonDepthMax. If a name
/// occurs twice, the last value is used.
std::optional<boost::json::object> parse_object(std::string_view body);

/// Returns the member `name` if it is a string of 1 to `bytes_max` bytes; otherwise empty. The view refers to `body`.
std::optional<std::string_view> text_field(const boost::json::object& body, std::string_view name,
                                           std::size_t bytes_max);

/// Returns the member `name` if it is an integer from `min` to `max`; otherwise empty.
std::optional<std::int64_t> whole_field(const boost::json::object& body, std::string_view name, std::int64_t min,
                                        std::int64_t max);

/// Returns the member `name`, owned by `body`; null if it is missing or not an object.
const boost::json::object* object_field(const boost::json::object& body, std::string_view name);

}  // namespace finality
