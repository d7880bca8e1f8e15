#include "store/postgres/rows.h"

#include "base/check.h"

namespace finality::postgres {
namespace {

/// Builds the SQL text of the table `v` in a statement. Each list parameter, from $1 on, is one column of `v`.
class ParameterTable {
 public:
  void add(std::string_view column, SqlType type) {
    const std::string list = fmt::format("${}::{}[]", ++count_, sql_name(type));
    const std::string_view comma = count_ == 1 ? "" : ", ";
    listed_ += fmt::format("{}unnest({}) AS {}", comma, list, column);
    lists_ += fmt::format("{}{}", comma, list);
    names_ += fmt::format("{}{}", comma, column);
  }
  void add(const store::Column& column) { add(column.name, sql_type_of(column.type->kind)); }
  RowsText text() const {
    return {.listed = fmt::format("(SELECT {}) AS v", listed_),
            .function = fmt::format("unnest({}) AS v({})", lists_, names_)};
  }
  int count() const { return count_; }

 private:
  std::string listed_;
  std::string lists_;
  std::string names_;
  int count_ = 0;
};

// Whether an UPDATE uses the column: to find the row, to select the shard, or to write the value.
bool is_in_update(const store::Column& column, const Sharding& sharding) {
  return column.is_key || column.changes || (sharding.is_distributed && column.name == sharding.owner);
}

template <class Wanted>
Parameters columns_of(const store::RowType& type, const std::vector<const void*>& rows, Wanted wanted) {
  Parameters parameters;
  for (const store::Column& column : type.columns) {
    if (!wanted(column)) continue;
    Array array(sql_type_of(column.type->kind), rows.size());
    for (const void* row : rows) array.add_value(*column.type, column.in(row));
    parameters.add_bytes(std::move(array).finish());
  }
  return parameters;
}

}  // namespace

std::string select_sql(const store::RowType& type, std::string_view rest) {
  return fmt::format("SELECT {} FROM {} {}", store::column_names(type), type.table, rest);
}

std::string owners_of_joined(std::string_view owner, int number) {
  return fmt::format(" AND t.{0} = v.{0} AND t.{0} = ANY(${1}::bigint[])", owner, number);
}

Declared insert_declared(const store::RowType& type, const Sharding& sharding) {
  ParameterTable values;
  for (const store::Column& column : type.columns) values.add(column);
  const std::string columns = store::column_names(type);
  const std::string table(type.table);
  return {.name = "write.insert." + table,
          .shards = sharding.shards,
          .tables = table,
          .purpose = "Inserts rows that a batch created",
          .text = fmt::format("INSERT INTO {} ({}) SELECT {} FROM @rows", table, columns, columns),
          .rows = values.text()};
}

Declared update_declared(const store::RowType& type, const Sharding& sharding) {
  ParameterTable values;
  std::string sets;
  std::string where;
  int owner = 0;
  for (const store::Column& column : type.columns) {
    if (!is_in_update(column, sharding)) continue;
    values.add(column);
    if (column.name == sharding.owner) {
      FINALITY_CHECK(!sharding.is_distributed || !column.changes, "a row cannot move to another shard");
      owner = values.count();
    }
    if (column.is_key)
      where += fmt::format("{}t.{} = v.{}", where.empty() ? "" : " AND ", column.name, column.name);
    else if (column.changes)
      sets += fmt::format("{}{} = v.{}", sets.empty() ? "" : ", ", column.name, column.name);
  }
  const bool is_root = type.kind == RowKind::root;
  if (is_root) {
    values.add("base_version", SqlType::bigint);
    where += " AND t.version = v.base_version";
  }
  const std::string table(type.table);
  return {.name = "write.update." + table,
          .shards = sharding.shards,
          .tables = table,
          .purpose = is_root ? "Updates rows that a batch changed, at the version that it read"
                             : "Updates rows that a batch changed; their root's version guards them",
          .text = fmt::format("UPDATE {} AS t SET {} FROM @rows WHERE {}{}", table, sets, where,
                              sharding.is_distributed ? "@of" : ""),
          .owners = sharding.is_distributed ? owners_of_joined(sharding.owner, owner) : "",
          .rows = values.text()};
}

Parameters all_columns(const store::RowType& type, const std::vector<const void*>& rows) {
  return columns_of(type, rows, [](const store::Column&) { return true; });
}

Parameters update_columns(const store::RowType& type, const Sharding& sharding, const std::vector<const void*>& rows) {
  return columns_of(type, rows, [&](const store::Column& column) { return is_in_update(column, sharding); });
}

}  // namespace finality::postgres
