#include "channel/parsing/json_fields.h"

#include <boost/json/parse.hpp>

#include "base/limits.h"

namespace finality {

std::optional<boost::json::object> parse_object(std::string_view body) {
  boost::json::parse_options options;
  options.max_depth = limits::kJsonDepthMax;
  boost::json::error_code error;
  boost::json::value value = boost::json::parse(body, error, {}, options);
  if (error || !value.is_object()) return std::nullopt;
  return std::move(value.get_object());
}

std::optional<std::string_view> text_field(const boost::json::object& body, std::string_view name,
                                           std::size_t bytes_max) {
  const boost::json::value* value = body.if_contains(name);
  const boost::json::string* text = value == nullptr ? nullptr : value->if_string();
  if (text == nullptr || text->empty() || text->size() > bytes_max) return std::nullopt;
  return std::string_view(text->data(), text->size());
}

std::optional<std::int64_t> whole_field(const boost::json::object& body, std::string_view name, std::int64_t min,
                                        std::int64_t max) {
  const boost::json::value* value = body.if_contains(name);
  const std::int64_t* number = value == nullptr ? nullptr : value->if_int64();
  if (number == nullptr || *number < min || *number > max) return std::nullopt;
  return *number;
}

const boost::json::object* object_field(const boost::json::object& body, std::string_view name) {
  const boost::json::value* value = body.if_contains(name);
  return value == nullptr ? nullptr : value->if_object();
}

}  // namespace finality
