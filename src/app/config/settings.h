// Reader of the tables of a configuration. A Rule checks one setting; a Table reads settings and keeps the first
// error.
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
#define TOML_MAX_NESTED_VALUES 4  // a setting is at most a table in a table in a table in a list
#include <toml++/toml.h>

namespace finality::app {

inline constexpr std::size_t kBaseUrlBytesMax = 1024;  // shorter than limits::kUrlMax, because paths are appended

/// The allowed values of a setting, as a text and as a function that reads a valid value.
template <class T>
struct Rule {
  std::string allowed;  // follows "must be" in the error message
  std::optional<T> (*read)(const toml::node&);
};

extern const Rule<std::string> kText;
extern const Rule<std::vector<std::string>> kTexts;
extern const Rule<bool> kSwitch;
extern const Rule<std::string> kBaseUrl;
extern const Rule<const toml::table*> kTable;

/// Returns the value of the node if it is a non-empty string without control characters; otherwise empty.
std::optional<std::string> read_text(const toml::node& node);

/// Where the node is in its file: `FILE:LINE`.
std::string place_of(const toml::node& node);

/// One table of the configuration. All tables store their errors in the same text, which keeps the first error. Callers
/// check that text once, after they have read all settings.
class Table {
 public:
  /// `table` is null if there is no such table. `name` is the prefix of the names of its settings. `table` and
  /// `error` must outlive this object.
  Table(const toml::table* table, std::string name, std::string& error)
      : table_(table), name_(std::move(name)), error_(error) {}

  /// Reports an error if the table has a setting that is not in `known`.
  void only(std::initializer_list<std::string_view> known) {
    only(std::vector<std::string>(known.begin(), known.end()));
  }
  void only(const std::vector<std::string>& known);
  /// Reads the setting `key` into `value`. Leaves `value` unchanged if the setting is missing, and reports an error if
  /// `rule` rejects it.
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
  /// Like read(), but reports an error if the setting is missing.
  template <class T>
  void require(std::string_view key, const Rule<T>& rule, T& value) {
    if (!has(key)) return complain(key, "is missing; it must be " + rule.allowed);
    read(key, rule, value);
  }
  bool has(std::string_view key) const { return table_ != nullptr && table_->contains(key); }
  /// Returns the table `key` inside this table; a table without settings if it is missing.
  Table table(std::string_view key);
  /// Returns the tables of a list (`[[key]]`), named key[0], key[1], …. Reports an error if the value is not a list of
  /// tables or has more than `max` entries.
  std::vector<Table> tables(std::string_view key, std::size_t max);
  /// Returns the keys of all settings that this table contains.
  std::vector<std::string_view> keys() const;
  /// Reports an error if the table has more than `max` entries, which are called `what`.
  void limit(std::size_t max, std::string_view what);
  /// Reports an error: file and line, the name of the setting `key`, and `what`. The line is that of the setting, or of
  /// this table if the setting is missing. Only the first error is kept.
  void complain(std::string_view key, std::string_view what);
  /// True if any table of the configuration has reported an error.
  bool has_complained() const { return !error_.empty(); }

 private:
  /// Where the setting is, or this table if the setting is missing. The whole file has no line.
  std::string place(std::string_view key) const;

  const toml::table* table_;
  std::string name_;
  std::string& error_;
};

}  // namespace finality::app
