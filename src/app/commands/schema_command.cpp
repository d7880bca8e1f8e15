// Command `finality schema`: lists the tables of the store.
#include <fmt/format.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "app/commands/command_line.h"
#include "app/commands/commands.h"
#include "model/row_types.h"
#include "store/sql/columns.h"

namespace finality::app {
namespace {

namespace json = boost::json;

/// One row of the list of tables in docs/reference/schema.md.
struct Table {
  std::string_view name;
  std::string_view about;
  std::string root;  // type of the root row, whose version detects concurrent changes
  std::string key;
  std::span<const store::Column> columns;  // empty if the table has no row type
  bool is_log = false;                     // true if rows are never changed
};

template <class Row>
std::string root_of_rows() {
  constexpr RowOptions kOptions = RowTraits<Row>::options;
  if (RowTraits<Row>::kind == RowKind::root) return "itself";
  if (!kOptions.guard.empty()) return std::string(kOptions.guard.substr(0, kOptions.guard.rfind("_id")));
  std::string roots;
  for_each_aggregate_type([&]<class T>(std::type_identity<T>) {
    if constexpr (kHasChildType<T, Row>)
      roots += fmt::format("{}{}", roots.empty() ? "" : ", ", name_of(decltype(RootRow<T>::id)::type));
  });
  return roots.empty() ? "–" : roots;
}

std::vector<Table> tables() {
  std::vector<Table> all;
  for_each_row_type<DescribedRows>([&]<class Row>(std::type_identity<Row>) {
    std::string key(RowTraits<Row>::key);
    if (const std::size_t space = key.find(' '); space != std::string::npos) key.replace(space, 1, ", ");
    all.push_back({RowTraits<Row>::table, RowTraits<Row>::options.about, root_of_rows<Row>(), key,
                   store::row_type<Row>().columns, RowTraits<Row>::kind == RowKind::log});
  });
  all.push_back(
      {"nodes",
       "a writing process: fencing token, last batch, upper bound of the times of issued ids, end of the lease of the "
       "number",
       "–",
       "number",
       {}});
  all.push_back({"expired",
                 "time up to which deliveries and files of statements may have been deleted after their retention",
                 "–",
                 "kind",
                 {}});
  return all;
}

std::string markdown() {
  std::string page = "| table | one row is | root | key |\n|---|---|---|---|\n";
  std::string columns = "\n| table | columns |\n|---|---|\n";
  for (const Table& table : tables()) {
    page += fmt::format("| `{}` | {} | {} | {} |\n", table.name, table.about, table.root, table.key);
    if (table.columns.empty()) continue;
    std::string names;
    for (const store::Column& column : table.columns)
      names += fmt::format("{}{}{}{}", names.empty() ? "" : ", ", column.name, column.type->is_optional() ? "?" : "",
                           column.changes && !table.is_log ? "*" : "");
    columns += fmt::format("| `{}` | {} |\n", table.name, names);
  }
  return page + columns;
}

std::string as_json() {
  json::array all;
  for (const Table& table : tables()) {
    json::array columns;
    for (const store::Column& column : table.columns)
      columns.push_back(json::object{{"name", column.name},
                                     {"kind", name_of(column.type->kind)},
                                     {"may_be_empty", column.type->is_optional()},
                                     {"may_change", column.changes && !table.is_log}});
    all.push_back(json::object{{"table", table.name},
                               {"about", table.about},
                               {"root", table.root},
                               {"key", table.key},
                               {"columns", std::move(columns)}});
  }
  return json::serialize(all);
}

}  // namespace

void add_schema(CLI::App& app) {
  CLI::App* schema = add_command(app, "schema", "List the store's tables, their keys and columns");
  auto format = std::make_shared<std::string>("markdown");
  schema->add_option("--format", *format, "markdown or json")
      ->check(CLI::IsMember({"markdown", "json"}))
      ->capture_default_str();
  schema->callback([format] { fmt::print("{}\n", *format == "json" ? as_json() : markdown()); });
}

}  // namespace finality::app
