// Strict readers for JSON from a channel. The input is untrusted until its signature is verified. Pure.
#pragma once

#include <boost/json/object.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace finality {

/// The body as an object; empty when it is not a JSON object or is nested too deeply. The last of duplicate names wins.
std::optional<boost::json::object> parse_object(std::string_view body);

/// The member `name`, if it is a string of 1 to `bytes_max` bytes; empty otherwise.
std::optional<std::string_view> text_field(const boost::json::object& body, std::string_view name,
                                           std::size_t bytes_max);

/// The member `name`, if it is an integer from `min` to `max`; empty otherwise.
std::optional<std::int64_t> whole_field(const boost::json::object& body, std::string_view name, std::int64_t min,
                                        std::int64_t max);

/// The member `name`; null when it is missing or not an object.
const boost::json::object* object_field(const boost::json::object& body, std::string_view name);

}  // namespace finality
