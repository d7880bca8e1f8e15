#include "store/postgres/restore.h"

#include <tuple>

#include "model/row_types.h"
#include "store/archive/archivist.h"
#include "store/postgres/rows.h"

namespace finality::postgres {
namespace {

const SqlStatement kRenameKeys{{.name = "archive.rename_keys",
                                .shards = Shards::every,
                                .tables = "keys",
                                .purpose = "Points natural keys to an archived order, and back when it is restored",
                                .text = "UPDATE keys AS t SET id = v.new_id "
                                        "FROM unnest($1::bytea[], $2::bigint[], $3::bigint[]) "
                                        "AS v(hash, id, new_id) WHERE t.hash = v.hash AND t.id = v.id"}};
const SqlStatement kDeleteArchived{{.name = "archive.restore.archived_orders",
                                    .shards = Shards::every,
                                    .tables = "archived_orders",
                                    .purpose = "Deletes the archive record of a restored order",
                                    .text = "DELETE FROM archived_orders WHERE id = $1 AND archive = $2"}};

class Restoring {
 public:
  Restoring(Connection& connection, Form form) : connection_(connection), form_(form) {}

  std::vector<Expected> send(const WholeOrder& order, const std::string& archive) {
    send(kDeleteArchived, RowTraits<ArchivedOrder>::table, Parameters(order.rows.order.id, archive), 1);
    rename_keys(order);
    for_each_row(order, [this](const auto& row) { add(row); });
    std::apply([this](const auto&... rows) { (insert(rows), ...); }, rows_);
    return std::move(expected_);
  }

 private:
  template <class Row>
  using Rows = std::vector<const Row*>;

  void rename_keys(const WholeOrder& order) {
    std::vector<Hash16> hashes;
    std::vector<OrderId> ids;
    std::vector<std::int64_t> new_ids;
    for (const store::RenamedKey& key : store::keys_of(order.rows)) {
      hashes.push_back(key.hash);
      ids.push_back(key.order_id);
      new_ids.push_back(key.id);
    }
    send(kRenameKeys, RowTraits<Key>::table, Parameters(hashes, ids, new_ids), hashes.size());
  }
  template <class Row>
  void add(const Row& row) {
    std::get<Rows<Row>>(rows_).push_back(&row);
  }
  template <class Row>
  void insert(const Rows<Row>& rows) {
    if (rows.empty()) return;
    const std::vector<const void*> all(rows.begin(), rows.end());
    connection_.send(kInsert<Row>, all_columns(store::kRowType<Row>, all), form_);
    expected_.push_back({RowTraits<Row>::table, rows.size()});
  }
  void send(const SqlStatement& statement, std::string_view table, const Parameters& parameters, std::size_t rows) {
    connection_.send(statement, parameters);
    expected_.push_back({table, rows});
  }

  Connection& connection_;
  Form form_;  // variant of the INSERT statements (store/postgres/statement.h)
  boost::mp11::mp_apply<std::tuple, boost::mp11::mp_transform<Rows, WrittenRows>> rows_;  // the rows to insert, by type
  std::vector<Expected> expected_;
};

}  // namespace

const SqlStatement& rename_keys_statement() { return kRenameKeys; }

std::vector<Expected> send_restore(Connection& connection, const WholeOrder& order, const std::string& archive,
                                   Form form) {
  return Restoring(connection, form).send(order, archive);
}

}  // namespace finality::postgres
