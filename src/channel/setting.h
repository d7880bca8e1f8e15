// Settings of a channel account, as data: their definitions and their values. Pure: app/ reads configuration, files and
// environment, and passes the contents.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/described.h"
#include "base/secret.h"

namespace finality {

inline constexpr std::size_t kSettingTextBytesMax = 64 << 10;  // of a file or a variable; fits a bundle of certificates

enum class SettingType : std::uint8_t {
  text,    // a text that is not secret
  url,     // an http or https URL without a query
  flag,    // true or false; false when it is not set
  secret,  // a text in a file (KEY_file) or an environment variable (KEY_env); the variable takes precedence
  file,    // a text in a file (KEY_file) that is not secret
  files,   // a table from an id to the file of a text
};
BOOST_DESCRIBE_ENUM(SettingType, text, url, flag, secret, file, files)

/// Whether the configured value names the location of a text (a file or a variable) instead of the text itself. Such a
/// text may be replaced while the channel is in use.
constexpr bool is_text_location(SettingType type) { return type >= SettingType::secret; }

struct Setting {
  std::string_view key;
  SettingType type = SettingType::text;
  bool is_required = false;
  std::string_view fallback{};  // default of a text or a URL; empty: no default
  /// Noun phrase for the setting, at the end of an error message: "the APIv3 key".
  std::string_view what;
  /// Further documentation for configuration.md, in Markdown.
  std::string_view more{};
  /// The condition under which the setting is needed, if `is_required` and `fallback` do not express it.
  std::string_view needed{};
  std::size_t bytes_max = kSettingTextBytesMax;  // size limit of the text
};

/// The names of a setting in the configuration: KEY, or KEY_file and KEY_env.
std::vector<std::string> names_of(const Setting& setting);

/// An invalid setting: its key, and the message that follows the setting's name ("must …").
struct WrongSetting {
  std::string key;
  std::string what;
};

/// The keys of the settings that the configuration contains.
using SettingKeys = std::set<std::string, std::less<>>;

/// Values of the settings that are not locations of texts, including defaults. All functions take a setting's key.
class ChannelValues {
 public:
  using Value = std::variant<std::string, bool>;

  /// The value of a text or URL setting; empty when it is not set.
  const std::string& text(std::string_view key) const;
  bool flag(std::string_view key) const;
  void set(std::string_view key, Value value) { all_.insert_or_assign(std::string(key), std::move(value)); }
  const std::map<std::string, Value, std::less<>>& all() const { return all_; }

 private:
  std::map<std::string, Value, std::less<>> all_;
};

/// Snapshot of the texts from files and the environment. All functions take a setting's key and return an empty value
/// when there is no such text.
class ChannelTexts {
 public:
  using Table = std::map<std::string, std::string>;  // texts by their ids

  const Secret& secret(std::string_view key) const;
  const std::string& text(std::string_view key) const;
  const Table& table(std::string_view key) const;

  void set(std::string_view key, Secret text) { secrets_.insert_or_assign(std::string(key), std::move(text)); }
  void set(std::string_view key, std::string text) { texts_.insert_or_assign(std::string(key), std::move(text)); }
  void set(std::string_view key, Table texts) { tables_.insert_or_assign(std::string(key), std::move(texts)); }

 private:
  std::map<std::string, Secret, std::less<>> secrets_;
  std::map<std::string, std::string, std::less<>> texts_;
  std::map<std::string, Table, std::less<>> tables_;
};

}  // namespace finality
