#include "sandbox/holds/hold_tables.h"

#include "sandbox/core/ledger_rows.h"

namespace finality::sandbox {
namespace {

// Selected columns. read_hold() reads them by position.
constexpr std::string_view kColumns =
    "hold_no, channel, out_order_no, state, ended_by, amount, authorized, captured, released, currency, is_unfunded, "
    "shares_trade_no, payer, subject, scenario, product, details, notify_url, return_url, created_at, authorized_at, "
    "capture_before, expires_at, reports_settlement, act, act_at, capture_faults, release_faults, opened";
constexpr std::string_view kReleaseColumns = "channel, out_request_no, hold_no, amount, is_refused, created_at";

std::string select_releases(std::string_view rest) {
  return "SELECT " + std::string(kReleaseColumns) + " FROM hold_releases " + std::string(rest);
}

std::string select_holds(std::string_view rest) {
  return "SELECT " + std::string(kColumns) + " FROM holds " + std::string(rest);
}

Hold read_hold(const Rows& rows) {
  return {.hold_no = rows.text(0),
          .channel = rows.text(1),
          .out_order_no = rows.text(2),
          .state = read_enum<HoldState>(rows, 3),
          .ended_by = read_enum<HoldEnd>(rows, 4),
          .amount = rows.integer(5),
          .authorized = rows.integer(6),
          .captured = rows.integer(7),
          .released = rows.integer(8),
          .currency = rows.text(9),
          .is_unfunded = rows.integer(10) != 0,
          .shares_trade_no = rows.integer(11) != 0,
          .payer = rows.text(12),
          .subject = rows.text(13),
          .scenario = rows.text(14),
          .product = rows.text(15),
          .details = rows.text(16),
          .notify_url = rows.text(17),
          .return_url = rows.text_or_null(18),
          .created_at = rows.time(19),
          .authorized_at = rows.time_or_null(20),
          .capture_before = rows.time_or_null(21),
          .expires_at = rows.time_or_null(22),
          .reports_settlement = rows.integer(23) != 0,
          .opened = rows.integer(28) != 0,
          .act = read_enum<HoldAct>(rows, 24),
          .act_at = rows.time_or_null(25),
          .capture_faults = rows.integer(26),
          .release_faults = rows.integer(27)};
}

HoldRelease read_release(const Rows& rows) {
  return {.channel = rows.text(0),
          .out_request_no = rows.text(1),
          .hold_no = rows.text(2),
          .amount = rows.integer(3),
          .is_refused = rows.integer(4) != 0,
          .created_at = rows.time(5)};
}

std::optional<Hold> first_hold(Rows rows) { return rows.next() ? std::optional(read_hold(rows)) : std::nullopt; }

std::vector<Hold> all_holds(Rows rows) {
  std::vector<Hold> holds;
  while (rows.next()) holds.push_back(read_hold(rows));
  return holds;
}

}  // namespace

HoldTables::HoldTables(Database& database)
    : insert_hold_(database.prepare("INSERT INTO holds (" + std::string(kColumns) + ", next_at) VALUES (" +
                                    parameters_of(kColumns) + ", ?)")),
      update_hold_(database.prepare(
          "UPDATE holds SET state = ?, ended_by = ?, authorized = ?, captured = ?, released = ?, currency = ?, "
          "is_unfunded = ?, details = ?, authorized_at = ?, capture_before = ?, act = ?, act_at = ?, "
          "capture_faults = ?, release_faults = ?, opened = ?, next_at = ? WHERE hold_no = ?")),
      by_out_order_no_(database.prepare(select_holds("WHERE channel = ? AND out_order_no = ? ORDER BY rowid LIMIT 1"))),
      by_hold_no_(database.prepare(select_holds("WHERE hold_no = ?"))),
      all_(database.prepare(select_holds("ORDER BY rowid"))),
      latest_(database.prepare(select_holds("ORDER BY rowid DESC LIMIT ?"))),
      due_(database.prepare(select_holds("WHERE next_at <= ? ORDER BY next_at LIMIT ?"))),
      insert_release_(database.prepare("INSERT INTO hold_releases (" + std::string(kReleaseColumns) + ") VALUES (" +
                                       parameters_of(kReleaseColumns) + ")")),
      release_by_number_(database.prepare(select_releases("WHERE channel = ? AND out_request_no = ?"))),
      releases_of_hold_(database.prepare(select_releases("WHERE hold_no = ? ORDER BY created_at, rowid"))) {}

std::optional<Hold> HoldTables::find(std::string_view channel, std::string_view out_order_no) {
  return first_hold(by_out_order_no_.rows(channel, out_order_no));
}

std::optional<Hold> HoldTables::find(std::string_view hold_no) { return first_hold(by_hold_no_.rows(hold_no)); }

void HoldTables::for_each(const std::function<void(const Hold&)>& visit) {
  for (Rows rows = all_.rows(); rows.next();) visit(read_hold(rows));
}

std::vector<Hold> HoldTables::latest(std::int64_t count) { return all_holds(latest_.rows(count)); }

std::vector<Hold> HoldTables::due(Time now, std::int64_t count) { return all_holds(due_.rows(now, count)); }

void HoldTables::insert(const Hold& hold, std::optional<Time> next_at) {
  insert_hold_.run(hold.hold_no, hold.channel, hold.out_order_no, name_of(hold.state), name_of(hold.ended_by),
                   hold.amount, hold.authorized, hold.captured, hold.released, hold.currency,
                   std::int64_t{hold.is_unfunded}, std::int64_t{hold.shares_trade_no}, hold.payer, hold.subject,
                   hold.scenario, hold.product, hold.details, hold.notify_url, hold.return_url, hold.created_at,
                   hold.authorized_at, hold.capture_before, hold.expires_at, std::int64_t{hold.reports_settlement},
                   name_of(hold.act), hold.act_at, hold.capture_faults, hold.release_faults, std::int64_t{hold.opened},
                   next_at);
}

void HoldTables::update(const Hold& hold, std::optional<Time> next_at) {
  update_hold_.run(name_of(hold.state), name_of(hold.ended_by), hold.authorized, hold.captured, hold.released,
                   hold.currency, std::int64_t{hold.is_unfunded}, hold.details, hold.authorized_at, hold.capture_before,
                   name_of(hold.act), hold.act_at, hold.capture_faults, hold.release_faults, std::int64_t{hold.opened},
                   next_at, hold.hold_no);
}

std::optional<HoldRelease> HoldTables::find_release(std::string_view channel, std::string_view out_request_no) {
  Rows rows = release_by_number_.rows(channel, out_request_no);
  return rows.next() ? std::optional(read_release(rows)) : std::nullopt;
}

std::vector<HoldRelease> HoldTables::releases_of(std::string_view hold_no) {
  std::vector<HoldRelease> releases;
  for (Rows rows = releases_of_hold_.rows(hold_no); rows.next();) releases.push_back(read_release(rows));
  return releases;
}

void HoldTables::insert(const HoldRelease& release) {
  insert_release_.run(release.channel, release.out_request_no, release.hold_no, release.amount,
                      std::int64_t{release.is_refused}, release.created_at);
}

}  // namespace finality::sandbox
