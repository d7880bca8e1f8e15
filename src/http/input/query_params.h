// Strict reader of the query parameters of requests: refuses unknown and repeated parameters. finish() returns the
// first validation error.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/described.h"
#include "base/limits.h"
#include "base/time/time.h"
#include "model/ids.h"
#include "model/refusal.h"
#include "store/store.h"

namespace finality::http {

/// The bounds of a list; empty if absent.
template <class Value>
struct QueryRange {
  std::optional<Value> from;
  std::optional<Value> to;
};

/// A percent-decoded parameter of a query.
struct QueryPair {
  std::string name;
  std::string value;

  friend auto operator<=>(const QueryPair&, const QueryPair&) = default;
};
/// Returns the parameters of a query in their order. Returns empty if the query is malformed: a name is empty, too long
/// or not printable, a value is not UTF-8, or there are more than 64 parameters. A '+' is not decoded to a space,
/// because timestamps contain '+' in their offset from UTC.
std::optional<std::vector<QueryPair>> parse_query(std::string_view query);

/// The query parameters of one request. Getters return empty if the parameter is absent or invalid, and record a
/// validation error for an invalid parameter. Not thread safe.
class QueryParams {
 public:
  /// `text`: the part of the URL after '?' (parse_query).
  explicit QueryParams(std::string_view text);

  /// Reads text of 1 to `max` characters without control characters.
  std::optional<std::string> text(std::string_view name, std::size_t max);
  /// Reads an RFC 3339 timestamp.
  std::optional<Time> time(std::string_view name);
  /// Reads a calendar day, such as 2026-01-31.
  std::optional<std::string> date(std::string_view name);
  /// Reads the days `from` and `to`. Records an error of `from` if it is after `to`.
  QueryRange<std::string> date_range();
  /// Reads the timestamps of these names in the same way.
  QueryRange<Time> time_range(std::string_view from, std::string_view to);
  /// Reads the name of an enumerator of `Enum`.
  template <DescribedEnum Enum>
  std::optional<Enum> choice(std::string_view name) {
    const std::optional<std::string> word = find(name);
    const std::optional<Enum> value = word ? parse_enum<Enum>(*word) : std::nullopt;
    if (word && !value) refuse(name, "must be one of " + list_of(kNames<Enum>));
    return value;
  }
  /// Reads an object id of the type `AnId`. Does not check whether the object exists.
  template <class AnId>
  std::optional<AnId> id(std::string_view name) {
    const std::optional<std::string> word = find(name);
    const std::optional<AnId> value = word ? parse_id<AnId>(*word) : std::nullopt;
    if (word && !value) refuse(name, "must be an id that begins with " + std::string(prefix_of(AnId::type)) + "_");
    return value;
  }
  /// Reads an object id of any type.
  std::optional<ObjectRef> reference(std::string_view name);
  /// Reads a decimal integer from `min` to `max`.
  std::optional<std::int64_t> integer(std::string_view name, std::int64_t min, std::int64_t max);
  /// Reads the parameter `limit`, an integer from 1 to `max`. Returns `normal` if it is absent or invalid.
  std::size_t limit(std::size_t normal, std::size_t max);
  /// Reads `limit` and at most one of `starting_after` and `ending_before`, which are ids of the type `AnId`.
  template <class AnId>
  Page page() {
    Page page;
    page.limit = limit(limits::kListLimitDefault, limits::kListLimitMax);
    if (const auto after = id<AnId>("starting_after")) page.after = after->value;
    if (const auto before = id<AnId>("ending_before")) page.before = before->value;
    if (page.after && page.before) refuse("ending_before", "must not be combined with starting_after");
    return page;
  }

  /// Records a validation error that the caller has detected in the parameter `name`. The detail of the refusal is the
  /// name, followed by `sentence` and a period.
  void refuse(std::string_view name, std::string_view sentence);
  /// Returns the refusal `invalid_request` for the first validation error. If there is none, refuses the first
  /// parameter that no getter has read.
  std::expected<void, Refusal> finish() const;

 private:
  struct Parameter {
    std::string name;
    std::string value;
    bool requested = false;
  };
  static std::string list_of(std::span<const std::string_view> words);
  std::optional<std::string> find(std::string_view name);
  void check_order(bool is_ordered, std::string_view from, std::string_view to);

  std::vector<Parameter> parameters_;
  std::optional<Refusal> mistake_;
};

}  // namespace finality::http
