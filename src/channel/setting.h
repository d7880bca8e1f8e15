// Settings of a channel account, as data: which there are, and what they were set to. Pure: app/ reads the
// configuration, files and environment, and hands over what they hold.
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

inline constexpr std::size_t kSettingTextBytesMax = 64
                                                    << 10;  // of a file or a variable: a bundle of certificates at most

enum class SettingType : std::uint8_t {
  text,    // a text that is no secret
  url,     // an http or https URL without a query
  flag,    // true or false; false where it is not set
  secret,  // a text in a file (KEY_file) or in a variable of the environment (KEY_env), which wins where it is set
  file,    // a text in a file (KEY_file) that is no secret
  files,   // a table: by an id, the file that has its text
};
BOOST_DESCRIBE_ENUM(SettingType, text, url, flag, secret, file, files)

/// Whether what it is set to is the place of a text, which may be replaced while the channel is in use.
constexpr bool is_place_of_text(SettingType type) { return type >= SettingType::secret; }

struct Setting {
  std::string_view key;
  SettingType type = SettingType::text;
  bool is_required = false;
  std::string_view fallback{};  // of a text or a URL that is not set; empty: it stays empty
  /// What it is, as a noun: "the APIv3 key". Ends the sentence of an error.
  std::string_view what;
  /// What else configuration.md says, in Markdown.
  std::string_view more{};
  /// When it is needed, where neither "required" nor its default tells.
  std::string_view needed{};
  std::size_t bytes_max = kSettingTextBytesMax;  // of the text
};

/// The names under which a setting stands in the configuration: KEY, or KEY_file and KEY_env.
std::vector<std::string> names_of(const Setting& setting);

/// Something is wrong with a setting: its key, and what goes after the name it has in the configuration ("must …").
struct WrongSetting {
  std::string key;
  std::string what;
};

/// The keys of settings that the configuration has.
using SettingKeys = std::set<std::string, std::less<>>;

/// Values of settings that are no places of texts, defaults among them. All questions take a setting's key.
class ChannelValues {
 public:
  using Value = std::variant<std::string, bool>;

  /// Empty when it is not set.
  const std::string& text(std::string_view key) const;
  bool flag(std::string_view key) const;
  void set(std::string_view key, Value value) { all_.insert_or_assign(std::string(key), std::move(value)); }
  const std::map<std::string, Value, std::less<>>& all() const { return all_; }

 private:
  std::map<std::string, Value, std::less<>> all_;
};

/// Texts from files and the environment, as they are at one moment. All questions take a setting's key, and answer with
/// something empty where there is no such text.
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
