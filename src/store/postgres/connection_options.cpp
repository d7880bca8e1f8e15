#include "store/postgres/connection_options.h"

#include <fmt/format.h>
#include <libpq-fe.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <string_view>

namespace finality::postgres {
namespace {

constexpr std::size_t kLanesMax = 64;

Result<bool> take_own_options(std::string_view name, std::string_view value, ConnectionOptions& options) {
  if (name == "finality_lanes") {
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), options.lanes);
    if (error != std::errc() || end != value.data() + value.size() || options.lanes < 1 || options.lanes > kLanesMax)
      return fail(fmt::format("finality_lanes={} in the store's URL must be a number from 1 to {}.", value, kLanesMax));
    return true;
  }
  if (name == "finality_lock_roots") {
    if (value != "on" && value != "off")
      return fail(fmt::format("finality_lock_roots={} in the store's URL must be on or off.", value));
    options.lock_roots = value == "on";
    return true;
  }
  if (name.starts_with("finality_"))
    return fail(fmt::format("{} in the store's URL is unknown: use finality_lanes or finality_lock_roots.", name));
  return false;
}

// Rejects URLs whose password may not be percent-encoded. libpq takes parts of such a password as the host, port or
// database name, which its error messages quote. The error returned here quotes nothing of the URL.
Result<void> check_readable(const std::string& conninfo) {
  char* complaint = nullptr;
  const std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> options(
      PQconninfoParse(conninfo.c_str(), &complaint), PQconninfoFree);
  PQfreemem(complaint);
  bool readable = options != nullptr;
  for (const PQconninfoOption* option = options.get(); readable && option->keyword != nullptr; ++option) {
    const std::string_view name = option->keyword;
    const std::string_view value = option->val != nullptr ? option->val : "";
    if (name == "port") readable = value.find_first_not_of("0123456789,") == std::string_view::npos;
    if (name == "host" || name == "dbname") readable = value.find('@') == std::string_view::npos;
  }
  if (readable) return {};
  return fail(
      "the store's URL cannot be read. Use postgres://USER@HOST:PORT/DATABASE?NAME=VALUE&… and percent-encode all "
      "characters of the password except letters and digits, or put the password into ~/.pgpass.");
}

}  // namespace

std::size_t lanes_by_default() { return static_cast<std::size_t>(std::clamp(sysconf(_SC_NPROCESSORS_ONLN), 1L, 4L)); }

Result<ConnectionOptions> parse_target(const std::string& url) {
  ConnectionOptions options;
  const std::size_t question = url.find('?');
  options.conninfo = url.substr(0, question);
  std::string_view rest =
      question == std::string::npos ? std::string_view() : std::string_view(url).substr(question + 1);
  char separator = '?';
  while (!rest.empty()) {
    const std::string_view pair = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(rest.size(), pair.size() + 1));
    const std::size_t equals = pair.find('=');
    const std::string_view value = equals == std::string_view::npos ? std::string_view() : pair.substr(equals + 1);
    const auto ours = take_own_options(pair.substr(0, equals), value, options);
    if (!ours) return std::unexpected(ours.error());
    if (*ours) continue;
    options.conninfo += separator;
    options.conninfo += pair;
    separator = '&';
  }
  if (auto readable = check_readable(options.conninfo); !readable) return std::unexpected(readable.error());
  return options;
}

}  // namespace finality::postgres
