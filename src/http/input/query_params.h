// Strict reader of the query of a GET: refuses unknown and repeated parameters. The first mistake is recorded and
// returned by finish().
#pragma once

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

/// The getters return empty if the parameter is absent or invalid; an invalid parameter is recorded as a mistake.
class QueryParams {
 public:
  /// `text`: the URL after '?'. A '+' is not decoded to a space, because timestamps with an offset contain it.
  explicit QueryParams(std::string_view text);

  /// 1 to `max` characters, none of them a control character.
  std::optional<std::string> text(std::string_view name, std::size_t max);
  /// An RFC 3339 timestamp.
  std::optional<Time> time(std::string_view name);
  /// The name of an enumerator.
  template <DescribedEnum Enum>
  std::optional<Enum> choice(std::string_view name) {
    const std::optional<std::string> word = find(name);
    const std::optional<Enum> value = word ? parse_enum<Enum>(*word) : std::nullopt;
    if (word && !value) refuse(name, "must be one of " + list_of(kNames<Enum>));
    return value;
  }
  /// An id of that type. Does not check whether the object exists.
  template <class AnId>
  std::optional<AnId> id(std::string_view name) {
    const std::optional<std::string> word = find(name);
    const std::optional<AnId> value = word ? parse_id<AnId>(*word) : std::nullopt;
    if (word && !value) refuse(name, "must be an id that begins with " + std::string(prefix_of(AnId::type)) + "_");
    return value;
  }
  /// An id of any type.
  std::optional<ObjectRef> reference(std::string_view name);
  /// The parameter `limit`, from 1 to `max`; `normal` if it is absent or invalid.
  std::size_t limit(std::size_t normal, std::size_t max);
  /// `limit`, and one of `starting_after` and `ending_before`, which are ids of the listed type.
  template <class AnId>
  Page page() {
    Page page;
    page.limit = limit(limits::kListLimitDefault, limits::kListLimitMax);
    if (const auto after = id<AnId>("starting_after")) page.after = after->value;
    if (const auto before = id<AnId>("ending_before")) page.before = before->value;
    if (page.after && page.before) refuse("ending_before", "must not be combined with starting_after");
    return page;
  }

  /// Records a mistake that the caller has detected. `sentence` continues after the parameter's name.
  void refuse(std::string_view name, std::string_view sentence);
  /// Returns the first mistake. Without a mistake, refuses the first parameter that no getter has read.
  std::expected<void, Refusal> finish() const;

 private:
  struct Parameter {
    std::string name;
    std::string value;
    bool requested = false;
  };
  static std::string list_of(std::span<const std::string_view> words);
  std::optional<std::string> find(std::string_view name);

  std::vector<Parameter> parameters_;
  std::optional<Refusal> mistake_;
};

}  // namespace finality::http
