#include "store/sqlite/load.h"

namespace finality::sqlite {

Result<std::optional<OrderId>> load_order_of_payment(Database& database, PaymentId id) {
  static const Sql sql("SELECT order_id FROM payments WHERE id=?");
  SqlStatement statement = database.prepare(sql);
  switch (statement.bind(id).step()) {
    case StepResult::row:
      return statement.read<OrderId>();
    case StepResult::done:
      return std::nullopt;
    case StepResult::failed:
      break;
  }
  return std::unexpected(database.error("read payments"));
}

}  // namespace finality::sqlite
