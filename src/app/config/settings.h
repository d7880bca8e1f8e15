// Reader of the tables of a configuration file: rules for single settings, and a table that keeps the first error.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

namespace finality::app {

inline constexpr std::size_t kBaseUrlBytesMax = 1024;  // leaves room for paths

/// Allowed values of a setting.
template <class T>
struct Rule {
  std::string allowed;  // completes "must be"
  std::optional<T> (*read)(const toml::node&);
};

extern const Rule<std::string> kText;
extern const Rule<std::vector<std::string>> kTexts;
extern const Rule<bool> kSwitch;
extern const Rule<std::string> kBaseUrl;
extern const Rule<const toml::table*> kTable;

/// The node's value if it is a non-empty string without control characters; otherwise empty.
std::optional<std::string> read_text(const toml::node& node);

/// One table of the file. All tables of a file store the first error in `error`, so that callers need not check each
/// setting.
class Table {
 public:
  /// `table` is null if the file has no such table. `name` is the prefix of the names of its settings. `table` and
  /// `error` must outlive this.
  Table(const toml::table* table, std::string name, std::string& error)
      : table_(table), name_(std::move(name)), error_(error) {}

  /// Reports an error for a setting of the table that is not in `known`.
  void only(std::initializer_list<std::string_view> known) {
    only(std::vector<std::string>(known.begin(), known.end()));
  }
  void only(const std::vector<std::string>& known);
  /// Leaves `value` unchanged if the file does not contain the setting.
  template <class T>
  void read(std::string_view key, const Rule<T>& rule, T& value) {
    const toml::node* node = table_ == nullptr ? nullptr : table_->get(key);
    if (node == nullptr) return;
    if (auto found = rule.read(*node)) {
      value = std::move(*found);
    } else {
      complain(key, "must be " + rule.allowed);
    }
  }
  /// Like read(), but reports an error if the file does not contain the setting.
  template <class T>
  void require(std::string_view key, const Rule<T>& rule, T& value) {
    if (!has(key)) return complain(key, "is missing; it must be " + rule.allowed);
    read(key, rule, value);
  }
  bool has(std::string_view key) const { return table_ != nullptr && table_->contains(key); }
  /// The table `key` inside this table.
  Table table(std::string_view key);
  /// The tables of a list (`[[key]]`), named key[0], key[1], …. Complains if the value is not a list of tables, or has
  /// more than `max`.
  std::vector<Table> tables(std::string_view key, std::size_t max);
  /// Keys of the settings that the file contains in this table.
  std::vector<std::string_view> keys() const;
  /// Reports an error about the setting. `what` continues after the setting's name. Only the first error is kept.
  void complain(std::string_view key, std::string_view what);
  /// Whether any table of the file has reported an error so far.
  bool has_complained() const { return !error_.empty(); }

 private:
  const toml::table* table_;
  std::string name_;
  std::string& error_;
};

}  // namespace finality::app
