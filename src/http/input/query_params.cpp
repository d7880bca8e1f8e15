#include "http/input/query_params.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/crypto/encoding.h"
#include "base/time/date.h"
#include "http/input/text_rules.h"

namespace finality::http {
namespace {

constexpr std::size_t kParametersMax = 64;
constexpr std::size_t kNameMax = 64;

}  // namespace

std::optional<std::vector<QueryPair>> parse_query(std::string_view query) {
  std::vector<QueryPair> pairs;
  while (!query.empty()) {
    const std::size_t end = std::min(query.find('&'), query.size());
    const std::string_view pair = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    if (pair.empty()) continue;
    const std::size_t equals = std::min(pair.find('='), pair.size());
    auto name = percent_decode(pair.substr(0, equals));
    auto value = percent_decode(pair.substr(std::min(equals + 1, pair.size())));
    if (!name || !is_plain_text(*name, 1, kNameMax) || !value || !is_utf8(*value) || pairs.size() == kParametersMax)
      return std::nullopt;
    pairs.push_back({std::move(*name), std::move(*value)});
  }
  return pairs;
}

QueryParams::QueryParams(std::string_view text) {
  auto pairs = parse_query(text);
  if (!pairs) {
    const std::string_view rule =
        "The query string is malformed: use at most 64 percent-encoded name=value pairs joined by &.";
    mistake_ = Refusal{RefusalCode::invalid_request, std::string(rule), {}, {}};
    return;
  }
  for (QueryPair& pair : *pairs) {
    if (std::ranges::find(parameters_, pair.name, &Parameter::name) == parameters_.end()) {
      parameters_.push_back({std::move(pair.name), std::move(pair.value), false});
    } else {
      refuse(pair.name, "occurs more than once in the query");
    }
  }
}

std::optional<std::string> QueryParams::text(std::string_view name, std::size_t max) {
  std::optional<std::string> value = find(name);
  if (value && !is_plain_text(*value, 1, max)) {
    refuse(name, "must be text of 1 to " + std::to_string(max) + " characters without control characters");
    return std::nullopt;
  }
  return value;
}

std::optional<std::string> QueryParams::date(std::string_view name) {
  constexpr std::size_t kDateMax = 10;
  std::optional<std::string> day = text(name, kDateMax);
  if (day && !is_date(*day)) refuse(name, "must be a calendar day, such as 2026-01-31");
  return day;
}

std::optional<Time> QueryParams::time(std::string_view name) {
  const std::optional<std::string> value = find(name);
  const std::optional<Time> time = value ? parse_rfc3339(*value) : std::nullopt;
  if (value && !time) refuse(name, "must be an RFC 3339 timestamp, such as 2026-01-31T23:59:59.000Z");
  return time;
}

QueryRange<std::string> QueryParams::date_range() {
  QueryRange<std::string> range{date("from"), date("to")};
  check_order(!range.from || !range.to || *range.from <= *range.to, "from", "to");
  return range;
}

QueryRange<Time> QueryParams::time_range(std::string_view from, std::string_view to) {
  const QueryRange<Time> range{time(from), time(to)};
  check_order(!range.from || !range.to || *range.from <= *range.to, from, to);
  return range;
}

void QueryParams::check_order(bool is_ordered, std::string_view from, std::string_view to) {
  if (!is_ordered) refuse(from, "must not be after " + std::string(to));
}

std::optional<ObjectRef> QueryParams::reference(std::string_view name) {
  const std::optional<std::string> value = find(name);
  const std::optional<ObjectRef> object = value ? parse_ref(*value) : std::nullopt;
  if (value && !object) refuse(name, "must be the id of an object, such as ord_0amg…");
  return object;
}

std::optional<std::int64_t> QueryParams::integer(std::string_view name, std::int64_t min, std::int64_t max) {
  const std::optional<std::string> value = find(name);
  if (!value) return std::nullopt;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(value->data(), value->data() + value->size(), number);
  if (error == std::errc() && end == value->data() + value->size() && number >= min && number <= max) return number;
  refuse(name, "must be an integer from " + std::to_string(min) + " to " + std::to_string(max));
  return std::nullopt;
}

std::size_t QueryParams::limit(std::size_t normal, std::size_t max) {
  const auto number = integer("limit", 1, static_cast<std::int64_t>(max));
  return number ? static_cast<std::size_t>(*number) : normal;
}

void QueryParams::refuse(std::string_view name, std::string_view sentence) {
  if (mistake_) return;
  mistake_ = Refusal{
      RefusalCode::invalid_request, std::string(name) + ' ' + std::string(sentence) + '.', std::string(name), {}};
}

std::expected<void, Refusal> QueryParams::finish() const {
  if (mistake_) return std::unexpected(*mistake_);
  for (const Parameter& parameter : parameters_)
    if (!parameter.requested)
      return std::unexpected(Refusal{RefusalCode::invalid_request,
                                     parameter.name + " is not a query parameter of this endpoint.",
                                     parameter.name,
                                     {}});
  return {};
}

std::string QueryParams::list_of(std::span<const std::string_view> words) {
  std::string list;
  for (const std::string_view word : words) {
    if (!list.empty()) list += ", ";
    list += word;
  }
  return list;
}

std::optional<std::string> QueryParams::find(std::string_view name) {
  const auto at = std::ranges::find(parameters_, name, &Parameter::name);
  if (at == parameters_.end()) return std::nullopt;
  at->requested = true;
  return at->value;
}

}  // namespace finality::http
