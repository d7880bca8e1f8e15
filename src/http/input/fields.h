// Strict reader of JSON bodies, with one getter per type of field. finish() returns the first validation error, with
// the path of the field as `param` and a detail that names the field and its limit. After a validation error, getters
// return placeholder values that must not be used.
//
//   auto fields = Fields::parse(request.body);
//   if (!fields) return fields.error();
//   const std::string number = fields->text("merchant_order_no", 64);
//   if (auto checked = fields->finish(); !checked) return checked.error();
#pragma once

#include <boost/json/fwd.hpp>

#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/described.h"
#include "base/limits.h"
#include "base/money.h"
#include "model/ids.h"
#include "model/refusal.h"

namespace finality::http {

enum class EmptyBody : std::uint8_t { refused, no_fields };

/// One JSON object of the body. Copies and nested objects share the parsed document and its first validation error. A
/// field can be read several times. Getters named optional_… return empty if the field is absent; the other getters
/// record a validation error for an absent field. Not thread safe.
class Fields {
 public:
  /// Returns the refusal `invalid_request` if the body is not one JSON object in UTF-8, is nested more than
  /// limits::kJsonDepthMax levels deep, or repeats a name. `empty`: whether an empty body is refused or has no fields.
  static std::expected<Fields, Refusal> parse(std::string_view body, EmptyBody empty = EmptyBody::refused);

  bool has(std::string_view name) const;

  /// Reads a string of 1 to `max` characters without control characters.
  std::string text(std::string_view name, std::size_t max);
  std::optional<std::string> optional_text(std::string_view name, std::size_t max);
  /// Reads a JSON integer from `min` to `max`. Refuses 1.0, 1e3 and "1".
  std::int64_t integer(std::string_view name, std::int64_t min, std::int64_t max);
  std::optional<std::int64_t> optional_integer(std::string_view name, std::int64_t min, std::int64_t max);
  /// Reads an amount of money in minor units, from `min` to limits::kAmountMax.
  MinorUnits amount(std::string_view name, MinorUnits min = 1);
  std::optional<MinorUnits> optional_amount(std::string_view name, MinorUnits min = 1);
  bool boolean(std::string_view name);
  Currency currency(std::string_view name);
  /// Reads a string of 1 to `max` characters from a-z, 0-9 and _.
  std::string word(std::string_view name, std::size_t max);
  std::optional<std::string> optional_word(std::string_view name, std::size_t max);
  /// Reads a string for which `is_valid` is true. The error says that it must be `rule`.
  std::optional<std::string> optional_match(std::string_view name, std::string_view rule,
                                            const std::function<bool(const std::string&)>& is_valid);
  /// Reads an object id of the type `AnId`. Does not check whether the object exists.
  template <class AnId>
  AnId id(std::string_view name) {
    const std::optional<ObjectRef> object = reference(name, AnId::type);
    return AnId{object ? object->value : 0};
  }
  /// Reads an absolute http or https URL of at most limits::kUrlMax bytes, without user information or fragment.
  std::string url(std::string_view name);
  std::optional<std::string> optional_url(std::string_view name);
  /// Reads the URL of a request that the server will send. It must be an https URL, unless its host is listed in
  /// `allow_private`. An IP address in the URL must be public or listed. A host name is resolved and checked later,
  /// when the server sends the request.
  std::string target(std::string_view name, std::span<const std::string> allow_private);
  std::optional<std::string> optional_target(std::string_view name, std::span<const std::string> allow_private);
  /// Reads an IPv4 or IPv6 address.
  std::optional<std::string> optional_address(std::string_view name);

  /// Reads a string that is one of `choices`.
  std::string choice(std::string_view name, std::span<const std::string_view> choices);
  /// Reads a string that is one of `choices` or `taken`. A refusal lists only `choices`, so that values in `taken` are
  /// not disclosed.
  std::string choice(std::string_view name, std::span<const std::string_view> choices,
                     std::span<const std::string_view> taken);
  /// Reads one of `choices`, or the name of an enumerator of `Enum`. Returns empty if the field is absent.
  std::optional<std::string> optional_choice(std::string_view name, std::span<const std::string_view> choices);
  template <DescribedEnum Enum>
  std::optional<Enum> optional_choice(std::string_view name) {
    const std::optional<std::string> word = optional_choice(name, kNames<Enum>);
    return word ? parse_enum<Enum>(*word) : std::nullopt;
  }
  /// Reads an array of 1 to `max` different values from `choices`. Returns empty if the field is absent.
  std::vector<std::string> optional_choices(std::string_view name, std::span<const std::string_view> choices,
                                            std::size_t max);
  /// Reads an object of strings. Returns its JSON text, sorted by key; empty if the field is absent or has no keys.
  std::string optional_metadata(std::string_view name);
  /// Returns a reader of the nested object; empty if the field is absent.
  std::optional<Fields> optional_object(std::string_view name);
  /// Returns readers of the objects in an array of 1 to `max` objects; empty if the field is absent. The path of a
  /// field of the second object is NAME[1].FIELD.
  std::vector<Fields> optional_objects(std::string_view name, std::size_t max);
  /// Whether the field is null. Only fields whose value can be removed accept null.
  bool is_null(std::string_view name);

  /// Records a validation error that the caller has detected in the field `name`. The detail of the refusal is the path
  /// of the field, followed by `sentence` and a period.
  void refuse(std::string_view name, std::string_view sentence);

  /// Returns the refusal `invalid_request` for the first validation error of the document, and names the other required
  /// fields that the getters did not find. Without such fields, refuses
  /// the first field that no getter has read.
  std::expected<void, Refusal> finish() const;

 private:
  struct Document;
  struct Level;
  Fields(std::shared_ptr<Document> document, Level& level) : document_(std::move(document)), level_(&level) {}

  const boost::json::value* find(std::string_view name);
  std::optional<ObjectRef> reference(std::string_view name, ObjectType type);
  // `rule` returns the rule of the field as text, which only an error needs.
  template <class Rule>
  std::optional<std::int64_t> optional_number(std::string_view name, std::int64_t min, std::int64_t max, Rule rule);
  template <class Rule, class IsValid>
  std::optional<std::string> matching(std::string_view name, Rule rule, IsValid is_valid);
  template <class Rule>
  void require(std::string_view name, Rule rule);
  std::string path_of(std::string_view name) const;
  bool check_text(std::string_view name, const boost::json::value& value, std::size_t min, std::size_t max);

  std::shared_ptr<Document> document_;
  Level* level_;
};

}  // namespace finality::http
