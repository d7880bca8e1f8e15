// Names of enumerators, by reflection. REQUIRES: the enum is described with BOOST_DESCRIBE_ENUM, and its values are 0,
// 1, 2, … in declaration order.
#pragma once

#include <boost/describe/enum.hpp>
#include <boost/describe/enumerators.hpp>
#include <boost/mp11/algorithm.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace finality {

/// The names of all enumerators, indexed by value.
template <class Enum>
inline constexpr auto kNames = [] {
  using Described = boost::describe::describe_enumerators<Enum>;
  std::array<std::string_view, boost::mp11::mp_size<Described>::value> names{};
  boost::mp11::mp_for_each<Described>([&](auto d) { names[static_cast<std::size_t>(d.value)] = d.name; });
  return names;
}();

template <class Enum>
concept DescribedEnum = boost::describe::has_describe_enumerators<Enum>::value;

/// The name of the enumerator `value`.
template <DescribedEnum Enum>
constexpr std::string_view name_of(Enum value) {
  return kNames<Enum>[static_cast<std::size_t>(value)];
}

/// The enumerator named `name`; empty if the enum has no such name.
template <DescribedEnum Enum>
constexpr std::optional<Enum> parse_enum(std::string_view name) {
  for (std::size_t i = 0; i < kNames<Enum>.size(); ++i)
    if (kNames<Enum>[i] == name) return static_cast<Enum>(i);
  return std::nullopt;
}

/// The number of enumerators.
template <DescribedEnum Enum>
inline constexpr std::size_t kCount = kNames<Enum>.size();

}  // namespace finality
