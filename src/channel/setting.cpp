#include "channel/setting.h"

#include <charconv>

namespace finality {
namespace {

// Returns the value of `key`, or an empty value if the map does not contain the key.
template <class Map>
const typename Map::mapped_type& find_or_empty(const Map& map, std::string_view key) {
  static const typename Map::mapped_type kEmpty;
  const auto at = map.find(key);
  return at == map.end() ? kEmpty : at->second;
}

}  // namespace

std::vector<std::string> names_of(const Setting& setting) {
  const std::string key(setting.key);
  if (setting.type == SettingType::secret) return {key + "_file", key + "_env"};
  if (setting.type == SettingType::file) return {key + "_file"};
  return {key};
}

const std::string& ChannelValues::text(std::string_view key) const {
  static const std::string kEmpty;
  const auto* text = std::get_if<std::string>(&find_or_empty(all_, key));
  return text == nullptr ? kEmpty : *text;
}

bool ChannelValues::flag(std::string_view key) const {
  const auto* flag = std::get_if<bool>(&find_or_empty(all_, key));
  return flag != nullptr && *flag;
}

std::int64_t ChannelValues::number(std::string_view key) const {
  const auto* number = std::get_if<std::int64_t>(&find_or_empty(all_, key));
  return number == nullptr ? 0 : *number;
}

ChannelValues default_values(std::span<const Setting> settings) {
  ChannelValues values;
  for (const Setting& setting : settings) {
    if (setting.fallback.empty()) continue;
    std::int64_t number = 0;
    if (setting.type == SettingType::number)
      std::from_chars(setting.fallback.data(), setting.fallback.data() + setting.fallback.size(), number);
    values.set(setting.key, setting.type == SettingType::number ? ChannelValues::Value(number)
                                                                : ChannelValues::Value(std::string(setting.fallback)));
  }
  return values;
}

const Secret& ChannelTexts::secret(std::string_view key) const { return find_or_empty(secrets_, key); }
const std::string& ChannelTexts::text(std::string_view key) const { return find_or_empty(texts_, key); }
const ChannelTexts::Table& ChannelTexts::table(std::string_view key) const { return find_or_empty(tables_, key); }

}  // namespace finality
