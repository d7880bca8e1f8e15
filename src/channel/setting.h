// Definitions and values of the settings of a channel account. Pure: app/ reads the configuration, the files and the
// environment, and passes their contents.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/described.h"
#include "base/secret.h"

namespace finality {

inline constexpr std::size_t kSettingTextBytesMax = 64 << 10;  // enough for several certificates

enum class SettingType : std::uint8_t {
  text,    // a text in the configuration, not secret
  url,     // an http or https URL without a query
  flag,    // true or false; default: false
  number,  // a whole number from 1 to Setting::number_max
  secret,  // a text in a file (KEY_file) or an environment variable (KEY_env); the variable takes precedence
  file,    // a text in a file (KEY_file), not secret
  files,   // a table of texts in files, from an id to a file name
};
BOOST_DESCRIBE_ENUM(SettingType, text, url, flag, number, secret, file, files)

/// Whether the configuration contains the location of the text (a file or an environment variable) instead of the text.
/// The text at a location may be replaced while the channel is in use.
constexpr bool is_text_location(SettingType type) { return type >= SettingType::secret; }

struct Setting {
  std::string_view key;
  SettingType type = SettingType::text;
  bool is_required = false;
  std::string_view fallback{};  // default of a text, URL or number setting; empty: no default
  /// Noun phrase that describes the setting, for error messages and configuration.md: "the APIv3 key".
  std::string_view what;
  /// Further documentation of the setting for configuration.md, in Markdown.
  std::string_view more{};
  /// The condition under which the setting is required, for configuration.md. Empty if `is_required` or `fallback`
  /// states it.
  std::string_view needed{};
  std::size_t bytes_max = kSettingTextBytesMax;  // size limit of the text in bytes
  std::int64_t number_max = 0;                   // only for a number
};

/// Returns the names of a setting in the configuration: KEY_file and KEY_env for a secret, KEY_file for a file,
/// otherwise KEY.
std::vector<std::string> names_of(const Setting& setting);

/// An invalid setting: its key, and a message that continues the name of the setting, "must …".
struct WrongSetting {
  std::string key;
  std::string what;
};

/// The keys of the settings that the configuration contains.
using SettingKeys = std::set<std::string, std::less<>>;

/// Values, including defaults, of all settings for which is_text_location() is false. `key` is Setting::key.
class ChannelValues {
 public:
  using Value = std::variant<std::string, bool, std::int64_t>;

  /// Returns the value of a text or URL setting; empty if the setting is not set.
  const std::string& text(std::string_view key) const;
  bool flag(std::string_view key) const;
  /// Returns the value of a number setting; 0 if the setting is not set.
  std::int64_t number(std::string_view key) const;
  void set(std::string_view key, Value value) { all_.insert_or_assign(std::string(key), std::move(value)); }
  const std::map<std::string, Value, std::less<>>& all() const { return all_; }

 private:
  std::map<std::string, Value, std::less<>> all_;
};

/// Returns the defaults of the settings that have one.
ChannelValues default_values(std::span<const Setting> settings);

/// Snapshot of the texts from files and the environment, by Setting::key. The getters return an empty value if the
/// snapshot has no text for the key.
class ChannelTexts {
 public:
  using Table = std::map<std::string, std::string>;  // from an id to a text

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
