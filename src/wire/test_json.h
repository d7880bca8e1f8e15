// Helpers for tests that compare JSON.
#pragma once

#include <boost/json/parse.hpp>

#include <initializer_list>
#include <string>
#include <string_view>

namespace finality::wire {

/// Returns a JSON object with these fields. Tests list one field per line, so that they can be compared with
/// openapi.yaml.
inline std::string joined(std::initializer_list<std::string_view> fields) {
  std::string text = "{";
  for (const std::string_view field : fields) {
    if (text.size() > 1) text += ',';
    text += field;
  }
  return text + "}";
}

inline bool has(const std::string& text, std::string_view field) {
  return boost::json::parse(text).as_object().contains(field);
}

}  // namespace finality::wire
