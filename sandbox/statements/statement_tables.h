// Tables of the sandbox's statements (对账单): money that no trade explains, and faults of single days.
#pragma once

#include <boost/describe/enum.hpp>

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/money.h"
#include "base/time/time.h"
#include "sandbox/core/database.h"

namespace finality::sandbox {

/// Reason for which the merchant's balance at a channel changes without a trade:
///   withdrawal  from the channel to the merchant's bank account
///   top_up      from the merchant's bank account to the channel
///   penalty     deducted by the channel
///   other       a line of a type that the documentation of the channel does not list
BOOST_DEFINE_ENUM_CLASS(MovementType, withdrawal, top_up, penalty, other)

struct Movement {
  std::string line_id;  // assigned by the channel; unique
  std::string channel;  // Trade::channel
  std::string currency;
  Time at;
  MovementType type = MovementType::other;
  MinorUnits amount = 0;  // change of the balance; a credit is positive; not 0
  std::string memo;
  std::optional<std::string> withdrawal_day{};  // only automatic withdrawals: the day that they pay out, yyyy-MM-dd
};

/// Fault of a channel's statements of one day:
///   early_file          the statements are available at once, also while the day is not over
///   late_file           the statements are available eight hours later
///   missing_day         the statements are never available
///   second_version      four hours later, the statement of trades is replaced: a line vanishes and another one appears
///   withdrawn_line      four hours later, the statement of trades is replaced: the last payment vanishes
///   legacy_layout       WeChat Pay's statement of trades has the layout with 24 columns
///   unknown_funds_line  the statement of funds has a line of an unknown type, at the time at which the fault was set
///   balance_break       the balances in the statement of funds do not continue those of the neighbouring days
///   withdrawal_not_credited  the withdrawals of the day never reach the bank account
BOOST_DEFINE_ENUM_CLASS(DayFault, early_file, late_file, missing_day, second_version, withdrawn_line, legacy_layout,
                        unknown_funds_line, balance_break, withdrawal_not_credited)

/// Part of the Ledger: every method runs inside its transaction, on the ledger thread. Failures throw DatabaseError.
class StatementTables {
 public:
  /// REQUIRES: `database` has the tables of open_with_schema() and outlives this object.
  explicit StatementTables(Database& database);

  /// Inserts a movement. Returns false, without changes, if an automatic withdrawal of that day and currency exists.
  bool insert(const Movement& movement);
  /// Calls `visit` with each movement of the channel before `end`, oldest first.
  void for_each(std::string_view channel, Time end, const std::function<void(const Movement&)>& visit);
  /// Calls `visit` with each withdrawal and top-up of all channels before `end`, oldest first.
  void for_each_transfer(Time end, const std::function<void(const Movement&)>& visit);

  void add_fault(std::string_view channel, std::string_view date, DayFault fault);
  /// `date` is the text with which add_fault() was called.
  std::set<DayFault> faults_of(std::string_view channel, std::string_view date);
  /// Calls `visit` with each date and fault of the channel, oldest date first.
  void for_each_fault(std::string_view channel, const std::function<void(const std::string&, DayFault)>& visit);

  /// Time from which the channel withdraws automatically. Empty, the default: it does not.
  std::optional<Time> automatic_withdrawals_since(std::string_view channel);
  void set_automatic_withdrawals(std::string_view channel, bool is_enabled, Time since);

 private:
  SqlStatement insert_movement_;
  SqlStatement movements_of_channel_;
  SqlStatement transfers_;
  SqlStatement insert_fault_;
  SqlStatement faults_of_day_;
  SqlStatement faults_of_channel_;
  SqlStatement automatic_withdrawals_;
  SqlStatement set_automatic_withdrawals_;
};

}  // namespace finality::sandbox
