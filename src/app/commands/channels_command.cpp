// Command `finality channels`: lists the kinds of channels and their settings.
#include <fmt/format.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "app/commands/command_line.h"
#include "app/commands/commands.h"
#include "channel/registry.h"

namespace finality::app {
namespace {

namespace json = boost::json;

// The type of the setting in the configuration file. It is "text" for files and environment variables, which are
// configured by name.
std::string_view type_of(const Setting& setting) {
  constexpr std::string_view kTypes[] = {"text", "text, a URL", "boolean", "integer", "text", "text", "table"};
  return kTypes[static_cast<std::size_t>(setting.type)];
}

std::string default_of(const Setting& setting) {
  if (!setting.needed.empty()) return std::string(setting.needed);
  if (setting.is_required) return setting.type == SettingType::secret ? "one is required" : "required";
  if (setting.type == SettingType::number && !setting.fallback.empty()) return fmt::format("`{}`", setting.fallback);
  if (!setting.fallback.empty()) return fmt::format("`\"{}\"`", setting.fallback);
  if (setting.type == SettingType::flag) return "`false`";
  return setting.type == SettingType::files ? "`{}`" : "none";
}

// Describes the setting for the name at index `at` of names_of(setting): a secret has the names KEY_file and KEY_env.
std::string meaning_of(const Setting& setting, std::size_t at) {
  const std::string what = fmt::format("{}{}{}", setting.what, setting.more.empty() ? "" : ": ", setting.more);
  if (setting.type == SettingType::secret)
    return at == 0 ? "a file with " + what : fmt::format("an environment variable with {}", setting.what);
  return setting.type == SettingType::file ? "a file with " + what : what;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i)
    text += fmt::format("{}{}", i == 0 ? "" : i + 1 == words.size() ? " and " : ", ", words[i]);
  return text;
}

std::string identity_of(const ChannelKind& kind) {
  std::vector<std::string> names;
  for (const std::string_view key : kind.identity) names.push_back(fmt::format("`{}`", key));
  if (kind.is_identified_by_name) names.emplace_back("NAME");
  return joined(names);
}

std::vector<std::string> interfaces_of(const ChannelKind& kind) {
  std::vector<std::string> names;
  if (kind.interfaces.authorizations) names.emplace_back("authorizations");
  if (kind.interfaces.refunds) names.emplace_back("refunds");
  if (kind.interfaces.statements) names.emplace_back("statements");
  if (kind.interfaces.maintenance) names.emplace_back("maintenance");
  return names;
}

std::string markdown() {
  std::string page;
  for (const ChannelKind* kind : channel_kinds()) {
    page += fmt::format("{}**{}**: {}.{}{} The channel identifies the account by {}.", page.empty() ? "" : "\n",
                        kind->name, kind->title, kind->about.empty() ? "" : " ", kind->about, identity_of(*kind));
    if (const auto interfaces = interfaces_of(*kind); !interfaces.empty())
      page += fmt::format(" Besides payments, it supports {}.", joined(interfaces));
    page += "\n\n| key | type | default | meaning |\n|---|---|---|---|\n";
    for (const Setting& setting : kind->settings) {
      const auto names = names_of(setting);
      for (std::size_t i = 0; i < names.size(); ++i)
        page += fmt::format("| `{}` | {} | {} | {} |\n", names[i], type_of(setting), default_of(setting),
                            meaning_of(setting, i));
    }
  }
  return page;
}

std::string as_json() {
  json::array all;
  for (const ChannelKind* kind : channel_kinds()) {
    json::array settings, identity, interfaces;
    for (const Setting& setting : kind->settings) {
      json::array names;
      for (const std::string& name : names_of(setting)) names.emplace_back(name);
      settings.push_back(json::object{{"key", setting.key},
                                      {"names", std::move(names)},
                                      {"type", name_of(setting.type)},
                                      {"required", setting.is_required},
                                      {"default", setting.fallback},
                                      {"meaning", meaning_of(setting, 0)}});
    }
    for (const std::string_view key : kind->identity) identity.emplace_back(key);
    for (const std::string& name : interfaces_of(*kind)) interfaces.emplace_back(name);
    all.push_back(json::object{{"kind", kind->name},
                               {"title", kind->title},
                               {"identity", std::move(identity)},
                               {"identified_by_name", kind->is_identified_by_name},
                               {"interfaces", std::move(interfaces)},
                               {"settings", std::move(settings)}});
  }
  return json::serialize(all);
}

}  // namespace

void add_channels(CLI::App& app) {
  CLI::App* channels = add_command(app, "channels", "List the kinds of channels and the settings of each");
  auto format = std::make_shared<std::string>("markdown");
  channels->add_option("--format", *format, "markdown or json")
      ->check(CLI::IsMember({"markdown", "json"}))
      ->capture_default_str();
  channels->callback([format] { fmt::print("{}\n", *format == "json" ? as_json() : markdown()); });
}

}  // namespace finality::app
