#include "sandbox/alipay/fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <cctype>
#include <charconv>

#include "base/limits.h"
#include "sandbox/core/china_time.h"
#include "sandbox/core/fields.h"
#include "sandbox/formats/yuan.h"
#include "sandbox/texts/text_limits.h"

namespace finality::sandbox::alipay {
namespace {

using namespace std::chrono_literals;

constexpr MinorUnits kAmountMax = 100'000'000 * MinorUnits{100};
constexpr Duration kTimeoutMin = 1min;
constexpr Duration kTimeoutMax = 15 * 24h;

std::optional<boost::json::object> parse(std::string_view text) {
  boost::json::parse_options options;
  options.max_depth = limits::kJsonDepthMax;
  boost::json::error_code error;
  boost::json::value value = boost::json::parse(text, error, {}, options);
  if (error || !value.is_object()) return std::nullopt;
  return std::move(value.get_object());
}

// Returns the text of a JSON string or number, because some SDKs send amounts as numbers. Empty for other types.
std::optional<std::string> text_of(const boost::json::value& value) {
  if (value.is_string()) return std::string(std::string_view(value.get_string()));
  if (value.is_int64()) return std::to_string(value.get_int64());
  if (value.is_double()) return fmt::format("{}", value.get_double());
  return std::nullopt;
}

}  // namespace

BizFields::BizFields(std::string_view biz_content, std::string_view invalid_code) : invalid_code_(invalid_code) {
  if (auto fields = parse(biz_content)) {
    fields_ = std::move(*fields);
  } else {
    blame("biz_content");
  }
}

void BizFields::blame(std::string_view name) {
  if (!refusal_) refusal_ = business_failure(invalid_code_, fmt::format("参数无效: {}", name));
}

std::optional<std::string> BizFields::optional_text(std::string_view name, Check is_valid) {
  const boost::json::value* value = fields_.if_contains(name);
  if (value == nullptr || value->is_null()) return std::nullopt;
  auto text = text_of(*value);
  if (text && text->empty()) return std::nullopt;
  const bool is_good = text && is_accepted(text_limit(alipay_texts(), name), *text);
  if (is_good && (is_valid == nullptr || is_valid(*text))) return text;
  blame(name);
  return std::nullopt;
}

std::string BizFields::text(std::string_view name, Check is_valid) {
  auto text = optional_text(name, is_valid);
  if (!text) blame(name);
  return std::move(text).value_or("");
}

MinorUnits BizFields::amount(std::string_view name) {
  const std::optional<MinorUnits> amount = parse_yuan(text(name));
  if (amount && *amount >= 1 && *amount <= kAmountMax) return *amount;
  blame(name);
  return 0;
}

std::optional<Time> BizFields::optional_time(std::string_view name) {
  const auto text = optional_text(name, [](std::string_view t) { return parse_china_time(t).has_value(); });
  return text ? parse_china_time(*text) : std::nullopt;
}

bool BizFields::has_query_option(std::string_view option) {
  const boost::json::value* options = fields_.if_contains("query_options");
  if (options == nullptr || options->is_null()) return false;
  const bool are_texts =
      options->is_array() && std::ranges::all_of(options->get_array(), [](const auto& o) { return o.is_string(); });
  if (!are_texts) blame("query_options");
  return are_texts &&
         std::ranges::any_of(options->get_array(), [&](const auto& o) { return o.get_string() == option; });
}

std::string address_of(BizFields& fields, const Params& params, std::string_view name) {
  const std::string url(value_of(params, name));
  const bool is_good = is_web_url(url) && is_accepted(text_limit(alipay_texts(), name), url);
  if (!url.empty() && !is_good) fields.blame(name);
  return url;
}

bool is_word(std::string_view text) {
  return std::ranges::all_of(text, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

bool is_auth_code(std::string_view text) {
  const bool digits = std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
  return digits && text.size() >= 16 && text.size() <= 24 && text.substr(0, 2) >= "25" && text.substr(0, 2) <= "30";
}

std::optional<Time> end_of_timeout(std::string_view timeout_express, Time now) {
  if (timeout_express == "1c") return parse_china_day(china_date(now))->end;
  int count = 0;
  const char* end = timeout_express.data() + timeout_express.size();
  const auto [unit, error] = std::from_chars(timeout_express.data(), end, count);
  if (error != std::errc() || unit + 1 != end || count < 1 || count > 100'000) return std::nullopt;
  const Duration unit_duration = *unit == 'm'   ? Duration(1min)
                                 : *unit == 'h' ? Duration(1h)
                                 : *unit == 'd' ? 24h
                                                : Duration(0);
  const Duration timeout = unit_duration * count;
  return timeout >= kTimeoutMin && timeout <= kTimeoutMax ? std::optional(now + timeout) : std::nullopt;
}

}  // namespace finality::sandbox::alipay
