#include "sandbox/statements/statement_tables.h"

#include "sandbox/core/ledger_rows.h"

namespace finality::sandbox {
namespace {

std::string select_movements(std::string_view rest) {
  return "SELECT line_id, channel, currency, at, type, amount, memo, withdrawal_day FROM movements " +
         std::string(rest);
}

Movement read_movement(const Rows& rows) {
  return {.line_id = rows.text(0),
          .channel = rows.text(1),
          .currency = rows.text(2),
          .at = rows.time(3),
          .type = read_enum<MovementType>(rows, 4),
          .amount = rows.integer(5),
          .memo = rows.text(6),
          .withdrawal_day = rows.text_or_null(7)};
}

}  // namespace

StatementTables::StatementTables(Database& database)
    : insert_movement_(database.prepare("INSERT INTO movements (line_id, channel, currency, at, type, amount, memo, "
                                        "withdrawal_day) VALUES (?, ?, ?, ?, ?, ?, ?, ?) "
                                        "ON CONFLICT (channel, currency, withdrawal_day) DO NOTHING RETURNING 1")),
      movements_of_channel_(database.prepare(select_movements("WHERE channel = ? AND at < ? ORDER BY at, line_id"))),
      transfers_(
          database.prepare(select_movements("WHERE type IN ('withdrawal', 'top_up') AND at < ? ORDER BY at, line_id"))),
      insert_fault_(database.prepare("INSERT OR IGNORE INTO statement_faults (channel, date, fault) VALUES (?, ?, ?)")),
      faults_of_day_(database.prepare("SELECT fault FROM statement_faults WHERE channel = ? AND date = ?")),
      faults_of_channel_(
          database.prepare("SELECT date, fault FROM statement_faults WHERE channel = ? ORDER BY date, fault")),
      automatic_withdrawals_(database.prepare("SELECT enabled, since FROM automatic_withdrawals WHERE channel = ?")),
      set_automatic_withdrawals_(
          database.prepare("INSERT OR REPLACE INTO automatic_withdrawals (channel, enabled, since) VALUES (?, ?, ?)")) {
}

bool StatementTables::insert(const Movement& movement) {
  Rows rows = insert_movement_.rows(movement.line_id, movement.channel, movement.currency, movement.at,
                                    name_of(movement.type), movement.amount, movement.memo, movement.withdrawal_day);
  const bool is_new = rows.next();
  while (is_new && rows.next()) {
  }
  return is_new;
}

void StatementTables::for_each(std::string_view channel, Time end, const std::function<void(const Movement&)>& visit) {
  for (Rows rows = movements_of_channel_.rows(channel, end); rows.next();) visit(read_movement(rows));
}

void StatementTables::for_each_transfer(Time end, const std::function<void(const Movement&)>& visit) {
  for (Rows rows = transfers_.rows(end); rows.next();) visit(read_movement(rows));
}

void StatementTables::add_fault(std::string_view channel, std::string_view date, DayFault fault) {
  insert_fault_.run(channel, date, name_of(fault));
}

std::set<DayFault> StatementTables::faults_of(std::string_view channel, std::string_view date) {
  std::set<DayFault> faults;
  for (Rows rows = faults_of_day_.rows(channel, date); rows.next();) faults.insert(read_enum<DayFault>(rows, 0));
  return faults;
}

void StatementTables::for_each_fault(std::string_view channel,
                                     const std::function<void(const std::string&, DayFault)>& visit) {
  for (Rows rows = faults_of_channel_.rows(channel); rows.next();) visit(rows.text(0), read_enum<DayFault>(rows, 1));
}

std::optional<Time> StatementTables::automatic_withdrawals_since(std::string_view channel) {
  Rows rows = automatic_withdrawals_.rows(channel);
  if (!rows.next()) return std::nullopt;
  return rows.integer(0) != 0 ? std::optional(rows.time(1)) : std::nullopt;
}

void StatementTables::set_automatic_withdrawals(std::string_view channel, bool is_enabled, Time since) {
  set_automatic_withdrawals_.run(channel, std::int64_t{is_enabled}, since);
}

}  // namespace finality::sandbox
