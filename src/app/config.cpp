#include "app/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <initializer_list>
#include <string_view>

#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

#include "app/secret_file.h"

namespace finality::app {
namespace {

// Collects the first error, so that reading stays a list of fields.
class Table {
 public:
  Table(const toml::table& table, std::string name, std::string& error)
      : table_(table), name_(std::move(name)), error_(error) {}

  template <class T>
  T get(std::string_view key, T otherwise) {
    const toml::node* node = table_.get(key);
    if (node == nullptr) return otherwise;
    if (const auto value = node->value<T>()) return *value;
    complain(key, "has the wrong type");
    return otherwise;
  }
  std::string required(std::string_view key) {
    const auto value = get<std::string>(key, "");
    if (value.empty()) complain(key, "is missing");
    return value;
  }
  std::vector<std::string> texts(std::string_view key) {
    std::vector<std::string> list;
    const toml::node* node = table_.get(key);
    if (node == nullptr) return list;
    if (!node->is_array()) complain(key, "must be a list of texts");
    const toml::array* array = node->as_array();
    if (array == nullptr) return list;
    for (const toml::node& item : *array) {
      const auto text = item.value<std::string>();
      if (!text) complain(key, "must be a list of texts");
      list.push_back(text.value_or(""));
    }
    return list;
  }
  void only(std::initializer_list<std::string_view> known) {
    for (const auto& [key, value] : table_)
      if (std::ranges::find(known, key.str()) == known.end()) complain(key.str(), "is no setting");
  }
  void complain(std::string_view key, std::string_view what) {
    if (error_.empty()) error_ = fmt::format("{}{} {}", name_, key, what);
  }

 private:
  const toml::table& table_;
  std::string name_;
  std::string& error_;
};

Secret read_secret(Table& table) {
  const auto file = table.get<std::string>("secret_file", "");
  const auto variable = table.get<std::string>("secret_env", "");
  std::string text;
  if (!file.empty()) text = read_file(file);
  if (const char* value = variable.empty() ? nullptr : std::getenv(variable.c_str())) text = value;
  while (!text.empty() && text.back() == '\n') text.pop_back();
  if (text.empty()) table.complain("secret_file", "or secret_env must name the channel's secret");
  return Secret(text);
}

void read_listen(Table& table, NodeOptions& options) {
  const auto listen = table.get<std::string>("listen", "127.0.0.1:8080");
  const std::size_t colon = listen.rfind(':');
  if (colon == std::string::npos) return table.complain("listen", "must be ADDRESS:PORT");
  options.address = listen.substr(0, colon);
  const char* end = listen.data() + listen.size();
  const auto parsed = std::from_chars(listen.data() + colon + 1, end, options.port);
  if (parsed.ec != std::errc{} || parsed.ptr != end) table.complain("listen", "must be ADDRESS:PORT");
}

}  // namespace

Result<NodeOptions> read_config(const std::string& path) {
  const toml::parse_result parsed = toml::parse_file(path);
  if (!parsed) {
    const auto& where = parsed.error().source().begin;
    return fail(fmt::format("{}:{}: {}", path, where.line, parsed.error().description()));
  }
  std::string error;
  NodeOptions options;
  Table top(parsed.table(), "", error);
  top.only({"listen", "public_url", "store", "migrate", "io_threads", "time_scale", "webhooks", "channels"});
  options.store_url = top.required("store");
  options.policy.public_url = top.required("public_url");
  options.migrate = top.get("migrate", true);
  options.policy.time_scale = top.get("time_scale", 1.0);
  const auto threads = top.get<std::int64_t>("io_threads", 1);
  if (threads < 1 || threads > 64) top.complain("io_threads", "must be from 1 to 64");
  if (options.policy.time_scale <= 0) top.complain("time_scale", "must be above 0");
  options.io_threads = static_cast<std::size_t>(std::clamp<std::int64_t>(threads, 1, 64));
  read_listen(top, options);

  if (const toml::table* webhooks = parsed["webhooks"].as_table()) {
    Table table(*webhooks, "webhooks.", error);
    table.only({"allow_private"});
    options.allow_private = table.texts("allow_private");
  }
  if (const toml::table* channels = parsed["channels"].as_table())
    for (const auto& [name, node] : *channels) {
      const std::string prefix = fmt::format("channels.{}.", name.str());
      if (!node.is_table()) return fail(fmt::format("{}: channels.{} must be a table", path, name.str()));
      Table table(*node.as_table(), prefix, error);
      table.only({"kind", "url", "secret_file", "secret_env"});
      if (table.required("kind") != "sandbox") table.complain("kind", "must be sandbox");
      const std::string url = table.required("url");
      options.sandbox_channels.push_back({std::string(name.str()), url, read_secret(table), options.policy.public_url});
    }
  if (!error.empty()) return fail(fmt::format("{}: {}", path, error));
  return options;
}

}  // namespace finality::app
