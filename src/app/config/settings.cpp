#include "app/config/settings.h"

#include <utility>

#include "base/net/http_url.h"

namespace finality::app {
namespace {

std::optional<std::vector<std::string>> read_texts(const toml::node& node) {
  if (!node.is_array()) return std::nullopt;
  std::vector<std::string> texts;
  for (const toml::node& item : *node.as_array()) {
    auto text = read_text(item);
    if (!text) return std::nullopt;
    texts.push_back(std::move(*text));
  }
  return texts;
}

std::optional<std::string> read_base_url(const toml::node& node) {
  auto text = read_text(node);
  if (!text || text->size() > kBaseUrlBytesMax || text->find_first_of("?#") != std::string::npos) return std::nullopt;
  if (!text->starts_with("http://") && !text->starts_with("https://")) return std::nullopt;
  if (!net::parse_http_url(*text)) return std::nullopt;
  text->erase(text->find_last_not_of('/') + 1);
  return text;
}

}  // namespace

std::optional<std::string> read_text(const toml::node& node) {
  auto text = node.value_exact<std::string>();
  const auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
  if (!text || text->empty() || std::ranges::any_of(*text, is_control)) return std::nullopt;
  return text;
}

const Rule<std::string> kText{"a non-empty string without control characters", read_text};
const Rule<std::vector<std::string>> kTexts{"a list of non-empty strings without control characters", read_texts};
const Rule<bool> kSwitch{"true or false", [](const toml::node& node) { return node.value_exact<bool>(); }};
const Rule<std::string> kBaseUrl{
    fmt::format("an http:// or https:// URL of at most {} bytes, without user information, query or fragment",
                kBaseUrlBytesMax),
    read_base_url};
const Rule<const toml::table*> kTable{"a table", [](const toml::node& node) {
                                        const toml::table* table = node.as_table();
                                        return table == nullptr ? std::nullopt : std::optional(table);
                                      }};

std::string place_of(const toml::node& node) {
  const toml::source_region& source = node.source();
  return fmt::format("{}:{}", source.path ? *source.path : "", source.begin.line);
}

void Table::only(const std::vector<std::string>& known) {
  for (const std::string_view key : keys())
    if (std::ranges::find(known, key) == known.end())
      complain(key, fmt::format("is not a setting; valid settings: {}", fmt::join(known, ", ")));
}

Table Table::table(std::string_view key) {
  const toml::table* found = nullptr;
  read(key, kTable, found);
  return {found, fmt::format("{}{}.", name_, key), error_};
}

std::vector<Table> Table::tables(std::string_view key, std::size_t max) {
  std::vector<Table> tables;
  const toml::node* node = table_ == nullptr ? nullptr : table_->get(key);
  if (node == nullptr) return tables;
  const toml::array* list = node->as_array();
  if (list == nullptr || list->size() > max ||
      !std::ranges::all_of(*list, [](const toml::node& item) { return item.is_table(); })) {
    complain(key, fmt::format("must be a list of at most {} tables", max));
    return tables;
  }
  for (const toml::node& item : *list)
    tables.emplace_back(item.as_table(), fmt::format("{}{}[{}].", name_, key, tables.size()), error_);
  return tables;
}

std::vector<std::string_view> Table::keys() const {
  std::vector<std::string_view> keys;
  if (table_ == nullptr) return keys;
  for (const auto& [key, node] : *table_) keys.push_back(key.str());
  return keys;
}

void Table::limit(std::size_t max, std::string_view what) {
  if (table_ == nullptr || table_->size() <= max || !error_.empty()) return;
  error_ = fmt::format("{}: {} {} are configured, in all files together; the maximum is {}", place_of(*table_),
                       table_->size(), what, max);
}

std::string Table::place(std::string_view key) const {
  const toml::node* setting = table_->get(key);
  if (setting != nullptr) return place_of(*setting);
  return name_.empty() ? *table_->source().path : place_of(*table_);
}

void Table::complain(std::string_view key, std::string_view what) {
  if (!error_.empty()) return;
  error_ = fmt::format("{}{} {}", name_, key, what);
  if (table_ != nullptr) error_ = place(key) + ": " + error_;
}

}  // namespace finality::app
