// Functions for the tests in this folder that compare JSON.
#pragma once

#include <boost/json/parse.hpp>

#include <initializer_list>
#include <string>
#include <string_view>

namespace finality::wire {

/// Joins fields to an expected JSON object, one line per field, for review against the API contract.
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
