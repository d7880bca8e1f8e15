#include "sandbox/core/fields.h"

#include <fmt/format.h>
#include <boost/json/parse.hpp>
#include <boost/url/parse.hpp>

#include <algorithm>

#include "base/crypto/encoding.h"
#include "base/limits.h"
#include "sandbox/simple/answer.h"
#include "sandbox/texts/text_limits.h"

namespace finality::sandbox {
namespace {

boost::json::value parse(std::string_view body) {
  boost::json::parse_options options;
  options.max_depth = limits::kJsonDepthMax;
  boost::json::error_code error;
  boost::json::value value = boost::json::parse(body, error, {}, options);
  return error ? boost::json::value() : value;
}

}  // namespace

Fields::Fields(std::string_view body) : body_(parse(body)) {
  if (!body_.is_object()) refusal_ = error_answer(400, "invalid_parameter", "The body is not a JSON object.");
}

const boost::json::value* Fields::find(std::string_view name) {
  read_names_.emplace(name);
  const boost::json::value* value = body_.is_object() ? body_.get_object().if_contains(name) : nullptr;
  return value != nullptr && !value->is_null() ? value : nullptr;
}

void Fields::blame(std::string_view name, std::string_view message) {
  if (!refusal_) refusal_ = error_answer(400, "invalid_parameter", message, name);
}

std::string Fields::text(std::string_view name, Check is_valid) {
  std::optional<std::string> value = optional_text(name, is_valid);
  if (!value) blame(name, "The field is missing or invalid.");
  return std::move(value).value_or("");
}

std::optional<std::string> Fields::optional_text(std::string_view name, Check is_valid) {
  const boost::json::value* value = find(name);
  if (value == nullptr) return std::nullopt;
  const std::string text = value->is_string() ? std::string(std::string_view(value->get_string())) : "";
  const TextLimit& limit = text_limit(simple_texts(), name);
  if (value->is_string() && is_accepted(limit, text) && (is_valid == nullptr || is_valid(text))) return text;
  if (is_utf8(text) && count_in(limit.unit, text) > limit.max)
    blame(name, fmt::format("The field has {} {}; the maximum is {}.", count_in(limit.unit, text),
                            limit.unit == CountedUnit::bytes ? "bytes" : "characters", limit.max));
  blame(name, "The field is invalid.");
  return std::nullopt;
}

std::optional<Time> Fields::optional_time(std::string_view name) {
  const auto text = optional_text(name, [](std::string_view t) { return parse_rfc3339(t).has_value(); });
  return text ? parse_rfc3339(*text) : std::nullopt;
}

std::int64_t Fields::amount(std::string_view name) {
  const boost::json::value* value = find(name);
  if (value != nullptr && value->is_int64() && value->get_int64() >= 1 && value->get_int64() <= limits::kAmountMax)
    return value->get_int64();
  blame(name, "The amount must be an integer of minor units, from 1 to 10^15.");
  return 0;
}

bool Fields::flag(std::string_view name) {
  const boost::json::value* value = find(name);
  if (value != nullptr && value->is_bool()) return value->get_bool();
  blame(name, "The field must be true or false.");
  return false;
}

std::optional<net::HttpResponse> Fields::refusal() const {
  if (refusal_) return refusal_;
  for (const auto& field : body_.get_object())
    if (!read_names_.contains(std::string_view(field.key())))
      return error_answer(400, "invalid_parameter", "Unknown field.", std::string_view(field.key()));
  return std::nullopt;
}

bool is_currency(std::string_view text) {
  return text.size() == 3 && std::ranges::all_of(text, [](char c) { return c >= 'A' && c <= 'Z'; });
}

bool is_one_line(std::string_view text) {
  return std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) < ' '; });
}

bool is_web_url(std::string_view text) {
  if (text.size() > limits::kUrlMax) return false;
  const auto url = boost::urls::parse_uri(boost::urls::string_view(text.data(), text.size()));
  if (!url || url->host().empty()) return false;
  return url->scheme_id() == boost::urls::scheme::http || url->scheme_id() == boost::urls::scheme::https;
}

}  // namespace finality::sandbox
