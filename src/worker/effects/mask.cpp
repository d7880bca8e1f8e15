#include "worker/effects/mask.h"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <optional>

#include "base/crypto/encoding.h"
#include "base/limits.h"
#include "channel/kind.h"

namespace finality {
namespace {

namespace json = boost::json;

constexpr std::string_view kMask = "***";

// Names of hidden fields, in lower case and without "_" and "-", which comparisons ignore.
constexpr std::string_view kHiddenNames[] = {"sign", "address", "ip", "identity", "returnurl"};
constexpr std::string_view kHiddenBeginning = "payer";
constexpr std::string_view kHiddenEnding = "key";
constexpr std::string_view kHiddenParts[] = {
    // names of credentials and payment codes
    "signature", "secret", "password", "token", "privatekey", "apikey", "credential", "authorization", "authcode",
    "ciphertext", "cookie",
    // names of fields that identify the payer
    "openid", "userid", "idcard", "cardno", "accountno", "phone", "mobile", "email", "realname", "username", "nickname",
    "clientip"};
// Fields with text under these names are credentials; objects and arrays are authorizations of amounts (预授权单).
constexpr std::string_view kShownObjects[] = {"authorization", "authorizations"};

std::string plain(std::string_view name) {
  std::string out;
  for (const char c : name)
    if (c != '_' && c != '-') out += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return out;
}

json::value masked(const Mask& mask, json::value value);

// Parses a JSON object or array. Returns empty for any other text.
std::optional<json::value> parse_json(std::string_view text) {
  if (!text.starts_with('{') && !text.starts_with('[')) return std::nullopt;
  boost::system::error_code broken;
  json::value value = json::parse(text, broken);
  return broken ? std::nullopt : std::optional(std::move(value));
}

bool is_hidden_member(const Mask& mask, std::string_view name, const json::value& value) {
  const bool is_shown_object =
      value.is_structured() && std::ranges::find(kShownObjects, plain(name)) != std::end(kShownObjects);
  return !is_shown_object && mask.is_hidden(name);
}

void mask_members(const Mask& mask, json::object& object) {
  for (auto& [name, value] : object)
    value = is_hidden_member(mask, name, value) ? json::value(kMask) : masked(mask, std::move(value));
}

// If the text is a URL, masks its query, because download links contain tokens in the query.
json::value masked_text(const Mask& mask, const json::string& text) {
  const std::string_view url = text;
  const bool is_address = url.starts_with("https://") || url.starts_with("http://");
  if (!is_address || !url.contains('?')) return text;
  const std::size_t target = url.find_first_of("/?", url.find("//") + 2);
  return json::value(std::string(url.substr(0, target)) + mask.shown_target(url));
}

// Masks all hidden fields in the value, also in strings that contain JSON, such as the form field `biz_content`.
json::value masked(const Mask& mask, json::value value) {
  if (json::object* object = value.if_object()) {
    mask_members(mask, *object);
  } else if (json::array* list = value.if_array()) {
    for (json::value& item : *list) item = masked(mask, std::move(item));
  } else if (const json::string* text = value.if_string()) {
    if (auto inner = parse_json(*text)) return masked(mask, std::move(*inner));
    return masked_text(mask, *text);
  }
  return value;
}

// Returns whether a form may contain the character unescaped (RFC 3986 §2, without '#'). Text with other characters,
// such as an HTML error page or truncated JSON, is no form: secrets in it could not be found by field name.
bool is_form_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("-._~%+&=:/?@!$'()*,;[]").contains(c);
}

// Parses `name=value&…`, the format of form bodies and of queries. Returns empty for any other text.
std::optional<json::object> parse_form(std::string_view text) {
  if (!std::ranges::all_of(text, is_form_character)) return std::nullopt;
  json::object form;
  while (!text.empty()) {
    const std::string_view pair = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(text.size(), pair.size() + 1));
    const std::size_t equals = pair.find('=');
    if (equals == 0 || equals == std::string_view::npos) return std::nullopt;
    std::string raw(pair.substr(equals + 1));
    std::ranges::replace(raw, '+', ' ');
    const auto name = percent_decode(pair.substr(0, equals));
    const auto value = percent_decode(raw);
    if (!name || !value || !is_utf8(*name) || !is_utf8(*value)) return std::nullopt;
    form[*name] = *value;
  }
  return form.empty() ? std::nullopt : std::optional(std::move(form));
}

