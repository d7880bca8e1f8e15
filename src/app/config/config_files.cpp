#include "app/config/config_files.h"

#include <fmt/format.h>
#include <glob.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "app/config/secret_file.h"

namespace finality::app {
namespace {

constexpr std::string_view kInclude = "include";
/// The tables of an included file: their entries have names, so that their order has no meaning.
constexpr std::string_view kIncludable[] = {"bank_accounts", "channels"};

// The number of the first line that is longer than the limit; empty without such a line.
std::optional<std::size_t> long_line(std::string_view text) {
  for (std::size_t line = 1; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (end > kConfigLineBytesMax) return line;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return std::nullopt;
}

// Parses the file. Reduces `bytes_left` by its size.
Result<toml::table> parse_file(const std::string& path, std::size_t& bytes_left) {
  const auto text = read_whole_file(path, bytes_left);
  if (!text && bytes_left < kConfigBytesMax && text.error().message.contains("longer than"))
    return fail(fmt::format("{}; all files of a configuration together have at most {} bytes", text.error().message,
                            kConfigBytesMax));
  if (!text) return std::unexpected(text.error());
  bytes_left -= text->size();
  if (const auto line = long_line(*text))
    return fail(
        fmt::format("{}:{}: the line is longer than {} bytes: use several lines", path, *line, kConfigLineBytesMax));
  toml::parse_result parsed = toml::parse(std::string_view(*text), path);
  if (!parsed)
    return fail(fmt::format("{}:{}: {}", path, parsed.error().source().begin.line, parsed.error().description()));
  return std::move(parsed).table();
}

// Returns the text as a pattern that matches only this text.
std::string literal(const std::string& text) {
  std::string pattern;
  for (const char c : text) {
    if (std::string_view("*?[]\\").contains(c)) pattern += '\\';
    pattern += c;
  }
  return pattern;
}

// The part of a pattern before its first wildcard, in whole path components: "a/b" of "a/b/c*/d.toml".
std::filesystem::path literal_part(const std::filesystem::path& pattern) {
  std::filesystem::path part;
  for (const std::filesystem::path& component : pattern) {
    if (component.string().find_first_of("*?[\\") != std::string::npos) break;
    part /= component;
  }
  return part;
}

// Refuses a pattern that cannot match a file, because what it names without wildcards is no file or no directory.
Result<void> check_literal_part(const std::filesystem::path& directory, const std::filesystem::path& pattern) {
  const std::filesystem::path part = literal_part(pattern);
  const bool has_wildcard = part != pattern;
  std::error_code unknown;
  const auto status = std::filesystem::status(directory / part, unknown);
  if (part.empty()) return {};
  if (!std::filesystem::exists(status))
    return fail(fmt::format("names {}, which does not exist", (directory / part).string()));
  if (!has_wildcard && std::filesystem::is_directory(status))
    return fail(fmt::format("names a directory: write {}", (pattern / "*.toml").string()));
  if (has_wildcard && !std::filesystem::is_directory(status))
    return fail(fmt::format("names {}, which is not a directory", (directory / part).string()));
  return {};
}

// A missing directory has no matching files. Every other error ends the search.
int on_glob_error(const char*, int error) { return error == ENOENT || error == ENOTDIR ? 0 : 1; }

// Returns the files that match the pattern, sorted by name.
Result<std::vector<std::string>> matching_files(const std::filesystem::path& directory, const std::string& pattern) {
  if (auto checked = check_literal_part(directory, pattern); !checked) return std::unexpected(checked.error());
  const std::string whole =
      pattern.starts_with('/') || directory.empty() ? pattern : literal(directory.string()) + '/' + pattern;
  glob_t found{};
  errno = 0;
  const int result = ::glob(whole.c_str(), GLOB_NOSORT, on_glob_error, &found);
  std::vector<std::string> files;
  if (result == 0) files.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  const int error = errno;
  ::globfree(&found);
  if (result != 0 && result != GLOB_NOMATCH)
    return fail(fmt::format("{} cannot be searched: {}", whole,
                            error != 0 ? std::strerror(error) : "a directory is unreadable"));
  std::ranges::sort(files);
  return files;
}

// Moves the entries of the table `key` to the same table of `all`. Fails if a name is already there.
Result<void> move_entries(toml::table& all, std::string_view key, toml::table& entries) {
  toml::table* known = all[key].as_table();
  if (known == nullptr) {
    all.insert_or_assign(key, std::move(entries));
    return {};
  }
  for (auto&& [name, entry] : entries) {
    if (const toml::node* earlier = known->get(name.str()))
      return fail(fmt::format("{}: {}.{} is already defined in {}: use another name", place_of(entry), key, name.str(),
                              place_of(*earlier)));
    entry.visit([&](auto& one) { known->insert(name, std::move(one)); });
  }
  return {};
}

// Joins the tables of an included file with the others.
Result<void> join(toml::table& all, toml::table included) {
  for (auto&& [key, entry] : included) {
    const std::string_view name = key.str();
    if (std::ranges::find(kIncludable, name) == std::end(kIncludable))
      return fail(fmt::format("{}: {} is not allowed in an included file, which contains only [{}.NAME]",
                              place_of(entry), name, fmt::join(kIncludable, ".NAME] and [")));
    if (!entry.is_table()) return fail(fmt::format("{}: {} must be a table", place_of(entry), name));
    if (all.contains(name) && !all[name].is_table()) continue;  // reported when the settings are read
    if (auto moved = move_entries(all, name, *entry.as_table()); !moved) return moved;
  }
  return {};
}

// Reads the pattern and removes it from the settings. An error names the setting.
Result<std::string> take_pattern(toml::table& settings) {
  const toml::node* node = settings.get(kInclude);
  if (node == nullptr) return std::string();
  const std::string place = place_of(*node);
  const auto pattern = kText.read(*node);
  settings.erase(kInclude);
  if (!pattern)
    return fail(
        fmt::format("{}: include must be {}: one pattern, such as \"channels.d/*.toml\"", place, kText.allowed));
  return *pattern;
}

Result<void> include_files(ConfigFiles& files, const std::string& path, std::size_t& bytes_left) {
  const toml::node* node = files.settings.get(kInclude);
  const std::string place = node == nullptr ? "" : place_of(*node);
  auto pattern = take_pattern(files.settings);
  if (!pattern) return std::unexpected(pattern.error());
  files.include = std::move(*pattern);
  if (files.include.empty()) return {};
  auto found = matching_files(std::filesystem::path(path).parent_path(), files.include);
  if (!found) return fail(fmt::format("{}: include {}", place, found.error().message));
  if (found->size() > kIncludedFilesMax)
    return fail(fmt::format("{}: include must match at most {} files, but matches {}", place, kIncludedFilesMax,
                            found->size()));
  for (const std::string& file : *found) {
    std::error_code unknown;
    const auto status = std::filesystem::status(file, unknown);
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
      return fail(fmt::format("{}: include matches {}, which is not a regular file", place, file));
    if (std::filesystem::equivalent(file, path, unknown))
      return fail(
          fmt::format("{}: include must not match the file that contains it: use a directory, such as "
                      "channels.d/*.toml",
                      place));
    auto table = parse_file(file, bytes_left);
    if (!table) return std::unexpected(table.error());
    if (auto joined = join(files.settings, std::move(*table)); !joined) return joined;
  }
  files.included = std::move(*found);
  return {};
}

}  // namespace

Result<ConfigFiles> read_config_files(const std::string& path) {
  std::size_t bytes_left = kConfigBytesMax;
  auto settings = parse_file(path, bytes_left);
  if (!settings) return std::unexpected(settings.error());
  ConfigFiles files{.settings = std::move(*settings)};
  if (auto included = include_files(files, path, bytes_left); !included) return std::unexpected(included.error());
  return files;
}

}  // namespace finality::app
