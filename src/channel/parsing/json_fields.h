// Reading what a channel says in JSON: hostile until its signature is verified, and strict afterwards. Pure.
#pragma once

#include <boost/json/object.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace finality {

/// The body as an object; empty when it is none, or nested too deeply. Of a name that stands twice the last one counts.
std::optional<boost::json::object> parse_object(std::string_view body);

/// The text of that name when it is there, a string, and has 1 to `bytes_max` bytes.
std::optional<std::string_view> text_field(const boost::json::object& body, std::string_view name,
                                           std::size_t bytes_max);

/// The integer of that name when it is there and lies within both bounds.
std::optional<std::int64_t> whole_field(const boost::json::object& body, std::string_view name, std::int64_t min,
                                        std::int64_t max);

/// The object of that name; null when it is not there or something else.
const boost::json::object* object_field(const boost::json::object& body, std::string_view name);

}  // namespace finality