// Shortens text that is too long for an exchange. Never cuts within a multi-byte character.
std::string cut(std::string text) {
  constexpr std::string_view kMore = "…";
  if (text.size() <= limits::kExchangeTextMax) return text;
  std::size_t end = limits::kExchangeTextMax - kMore.size();
  while ((static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end).append(kMore);
}

std::string json_string(std::string_view text) { return json::serialize(json::string_view(text)); }

std::optional<json::value> read_body(std::string_view body) {
  if (auto value = parse_json(body)) return value;
  if (auto form = parse_form(body)) return json::value(std::move(*form));
  return std::nullopt;
}

std::string with_body(const Mask& mask, std::string object, std::string_view body) {
  if (!body.empty()) object.append(R"(,"body":)").append(mask.shown_body(body));
  return object.append("}");
}

}  // namespace

FieldNames field_names_of(std::span<const ChannelKind* const> kinds) {
  FieldNames names;
  for (const ChannelKind* kind : kinds) {
    names.hidden.insert(names.hidden.end(), kind->hidden_fields.begin(), kind->hidden_fields.end());
    names.shown.insert(names.shown.end(), kind->shown_fields.begin(), kind->shown_fields.end());
  }
  return names;
}

Mask::Mask(const FieldNames& of_channels) {
  for (const std::string& name : of_channels.hidden) of_channels_.hidden.push_back(plain(name));
  for (const std::string& name : of_channels.shown) of_channels_.shown.push_back(plain(name));
}

bool Mask::is_hidden(std::string_view name) const {
  const std::string text = plain(name);
  const auto is = [&](std::string_view one) { return text == one; };
  const auto contains = [&](std::string_view one) { return text.contains(one); };
  if (std::ranges::any_of(of_channels_.shown, is)) return false;
  return std::ranges::any_of(kHiddenNames, is) || text.starts_with(kHiddenBeginning) || text.ends_with(kHiddenEnding) ||
         std::ranges::any_of(kHiddenParts, contains) || std::ranges::any_of(of_channels_.hidden, contains);
}

std::string Mask::shown_body(std::string_view body) const {
  auto value = read_body(body);
  if (!value) return json_string(std::to_string(body.size()) + " bytes");
  std::string text = json::serialize(masked(*this, std::move(*value)));
  return text.size() <= limits::kExchangeTextMax ? text : json_string(cut(std::move(text)));
}

std::string Mask::shown_target(std::string_view url) const {
  const std::size_t authority = url.find("://");
  const std::size_t path = url.find_first_of("/?", authority == std::string_view::npos ? 0 : authority + 3);
  if (path == std::string_view::npos) return "/";
  std::string_view target = url.substr(path, url.find('#') - path);
  const std::size_t question_mark = target.find('?');
  std::string shown(question_mark == 0 ? "/" : target.substr(0, question_mark));
  if (question_mark == std::string_view::npos) return cut(std::move(shown));
  const auto query = parse_form(target.substr(question_mark + 1));
  if (!query) return cut(shown.append("?").append(kMask));
  char separator = '?';
  for (const auto& [name, value] : *query) {
    const json::value seen = is_hidden(name) ? json::value(kMask) : masked(*this, value);
    shown.append(1, separator).append(name).append("=");
    shown += seen.is_string() ? std::string(seen.get_string()) : json::serialize(seen);
    separator = '&';
  }
  return cut(std::move(shown));
}

std::string Mask::shown_exchange(const UpstreamRequest& request, const UpstreamResponse& response) const {
  const net::HttpRequest& http = request.http;
  std::string out = R"({"request":)";
  out += with_body(*this,
                   R"({"method":)" + json_string(http.method) + R"(,"path":)" + json_string(shown_target(request.url)),
                   http.body);
  if (response.http)
    out += R"(,"response":)" +
           with_body(*this, R"({"status":)" + std::to_string(response.http->status), response.http->body);
  return out + '}';
}

}  // namespace finality
