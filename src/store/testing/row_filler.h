// Test fixture: generates rows with a value in every column from the row descriptions. Tests thus cover every column,
// also columns added later.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "base/money.h"
#include "base/secret.h"
#include "model/aggregate.h"
#include "store/sql/columns.h"

namespace finality::store_contract {

/// The merchant of all generated rows. In a distributed store, related rows must have the same merchant.
inline constexpr MerchantId kFillersMerchant{7'000'000'001};

/// Generates rows of any type. Values are unique, except for types with few values, such as enumerations. All rows have
/// the merchant kFillersMerchant.
class RowFiller {
 public:
  /// If `optionals` is false, optional columns stay empty.
  explicit RowFiller(bool optionals) : optionals_(optionals) {}

  void set_optionals(bool optionals) { optionals_ = optionals; }

  template <class Row>
  Row row() {
    Row made;
    store::for_each_column<Row>([&](std::string_view, auto member) { fill(made.*member); });
    if constexpr (requires { made.merchant_id.value; }) made.merchant_id = kFillersMerchant;
    return made;
  }
  /// Gives a new value to every column that an update writes, except the version of a root.
  template <class Row>
  void change(Row& row) {
    store::for_each_column<Row>([&](std::string_view name, auto member) {
      const bool guard = RowTraits<Row>::kind == RowKind::root && name == "version";
      if (store::changes<Row>(name) && !guard) fill(row.*member);
    });
  }
  std::int64_t number() { return ++last_; }

 private:
  void fill(std::int64_t& value) { value = number(); }
  void fill(bool& value) { value = !value; }
  void fill(std::string& value) { value = fmt::format("text {} 'one' \"two\" ü 支付\n%s ?", number()); }
  void fill(Time& value) { value.ms = 1'700'000'000'000 + number(); }
  void fill(Secret& value) { value = Secret(fmt::format("secret {}", number())); }
  void fill(Currency& value) {
    const auto letter = static_cast<char>('A' + number() % 26);
    value = Currency{{letter, 'B', 'C'}};
  }
  void fill(Bytes& value) { value = Bytes(fmt::format("bytes {} \xFF", number()) + '\0'); }
  void fill(Hash16& value) {
    value.fill(0xFF);
    const std::int64_t unique = number();
    __builtin_memcpy(value.data(), &unique, sizeof unique);
  }
  template <ObjectType kType>
  void fill(Id<kType>& value) {
    value.value = number();
  }
  template <DescribedEnum Enum>
  void fill(Enum& value) {
    value = static_cast<Enum>((static_cast<std::size_t>(value) + 1) % kCount<Enum>);
  }
  template <class T>
  void fill(std::optional<T>& value) {
    if (!optionals_) return value.reset();
    fill(value ? *value : value.emplace());
  }

  bool optionals_;
  std::int64_t last_ = 0;
};

template <class Row>
void expect_same(const Row& found, const Row& expected) {
  store::for_each_column<Row>([&](std::string_view name, auto member) {
    EXPECT_TRUE(found.*member == expected.*member) << RowTraits<Row>::table << "." << name << " differs";
  });
}

template <class Row>
void expect_same(const std::vector<Row>& found, const std::vector<Row>& expected) {
  ASSERT_EQ(found.size(), expected.size()) << RowTraits<Row>::table;
  for (std::size_t i = 0; i < found.size(); ++i) expect_same(found[i], expected[i]);
}

template <StoredRow Row>
void expect_same(const Row* found, const Row& expected) {
  ASSERT_NE(found, nullptr) << RowTraits<Row>::table << ": row not found";
  expect_same(*found, expected);
}

template <Aggregate T>
void expect_same(const T* found, const T& expected) {
  ASSERT_NE(found, nullptr) << RowTraits<RootRow<T>>::table << ": row not found";
  expect_same(root_of(*found), root_of(expected));
  for_each_child_type<T>([&](std::string_view, auto member) { expect_same(found->*member, expected.*member); });
}

}  // namespace finality::store_contract
