#include "http/server/idempotency.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/limits.h"
#include "http/input/query_params.h"
#include "model/natural_key.h"

namespace finality::http {
namespace {

constexpr std::string_view kHeader = "Idempotency-Key";

Refusal bad_key() {
  return {RefusalCode::invalid_request,
          "Idempotency-Key must be a single key of 1 to " + std::to_string(limits::kIdempotencyKeyMax) +
              " printable ASCII characters, unquoted or as a quoted string.",
          std::string(kHeader),
          {}};
}

bool is_printable(char c) { return c >= ' ' && c <= '~'; }

// Returns the text between the quotes, with \" and \\ unescaped; empty if the quoting is invalid.
std::optional<std::string> unquote(std::string_view quoted) {
  if (quoted.size() < 2 || !quoted.ends_with('"')) return std::nullopt;
  quoted = quoted.substr(1, quoted.size() - 2);
  std::string text;
  for (std::size_t i = 0; i < quoted.size(); ++i) {
    if (quoted[i] == '"') return std::nullopt;
    if (quoted[i] == '\\') {
      if (++i == quoted.size() || (quoted[i] != '"' && quoted[i] != '\\')) return std::nullopt;
    }
    text += quoted[i];
  }
  return text;
}

// Returns the same text for queries with the same parameters. Each name and value has its length as prefix, so that
// different parameters have different texts.
std::string canonical_query(std::string_view query) {
  auto pairs = parse_query(query);
  if (!pairs) return fmt::format("malformed:{}", query);
  std::ranges::sort(*pairs);
  std::string text;
  for (const QueryPair& pair : *pairs)
    text += fmt::format("{}:{}{}:{}", pair.name.size(), pair.name, pair.value.size(), pair.value);
  return text;
}

Hash16 begin_of(const std::string& digest) {
  Hash16 begin;
  std::copy_n(digest.begin(), begin.size(), begin.begin());
  return begin;
}

}  // namespace

std::expected<std::optional<Idempotency>, Refusal> idempotency_of(const net::HttpRequest& request,
                                                                  const Principal& principal) {
  std::optional<std::string> key;
  for (const auto& [name, value] : request.headers.fields()) {
    if (!net::equals_ignoring_case(name, kHeader)) continue;
    if (key) return std::unexpected(bad_key());
    key = value.starts_with('"') ? unquote(value) : value;
    if (!key || key->empty() || key->size() > limits::kIdempotencyKeyMax || !std::ranges::all_of(*key, is_printable))
      return std::unexpected(bad_key());
  }
  if (!key) return std::nullopt;
  const std::string scope = principal.merchant_id ? std::string() : to_text(principal.key_id);
  const std::string body = sha256(request.body);
  return Idempotency{
      .key_hash = hash_of_key(principal.merchant_id, "idempotency", {request.method, request.path(), scope, *key}),
      .fingerprint =
          hash_of_parts({}, "request", {request.method, request.path(), canonical_query(request.query()), body}),
      .body_fingerprint = begin_of(body)};
}

}  // namespace finality::http
