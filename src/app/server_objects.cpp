#include "app/server_objects.h"

#include <fmt/format.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>

#include "base/crypto/encoding.h"
#include "base/limits.h"
#include "base/printable.h"
#include "channel/registry.h"

namespace finality::app {

namespace json = boost::json;

std::string url_of(std::string path, const Parameters& parameters) {
  char separator = '?';
  for (const auto& [name, value] : parameters) {
    if (value.empty()) continue;
    path += separator + name + "=" + percent_encode(value);
    separator = '&';
  }
  return path;
}

Result<json::object> object_in(Result<std::string> response) {
  if (!response) return std::unexpected(std::move(response.error()));
  boost::system::error_code error;
  json::value value = json::parse(*response, error);
  if (error || !value.is_object()) return fail("the response of the server is not JSON: check --server");
  return std::move(value.get_object());
}

Result<json::array> data_of(const json::object& list) {
  const json::value* data = list.if_contains("data");
  if (data == nullptr || !data->is_array() || !list.contains("has_more")) return fail("the server returned no list");
  json::array objects;
  for (const json::value& item : data->get_array())
    if (item.is_object()) objects.push_back(item);
  return objects;
}

std::string text_of(const json::object& object, std::string_view name) {
  const json::value* value = object.if_contains(name);
  if (value == nullptr) return "-";
  return value->is_string() ? printable(value->get_string()) : json::serialize(*value);
}

Result<json::array> list_all(const AdminServer& server, const std::string& path, Parameters parameters,
                             std::size_t limit) {
  json::array all;
  parameters.emplace_back("starting_after", "");
  parameters.emplace_back("limit", "");
  for (bool has_more = true; has_more && all.size() < limit;) {
    parameters.back().second = std::to_string(std::min(limit - all.size(), limits::kListLimitMax));
    const auto page = object_in(get_as_admin(server, url_of(path, parameters)));
    if (!page) return std::unexpected(page.error());
    auto data = data_of(*page);
    if (!data) return std::unexpected(data.error());
    has_more = page->at("has_more") == json::value(true) && !data->empty();
    for (json::value& item : *data) all.push_back(std::move(item));
    if (has_more) (parameters.end() - 2)->second = text_of(all.back().get_object(), "id");
  }
  return all;
}

Result<json::object> find_channel_account(const AdminServer& server, const std::string& channel) {
  const auto accounts = list_all(server, "/v1/channel_accounts", {}, kChannelAccountsReadMax);
  if (!accounts) return std::unexpected(accounts.error());
  const json::object* found = nullptr;
  std::string names;
  for (const json::value& item : *accounts) {
    const json::object& account = item.get_object();
    if (find_statement_plan(text_of(account, "kind")) != nullptr)
      names += (names.empty() ? "" : ", ") + text_of(account, "channel");
    if (text_of(account, "channel") != channel) continue;
    if (found == nullptr || text_of(account, "state") == "enabled") found = &account;
  }
  if (found != nullptr) return *found;
  return fail(fmt::format("no channel account has the name '{}': {}", printable(channel),
                          names.empty() ? "the server has none with statements" : "use " + names));
}

}  // namespace finality::app
