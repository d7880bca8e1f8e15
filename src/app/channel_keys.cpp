#include "app/channel_keys.h"

#include <fmt/format.h>

#include <cstdlib>
#include <optional>
#include <utility>

#include "app/config/secret_file.h"

namespace finality::app {
namespace {

using Texts = std::expected<ChannelTexts, WrongSetting>;

bool is_set(const std::string& variable) { return !variable.empty() && std::getenv(variable.c_str()) != nullptr; }

bool is_from_variable(const TextSource& source) { return is_set(source.variable) || source.file.empty(); }

// The name of the setting that selects the source of the text: KEY_env or KEY_file.
std::string name_of_place(std::string_view key, const TextSource& source) {
  return fmt::format("{}_{}", key, is_from_variable(source) ? "env" : "file");
}

Result<std::string> checked(std::string text, const std::string& name, std::size_t bytes_max) {
  text.erase(text.find_last_not_of("\r\n") + 1);
  if (text.empty()) return fail(name + " is empty");
  if (text.size() > bytes_max) return fail(fmt::format("{} is longer than {} bytes", name, bytes_max));
  return text;
}

WrongSetting wrong_text(const Setting& setting, const TextSource& source, const Error& error) {
  const std::string name = name_of_place(setting.key, source);
  if (source.file.empty() && !is_set(source.variable))
    return {name, fmt::format("names the environment variable {}, which is not set", source.variable)};
  return {name, fmt::format("must contain {}: {}", setting.what, error.message)};
}

std::optional<WrongSetting> read_table(const Setting& setting, const std::map<std::string, std::string>& files,
                                       ChannelTexts& texts) {
  ChannelTexts::Table table;
  for (const auto& [id, file] : files) {
    auto text = read_source({file, {}}, setting.bytes_max);
    if (!text)
      return WrongSetting{fmt::format("{}.{}", setting.key, id),
                          fmt::format("cannot be used: {}", text.error().message)};
    table[id] = std::move(*text);
  }
  texts.set(setting.key, std::move(table));
  return std::nullopt;
}

std::optional<WrongSetting> read_text(const Setting& setting, const TextSource& source, ChannelTexts& texts) {
  auto text = read_source(source, setting.bytes_max);
  if (!text) return wrong_text(setting, source, text.error());
  if (setting.type == SettingType::secret)
    texts.set(setting.key, Secret(std::move(*text)));
  else
    texts.set(setting.key, std::move(*text));
  return std::nullopt;
}

Error error_of(const WrongSetting& wrong) { return {wrong.key + ' ' + wrong.what}; }

// Messages about expired certificates. Each message names the setting and its file.
Result<std::vector<std::string>> expired_among(const ChannelAccountSettings& account, const ChannelTexts& texts,
                                               Time now) {
  if (account.kind->expired == nullptr) return {};
  auto expired = account.kind->expired(account.values, texts, now);
  if (!expired) return fail(in_settings(std::move(expired.error().message), account));
  for (std::string& one : *expired) one = in_settings(std::move(one), account);
  return expired;
}

Result<ChannelTexts> read_valid_texts(const ChannelAccountSettings& account) {
  auto texts = read_texts(account);
  if (!texts) return std::unexpected(error_of(texts.error()));
  return std::move(*texts);
}

}  // namespace

Result<std::string> read_source(const TextSource& source, std::size_t bytes_max) {
  const char* value = source.variable.empty() ? nullptr : std::getenv(source.variable.c_str());
  if (value == nullptr && source.file.empty())
    return fail(fmt::format("environment variable {} is not set", source.variable));
  if (value != nullptr) return checked(value, source.variable, bytes_max);
  auto text = read_whole_file(source.file, bytes_max);
  return text ? checked(std::move(*text), source.file, bytes_max) : std::move(text);
}

Texts read_texts(const ChannelAccountSettings& account) {
  ChannelTexts texts;
  for (const Setting& setting : account.kind->settings) {
    std::optional<WrongSetting> wrong;
    if (const auto table = account.tables.find(setting.key); table != account.tables.end())
      wrong = read_table(setting, table->second, texts);
    else if (const auto source = account.sources.find(setting.key); source != account.sources.end())
      wrong = read_text(setting, source->second, texts);
    if (wrong) return std::unexpected(std::move(*wrong));
  }
  return texts;
}

std::string in_settings(std::string message, const ChannelAccountSettings& account) {
  const std::string key = message.substr(0, message.find(": "));
  if (const auto source = account.sources.find(key); source != account.sources.end()) {
    const bool from_variable = is_from_variable(source->second);
    return message.replace(0, key.size(),
                           fmt::format("{} ({})", name_of_place(key, source->second),
                                       from_variable ? source->second.variable : source->second.file));
  }
  const std::size_t dot = key.find('.');
  const auto table = account.tables.find(std::string_view(key).substr(0, dot));
  if (dot == std::string::npos || table == account.tables.end()) return message;
  const auto file = table->second.find(key.substr(dot + 1));
  if (file != table->second.end()) message.insert(key.size(), fmt::format(" ({})", file->second));
  return message;
}

Result<std::vector<std::string>> expired_certificates(const ChannelAccountSettings& account, Time now) {
  const auto texts = read_valid_texts(account);
  if (!texts) return std::unexpected(texts.error());
  return expired_among(account, *texts, now);
}

Result<std::unique_ptr<Channel>> make_channel(const ChannelAccountSettings& account, const ChannelTexts& texts,
                                              const std::string& public_url) {
  auto made = account.kind->make({account.channel, public_url, account.values}, texts);
  if (!made) return fail(in_settings(std::move(made.error().message), account));
  if (const auto dated = expired_among(account, texts, SystemClock().now()); !dated)
    return std::unexpected(dated.error());
  return made;
}

Result<std::unique_ptr<Channel>> make_channel(const ChannelAccountSettings& account, const std::string& public_url) {
  const auto texts = read_valid_texts(account);
  if (!texts) return std::unexpected(texts.error());
  return make_channel(account, *texts, public_url);
}

Result<void> load_keys(Channel& channel, const ChannelAccountSettings& account) {
  const auto texts = read_valid_texts(account);
  if (!texts) return std::unexpected(texts.error());
  if (const auto dated = expired_among(account, *texts, SystemClock().now()); !dated)
    return std::unexpected(dated.error());
  ReplaceableKeys* keys = channel.replaceable_keys();
  if (keys == nullptr) return fail("this channel cannot replace its keys at run time: restart the server");
  const auto used = keys->use_texts(*texts);
  return used ? used : fail(in_settings(used.error().message, account));
}

std::vector<std::string> key_files(const ChannelAccountSettings& account) {
  std::vector<std::string> files;
  for (const Setting& setting : account.kind->settings) {
    if (const auto source = account.sources.find(setting.key);
        source != account.sources.end() && !source->second.file.empty())
      files.push_back(source->second.file);
    if (const auto table = account.tables.find(setting.key); table != account.tables.end())
      for (const auto& [id, file] : table->second) files.push_back(file);
  }
  return files;
}

std::vector<std::string> secret_files(const ChannelAccountSettings& account) {
  std::vector<std::string> files;
  for (const Setting& setting : account.kind->settings) {
    const auto source = account.sources.find(setting.key);
    const bool is_secret = setting.type == SettingType::secret && source != account.sources.end();
    if (is_secret && !is_from_variable(source->second)) files.push_back(source->second.file);
  }
  return files;
}

}  // namespace finality::app
