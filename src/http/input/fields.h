// Strict reading of a JSON body. One getter per kind of field; the first mistake is kept and told by finish(), with the
// field's path as `param` and a sentence that names the field and its limit. After a mistake getters still return
// something of their type, which nobody may use.
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

/// One object of the body. Copies and nested objects read the same document; fields may be asked for once or often.
class Fields {
 public:
  /// Refuses what is no single JSON object, is nested too deeply, is no UTF-8 or names a field twice.
  static std::expected<Fields, Refusal> parse(std::string_view body, EmptyBody empty = EmptyBody::refused);

  bool has(std::string_view name) const;

  /// 1 to `max` characters, none of them a control character.
  std::string text(std::string_view name, std::size_t max);
  std::optional<std::string> optional_text(std::string_view name, std::size_t max);
  /// Written as an integer: 1.0, 1e3 and "1" are none.
  std::int64_t integer(std::string_view name, std::int64_t min, std::int64_t max);
  std::optional<std::int64_t> optional_integer(std::string_view name, std::int64_t min, std::int64_t max);
  /// An amount of money in minor units, from `min` to limits::kAmountMax.
  MinorUnits amount(std::string_view name, MinorUnits min = 1);
  std::optional<MinorUnits> optional_amount(std::string_view name, MinorUnits min = 1);
  bool boolean(std::string_view name);
  Currency currency(std::string_view name);
  /// 1 to `max` of the characters a-z, 0-9 and _.
  std::string word(std::string_view name, std::size_t max);
  std::optional<std::string> optional_word(std::string_view name, std::size_t max);
  /// An id of that kind; whether there is such an object is seen later.
  template <class AnId>
  AnId id(std::string_view name) {
    const std::optional<ObjectRef> object = reference(name, AnId::type);
    return AnId{object ? object->value : 0};
  }
  /// An absolute http or https URL without user information and fragment.
  std::string url(std::string_view name);
  std::optional<std::string> optional_url(std::string_view name);
  /// A URL that we are to call: an address in it is public, or in `allow_private`. A name is looked up when called.
  std::string target(std::string_view name, std::span<const std::string> allow_private);
  std::optional<std::string> optional_target(std::string_view name, std::span<const std::string> allow_private);
  /// An IPv4 or IPv6 address.
  std::optional<std::string> optional_address(std::string_view name);

  std::string choice(std::string_view name, std::span<const std::string_view> choices);
  /// One of `taken`; a mistake names only those of `choices`.
  std::string choice(std::string_view name, std::span<const std::string_view> choices,
                     std::span<const std::string_view> taken);
  std::optional<std::string> optional_choice(std::string_view name, std::span<const std::string_view> choices);
  template <DescribedEnum Enum>
  std::optional<Enum> optional_choice(std::string_view name) {
    const std::optional<std::string> word = optional_choice(name, kNames<Enum>);
    return word ? parse_enum<Enum>(*word) : std::nullopt;
  }
  /// 1 to `max` of the choices, none twice; empty when the field is not there.
  std::vector<std::string> optional_choices(std::string_view name, std::span<const std::string_view> choices,
                                            std::size_t max);
  /// `metadata`: a JSON object of texts, sorted by name. Empty when there is none.
  std::string optional_metadata(std::string_view name);
  std::optional<Fields> optional_object(std::string_view name);

  /// Keeps a mistake in `name` that only the caller can see. `sentence` goes on after the field's path.
  void refuse(std::string_view name, std::string_view sentence);

  /// The first mistake anywhere in the document, or the first field nobody asked for.
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
