// Renders optional fields of the API. A field without a value is absent from the JSON, never null.
#pragma once

#include <boost/json/object.hpp>

#include <optional>
#include <string_view>

#include "base/time/time.h"
#include "model/ids.h"

namespace finality::wire {

template <class T>
void add_optional(boost::json::object& out, std::string_view name, const std::optional<T>& value) {
  if (value) out.emplace(name, *value);
}
inline void add_optional(boost::json::object& out, std::string_view name, const std::optional<Time>& value) {
  if (value) out.emplace(name, to_rfc3339(*value));
}
template <ObjectType kType>
void add_optional(boost::json::object& out, std::string_view name, const std::optional<Id<kType>>& value) {
  if (value) out.emplace(name, to_text(*value));
}

}  // namespace finality::wire
