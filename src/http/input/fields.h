// Strict reader of JSON bodies, with one getter per type of field. The first mistake is recorded and returned by
// finish(), with the path of the field as `param` and a detail that names the field and its limit. After a mistake,
// getters return placeholder values that must not be used.
//
//   auto fields = Fields::parse(request.body);
//   if (!fields) return fields.error();
//   const std::string number = fields->text("merchant_order_no", 64);
//   if (auto checked = fields->finish(); !checked) return checked.error();
#pragma once

#include <boost/json/fwd.hpp>

#include <cstdint>
#include <expected>
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

/// One JSON object of the body. Copies and nested objects read the same document. Fields can be read more than once.
/// Getters named optional_… return empty if the field is absent; the other getters record a mistake for an absent
/// field.
class Fields {
 public:
  /// Refuses a body that is not a single JSON object or not UTF-8, is nested too deeply, or repeats a field.
  static std::expected<Fields, Refusal> parse(std::string_view body, EmptyBody empty = EmptyBody::refused);

  bool has(std::string_view name) const;

  /// A string of 1 to `max` characters, none of them a control character.
  std::string text(std::string_view name, std::size_t max);
  std::optional<std::string> optional_text(std::string_view name, std::size_t max);
  /// A JSON integer: 1.0, 1e3 and "1" are refused.
  std::int64_t integer(std::string_view name, std::int64_t min, std::int64_t max);
  std::optional<std::int64_t> optional_integer(std::string_view name, std::int64_t min, std::int64_t max);
  /// An amount of money in minor units, from `min` to limits::kAmountMax.
  MinorUnits amount(std::string_view name, MinorUnits min = 1);
  std::optional<MinorUnits> optional_amount(std::string_view name, MinorUnits min = 1);
  bool boolean(std::string_view name);
  Currency currency(std::string_view name);
  /// A string of 1 to `max` characters from a-z, 0-9 and _.
  std::string word(std::string_view name, std::size_t max);
  std::optional<std::string> optional_word(std::string_view name, std::size_t max);
  /// An id of that type. Does not check whether the object exists.
  template <class AnId>
  AnId id(std::string_view name) {
    const std::optional<ObjectRef> object = reference(name, AnId::type);
    return AnId{object ? object->value : 0};
  }
  /// An absolute http or https URL without user information or fragment.
  std::string url(std::string_view name);
  std::optional<std::string> optional_url(std::string_view name);
  /// A URL that the server will call. An IP address in it must be public or in `allow_private`. A host name is resolved
  /// and checked at the time of the call.
  std::string target(std::string_view name, std::span<const std::string> allow_private);
  std::optional<std::string> optional_target(std::string_view name, std::span<const std::string> allow_private);
  /// An IPv4 or IPv6 address.
  std::optional<std::string> optional_address(std::string_view name);

  /// One of `choices`.
  std::string choice(std::string_view name, std::span<const std::string_view> choices);
  /// One of `choices` or `taken`. The detail of a mistake lists only `choices`.
  std::string choice(std::string_view name, std::span<const std::string_view> choices,
                     std::span<const std::string_view> taken);
  /// One of `choices`, or the name of an enumerator; empty if the field is absent.
  std::optional<std::string> optional_choice(std::string_view name, std::span<const std::string_view> choices);
  template <DescribedEnum Enum>
  std::optional<Enum> optional_choice(std::string_view name) {
    const std::optional<std::string> word = optional_choice(name, kNames<Enum>);
    return word ? parse_enum<Enum>(*word) : std::nullopt;
  }
  /// 1 to `max` different choices; empty if the field is absent.
  std::vector<std::string> optional_choices(std::string_view name, std::span<const std::string_view> choices,
                                            std::size_t max);
  /// `metadata` as a JSON object of strings, sorted by key. Empty if the field is absent.
  std::string optional_metadata(std::string_view name);
  /// The nested object; empty if the field is absent.
  std::optional<Fields> optional_object(std::string_view name);

  /// Records a mistake in the field `name` that the caller has detected. `sentence` continues after the field's path.
  void refuse(std::string_view name, std::string_view sentence);

  /// Returns the first mistake in the document. Without a mistake, refuses the first field that no getter has read.
  std::expected<void, Refusal> finish() const;

 private:
  struct Document;
  struct Level;
  Fields(std::shared_ptr<Document> document, Level& level) : document_(std::move(document)), level_(&level) {}

  const boost::json::value* find(std::string_view name);
  std::optional<ObjectRef> reference(std::string_view name, ObjectType type);
  std::optional<std::int64_t> optional_number(std::string_view name, std::int64_t min, std::int64_t max,
                                              std::string_view rule);
  void require(std::string_view name, std::string_view rule);
  std::string path_of(std::string_view name) const;
  bool check_text(std::string_view name, const boost::json::value& value, std::size_t min, std::size_t max);

  std::shared_ptr<Document> document_;
  Level* level_;
};

}  // namespace finality::http
