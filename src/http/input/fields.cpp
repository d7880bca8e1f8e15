#include "http/input/fields.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <boost/url/ipv4_address.hpp>
#include <boost/url/ipv6_address.hpp>
#include <ostream>  // used but not included by Boost.URL 1.81

#include <algorithm>
#include <deque>
#include <utility>

#include "base/crypto/encoding.h"
#include "base/net/http_client.h"
#include "base/net/http_url.h"
#include "http/input/json_document.h"
#include "http/input/text_rules.h"

namespace finality::http {

namespace json = boost::json;

struct Fields::Level {
  const json::object* object;
  std::string prefix;  // path of the object, such as "payment."
  std::vector<std::string_view> requested;
};

struct Fields::Document {
  json::value root;
  std::deque<Level> levels;
  std::optional<Refusal> mistake;
  std::vector<std::string> missing;  // paths of all required fields that are absent
};

namespace {

Refusal invalid(std::string path, std::string sentence) {
  return {RefusalCode::invalid_request, std::move(sentence), std::move(path), {}};
}

// Appends the other fields that are absent, so that a client can add all of them at once.
Refusal with_missing(Refusal mistake, const std::vector<std::string>& missing) {
  std::string others;
  for (const std::string& path : missing)
    if (path != mistake.param) others += (others.empty() ? "" : ", ") + path;
  if (!others.empty()) mistake.detail += " Also required: " + others + ".";
  return mistake;
}

// Whether the body is an HTML form, such as `amount=8000&currency=CNY`: what curl sends with -d and no JSON.
bool is_form(std::string_view body) {
  const std::size_t end =
      body.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.[]-%");
  return end != 0 && end != std::string_view::npos && body[end] == '=';
}

Refusal unreadable_body(std::string sentence) { return {RefusalCode::invalid_request, std::move(sentence), {}, {}}; }

std::string text_rule(std::size_t min, std::size_t max) {
  return "text of " + std::to_string(min) + " to " + std::to_string(max) + " characters without control characters";
}

std::string word_rule(std::size_t max) { return "1 to " + std::to_string(max) + " characters from a-z, 0-9 and _"; }

std::string integer_rule(std::int64_t min, std::int64_t max) {
  return "an integer from " + std::to_string(min) + " to " + std::to_string(max);
}

std::string amount_rule(MinorUnits min) {
  return integer_rule(min, limits::kAmountMax) + " in minor units, such as 8000 for 80.00 CNY";
}

std::string choice_rule(std::span<const std::string_view> choices) {
  std::string rule = choices.size() == 1 ? "" : "one of ";
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (i > 0) rule += ", ";
    rule += choices[i];
  }
  return rule;
}

template <class Range>
bool is_in(const Range& range, std::string_view value) {
  return std::ranges::find(range, value) != std::ranges::end(range);
}

constexpr std::string_view kCurrencyRule = "an ISO 4217 code in upper case, such as CNY";

std::string url_rule() {
  return "an absolute http or https URL of at most " + std::to_string(limits::kUrlMax) +
         " bytes without user information or fragment";
}

bool is_url(const std::string& text) {
  return text.size() <= limits::kUrlMax && !text.contains('#') && net::parse_http_url(text).has_value();
}

// Whether the scheme of the URL is https, or its host is listed. Over http, anyone on the path could read and forge the
// requests. REQUIRES: is_url(url).
bool is_target(const std::string& url, std::span<const std::string> allow_private) {
  const Result<net::HttpUrl> parsed = net::parse_http_url(url);
  return parsed && (parsed->tls || std::ranges::any_of(allow_private, [&](const std::string& host) {
                      return net::equals_ignoring_case(host, parsed->host);
                    }));
}

bool is_address(std::string_view text) {
  return boost::urls::parse_ipv4_address(text).has_value() || boost::urls::parse_ipv6_address(text).has_value();
}

}  // namespace

std::expected<Fields, Refusal> Fields::parse(std::string_view body, EmptyBody empty) {
  auto document = std::make_shared<Document>();
  if (body.empty() && empty == EmptyBody::no_fields) {
    document->root = json::object();
  } else {
    if (body.empty()) return std::unexpected(unreadable_body("The body must be a JSON object; it is empty."));
    if (is_form(body))
      return std::unexpected(unreadable_body("The body must be a JSON object; it is a form (name=value)."));
    std::expected<json::value, Refusal> parsed = parse_json(body);
    if (!parsed) return std::unexpected(std::move(parsed.error()));
    document->root = std::move(*parsed);
  }
  if (!document->root.is_object()) return std::unexpected(unreadable_body("The body must be a JSON object."));
  Level& level = document->levels.emplace_back(Level{&document->root.get_object(), "", {}});
  return Fields(std::move(document), level);
}

bool Fields::has(std::string_view name) const { return level_->object->contains(name); }

std::string Fields::text(std::string_view name, std::size_t max) {
  require(name, [=] { return text_rule(1, max); });
  return optional_text(name, max).value_or("");
}

std::optional<std::string> Fields::optional_text(std::string_view name, std::size_t max) {
  const json::value* value = find(name);
  if (value == nullptr || !check_text(name, *value, 1, max)) return std::nullopt;
  return std::string(value->get_string());
}

