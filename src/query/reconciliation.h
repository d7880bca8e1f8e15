// Compares, for each day of a channel account or bank account, the books with the statements: both sides by kind, the
// proof of balance, and the differences that are left. Read only; the functions block while they read.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "channel/statements.h"
#include "ledger/proof.h"
#include "model/objects/channel_account.h"
#include "store/store.h"

namespace finality::query {

/// Number and sum of payments, refunds or other movements.
struct SideSum {
  std::int64_t count = 0;
  MinorUnits amount = 0;
};

/// Lines of one kind in the funds or bank statement of the day.
struct KindSum {
  LineKind kind = LineKind::payment;
  SideSum sum;
};

enum class ReconciliationResult : std::uint8_t {
  balanced,     // each difference is explained, and no case is open
  differences,  // a case is open, or an amount is unexplained
  incomplete,   // a statement is missing or not compared yet, so the balance can be unknown
};
BOOST_DESCRIBE_ENUM(ReconciliationResult, balanced, differences, incomplete)

/// Differences of a row that Reconciliation::open does not contain, because it has a limit.
struct UnlistedDifferences {
  std::int64_t count = 0;
  std::int64_t proof_count = 0;  // those with an amount in the proof
  MinorUnits proof_amount = 0;   // sum of their amounts
};

/// One day and currency of an account.
struct Reconciliation {
  std::string date;
  Currency currency;                   // kNoCurrency if the account has neither entries nor amounts in statements
  std::string funds_account;           // as Statement::funds_account
  std::vector<Statement> statements;   // newest version of each kind; without those that are not expected yet
  std::vector<StatementKind> missing;  // kinds without any version; a kind is repeated for each of its funds accounts
  // Payments and refunds in the books by the day on which they were posted, and in the statement of trades.
  SideSum our_payments;
  SideSum our_refunds;
  SideSum their_payments;
  SideSum their_refunds;
  std::int64_t their_fee_e5 = 0;       // of the statement of trades
  std::vector<KindSum> funds;          // lines that the books have, by kind
  std::optional<ledger::Proof> proof;  // empty without a statement that states the balance
  /// The first day without a compared statement since the last statement that states the balance: the balance of `date`
  /// is unknown. Empty if it is known, and for an account without funds or bank statements.
  std::string unknown_since;
  std::vector<Difference> open;    // differences of this day that are not repaired, and those in the proof; limited
  UnlistedDifferences unlisted;    // further differences
  std::int64_t open_count = 0;     // number of `open` differences that have a case
  std::int64_t carried_count = 0;  // number of differences that a later statement can still end
  ReconciliationResult result = ReconciliationResult::incomplete;
};

/// `XXX`, the code of ISO 4217 for no currency.
inline constexpr Currency kNoCurrency{};

/// Maximum number of days of one reconciliation.
inline constexpr int kReconciliationDaysMax = 31;

/// The days to reconcile, inclusive, in the time zone of the account.
struct ReconciliationDays {
  std::string from;
  std::string to;
};

/// Why days cannot be reconciled.
struct WrongDays {
  std::string_view bound;  // `from` or `to`
  std::string message;     // predicate of a sentence about `bound`
};

/// The last day that has ended at `now` in the time zone of the plan.
std::string last_ended_day(const StatementPlan& plan, Time now);

/// Checks that the days have ended, their order and their number. REQUIRES: both are days (is_date()).
std::expected<void, WrongDays> check_days(const ReconciliationDays& days, const StatementPlan& plan, Time now);

/// Returns one row per day and currency, oldest day first. A day on which statements are expected, since the account
/// was created, has a row in kNoCurrency if the account has no currency yet. Reads all funds or bank statements of the
/// account and all differences that changed its balance, up to the last day, and the entries of the days.
Result<std::vector<Reconciliation>> reconcile(Reader& reader, const ChannelAccount& account, const StatementPlan& plan,
                                              const ReconciliationDays& days);

}  // namespace finality::query