template <class Rule, class IsValid>
std::optional<std::string> Fields::matching(std::string_view name, Rule rule, IsValid is_valid) {
  const json::value* value = find(name);
  if (value == nullptr) return std::nullopt;
  if (const json::string* found = value->if_string())
    if (std::string text(*found); is_valid(text)) return text;
  refuse(name, "must be " + rule());
  return std::nullopt;
}

std::optional<std::string> Fields::optional_match(std::string_view name, std::string_view rule,
                                                  const std::function<bool(const std::string&)>& is_valid) {
  return matching(name, [rule] { return std::string(rule); }, is_valid);
}

std::int64_t Fields::integer(std::string_view name, std::int64_t min, std::int64_t max) {
  require(name, [=] { return integer_rule(min, max); });
  return optional_integer(name, min, max).value_or(min);
}

std::optional<std::int64_t> Fields::optional_integer(std::string_view name, std::int64_t min, std::int64_t max) {
  return optional_number(name, min, max, [=] { return integer_rule(min, max); });
}

MinorUnits Fields::amount(std::string_view name, MinorUnits min) {
  require(name, [=] { return amount_rule(min); });
  return optional_amount(name, min).value_or(min);
}

std::optional<MinorUnits> Fields::optional_amount(std::string_view name, MinorUnits min) {
  return optional_number(name, min, limits::kAmountMax, [=] { return amount_rule(min); });
}

template <class Rule>
std::optional<std::int64_t> Fields::optional_number(std::string_view name, std::int64_t min, std::int64_t max,
                                                    Rule rule) {
  const json::value* value = find(name);
  if (value == nullptr) return std::nullopt;
  if (const std::int64_t* number = value->if_int64(); number != nullptr && *number >= min && *number <= max)
    return *number;
  refuse(name, "must be " + rule());
  return std::nullopt;
}

bool Fields::boolean(std::string_view name) {
  require(name, [] { return std::string("true or false"); });
  const json::value* value = find(name);
  if (value == nullptr) return false;
  if (const bool* answer = value->if_bool()) return *answer;
  refuse(name, "must be true or false");
  return false;
}

Currency Fields::currency(std::string_view name) {
  require(name, [] { return std::string(kCurrencyRule); });
  const json::value* value = find(name);
  if (value == nullptr) return {};
  if (const json::string* code = value->if_string())
    if (const std::optional<Currency> currency = parse_currency(std::string_view(*code))) return *currency;
  refuse(name, "must be " + std::string(kCurrencyRule));
  return {};
}

std::string Fields::word(std::string_view name, std::size_t max) {
  require(name, [=] { return word_rule(max); });
  return optional_word(name, max).value_or("");
}

std::optional<std::string> Fields::optional_word(std::string_view name, std::size_t max) {
  return matching(name, [=] { return word_rule(max); }, [=](const std::string& text) { return is_word(text, max); });
}

std::string Fields::url(std::string_view name) {
  require(name, url_rule);
  return optional_url(name).value_or("");
}

std::optional<std::string> Fields::optional_url(std::string_view name) { return matching(name, url_rule, is_url); }

std::string Fields::target(std::string_view name, std::span<const std::string> allow_private) {
  require(name, url_rule);
  return optional_target(name, allow_private).value_or("");
}

std::optional<std::string> Fields::optional_target(std::string_view name, std::span<const std::string> allow_private) {
  std::optional<std::string> url = optional_url(name);
  if (url && !net::may_be_public(*url, allow_private))
    refuse(name, "must have a public address, or an address listed in the setting webhooks.allow_private");
  if (url && !is_target(*url, allow_private))
    refuse(name, "must be an https URL, because its host is not listed in the setting webhooks.allow_private");
  return url;
}

std::optional<std::string> Fields::optional_address(std::string_view name) {
  return matching(name, [] { return std::string("an IPv4 or IPv6 address"); }, is_address);
}

std::string Fields::choice(std::string_view name, std::span<const std::string_view> choices) {
  require(name, [=] { return choice_rule(choices); });
  return optional_choice(name, choices).value_or("");
}

std::string Fields::choice(std::string_view name, std::span<const std::string_view> choices,
                           std::span<const std::string_view> taken) {
  const json::value* value = find(name);
  const json::string* word = value != nullptr ? value->if_string() : nullptr;
  return choice(name, word != nullptr && is_in(taken, std::string_view(*word)) ? taken : choices);
}

std::optional<std::string> Fields::optional_choice(std::string_view name, std::span<const std::string_view> choices) {
  const json::value* value = find(name);
  if (value == nullptr) return std::nullopt;
  if (const json::string* word = value->if_string())
    if (is_in(choices, std::string_view(*word))) return std::string(*word);
  refuse(name, "must be " + choice_rule(choices));
  return std::nullopt;
}

std::vector<std::string> Fields::optional_choices(std::string_view name, std::span<const std::string_view> choices,
                                                  std::size_t max) {
  const json::value* value = find(name);
  if (value == nullptr) return {};
  const auto refuse_all = [&] {
    refuse(name, "must be a list of 1 to " + std::to_string(max) + " different values, each " + choice_rule(choices));
    return std::vector<std::string>();
  };
  const json::array* list = value->if_array();
  if (list == nullptr || list->empty() || list->size() > max) return refuse_all();
  std::vector<std::string> words;
  for (const json::value& item : *list) {
    const json::string* word = item.if_string();
    if (word == nullptr || !is_in(choices, std::string_view(*word))) return refuse_all();
    if (is_in(words, std::string_view(*word))) return refuse_all();
    words.emplace_back(*word);
  }
  return words;
}

std::string Fields::optional_metadata(std::string_view name) {
  const json::value* value = find(name);
  if (value == nullptr) return {};
  const json::object* pairs = value->if_object();
  if (pairs == nullptr || pairs->size() > limits::kMetadataPairsMax) {
    refuse(name, "must be an object of at most " + std::to_string(limits::kMetadataPairsMax) + " strings");
    return {};
  }
  std::vector<std::pair<std::string_view, std::string_view>> sorted;
  for (const json::key_value_pair& pair : *pairs) {
    const std::string path = std::string(name) + '.' + shortened(pair.key());
    if (!is_plain_text(pair.key(), 1, limits::kMetadataKeyMax)) {
      refuse(path, "must have a key of 1 to " + std::to_string(limits::kMetadataKeyMax) +
                       " characters without control characters");
      return {};
    }
    if (!check_text(path, pair.value(), 0, limits::kMetadataValueMax)) return {};
    sorted.emplace_back(pair.key(), pair.value().get_string());
  }
  if (sorted.empty()) return {};
  std::ranges::sort(sorted);
  json::object out;
  for (const auto& [key, text] : sorted) out[key] = text;
  return json::serialize(out);
}

std::optional<Fields> Fields::optional_object(std::string_view name) {
  const json::value* value = find(name);
  if (value == nullptr) return std::nullopt;
  if (!value->is_object()) {
    refuse(name, "must be an object");
    return std::nullopt;
  }
  Level& level = document_->levels.emplace_back(Level{&value->get_object(), path_of(name) + '.', {}});
  return Fields(document_, level);
}

std::vector<Fields> Fields::optional_objects(std::string_view name, std::size_t max) {
  const json::value* value = find(name);
  if (value == nullptr) return {};
  const json::array* list = value->if_array();
  const bool are_objects =
      list != nullptr && std::ranges::all_of(*list, [](const json::value& item) { return item.is_object(); });
  if (!are_objects || list->empty() || list->size() > max) {
    refuse(name, "must be a list of 1 to " + std::to_string(max) + " objects");
    return {};
  }
  std::vector<Fields> objects;
  for (const json::value& item : *list) {
    std::string prefix = path_of(name) + '[' + std::to_string(objects.size()) + "].";
    Level& level = document_->levels.emplace_back(Level{&item.get_object(), std::move(prefix), {}});
    objects.push_back(Fields(document_, level));
  }
  return objects;
}

bool Fields::is_null(std::string_view name) {
  const json::value* value = find(name);
  return value != nullptr && value->is_null();
}

void Fields::refuse(std::string_view name, std::string_view sentence) {
  if (document_->mistake) return;
  const std::string path = path_of(name);
  document_->mistake = invalid(path, path + ' ' + std::string(sentence) + '.');
}

std::expected<void, Refusal> Fields::finish() const {
  if (document_->mistake) return std::unexpected(with_missing(*document_->mistake, document_->missing));
  for (const Level& level : document_->levels)
    for (const json::key_value_pair& pair : *level.object)
      if (!is_in(level.requested, std::string_view(pair.key()))) {
        const std::string path = level.prefix + shortened(pair.key());
        return std::unexpected(invalid(path, path + " is not a field of this request."));
      }
  return {};
}

const json::value* Fields::find(std::string_view name) {
  const auto at = level_->object->find(name);
  if (at == level_->object->end()) return nullptr;
  if (!is_in(level_->requested, name)) level_->requested.push_back(at->key());
  return &at->value();
}

std::optional<ObjectRef> Fields::reference(std::string_view name, ObjectType type) {
  const auto rule = [type] { return "an id that begins with " + std::string(prefix_of(type)) + "_"; };
  require(name, rule);
  const json::value* value = find(name);
  if (value == nullptr) return std::nullopt;
  if (const json::string* text = value->if_string())
    if (const auto object = parse_ref(std::string_view(*text)); object && object->type == type) return object;
  refuse(name, "must be " + rule());
  return std::nullopt;
}

template <class Rule>
void Fields::require(std::string_view name, Rule rule) {
  if (has(name)) return;
  refuse(name, "is required: " + rule());
  document_->missing.push_back(path_of(name));
}

std::string Fields::path_of(std::string_view name) const { return level_->prefix + std::string(name); }

bool Fields::check_text(std::string_view name, const json::value& value, std::size_t min, std::size_t max) {
  const json::string* text = value.if_string();
  if (text != nullptr && is_plain_text(std::string_view(*text), min, max)) return true;
  refuse(name, "must be " + text_rule(min, max));
  return false;
}

}  // namespace finality::http
