#include "query/reconciliation.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "base/time/date.h"
#include "store/each_page.h"

namespace finality::query {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kRowsPerRead = 1000;
constexpr std::size_t kDifferencesShown = 100;  // of one row

bool is_compared(StatementState state) { return state == StatementState::matched || state == StatementState::empty; }

/// An opening balance that operators posted on the receivable account.
struct Opening {
  Time at;
  Currency currency;
  MinorUnits amount = 0;  // positive if the channel holds it for us
};

/// Closing balance of a day.
struct Closing {
  MinorUnits amount = 0;
  std::string unknown_since;  // as Reconciliation::unknown_since
};

/// Reads what the rows of an account have in common, then makes the rows.
class Reconciler {
 public:
  Reconciler(Reader& reader, const ChannelAccount& account, const StatementPlan& plan)
      : reader_(reader), account_(account), plan_(plan) {}

  Result<std::vector<Reconciliation>> rows(const ReconciliationDays& days) {
    if (auto read = read_statements(days); !read) return std::unexpected(read.error());
    if (auto read = read_accounts(); !read) return std::unexpected(read.error());
    if (auto read = read_differences(days); !read) return std::unexpected(read.error());
    std::vector<Reconciliation> made;
    for (std::string date = days.from; date <= days.to; date = add_days(date, 1)) {
      const auto start = start_of_day(date, plan_.utc_offset);
      if (!start) return fail(date + " is no day");
      const auto sums = reader_.entry_sums(account_.id, *start, *start + 24h);
      if (!sums) return std::unexpected(sums.error());
      for (const Currency currency : currencies_of(date)) {
        auto row = row_of(date, *start + 24h, currency, *sums);
        if (!row) return std::unexpected(row.error());
        made.push_back(std::move(*row));
      }
    }
    return made;
  }

 private:
  using DayKey = std::tuple<StatementKind, std::string, std::string>;  // kind, funds account, date

  StatementKind balance_kind() const { return account_.is_bank() ? StatementKind::bank : StatementKind::funds; }
  bool states_balance() const { return account_.is_bank() || plan_.can_download(StatementKind::funds); }
  StatementSource source() const { return account_.is_bank() ? StatementSource::uploaded : StatementSource::fetched; }
  std::vector<StatementKind> kinds() const {
    if (account_.is_bank()) return {StatementKind::bank};
    return {plan_.kinds.begin(), plan_.kinds.end()};
  }

  // A currency has rows from the first day with it. A day with expected statements has a row, also if the account has
  // no currency yet.
  std::vector<Currency> currencies_of(const std::string& date) const {
    std::vector<Currency> found;
    for (const auto& [currency, first] : first_days_)
      if (first <= date) found.push_back(currency);
    const bool has_statement = std::ranges::any_of(newest_, [&](const auto& one) { return one.second.date == date; });
    const bool is_expected = !kinds().empty() && date >= date_of(account_.created_at, plan_.utc_offset);
    if (found.empty() && (has_statement || is_expected)) found.push_back(kNoCurrency);
    return found;
  }

  // Notes that the currency was used on that day.
  void note(Currency currency, const std::string& date) {
    std::string& first = first_days_.try_emplace(currency, date).first->second;
    first = std::min(first, date);
  }

  // Keeps the newest version of each day. A version that is not compared yet hides no earlier one.
  Result<void> read_statements(const ReconciliationDays& days) {
    std::vector<StatementId> ids;
    for (const StatementKind kind : kinds()) {
      StatementFilter filter{.channel_account_id = account_.id, .kind = kind};
      if (kind != balance_kind()) {
        filter.from = days.from;
        filter.to = days.to;
      }
      const auto list = [&](const Page& page) { return reader_.statements(filter, page); };
      const auto keep_page = [this](std::span<const Statement> rows) -> Result<void> {
        for (const Statement& row : rows) keep(row);
        return {};
      };
      if (auto read = store::for_each_page(list, keep_page); !read) return read;
    }
    for (const auto& [key, row] : newest_)
      if (row.state == StatementState::matched) ids.push_back(row.id);
    for (std::size_t i = 0; i < ids.size(); i += kRowsPerRead) {
      ReadSet reads;
      const auto group = std::span(ids).subspan(i, std::min(kRowsPerRead, ids.size() - i));
      reads.statements.assign(group.begin(), group.end());
      WorkingSet rows;
      if (auto loaded = reader_.load(reads, rows); !loaded) return loaded;
      for (const StatementId id : reads.statements)
        if (const StatementAggregate* found = rows.statements.find(id)) take(*found);
    }
    return {};
  }

  void keep(const Statement& row) {
    if (row.source != source()) return;
    const auto [at, is_new] = newest_.try_emplace({row.kind, row.funds_account, row.date}, row);
    if (is_new) return;
    Statement& known = at->second;
    const bool is_better = is_compared(row.state) != is_compared(known.state) ? is_compared(row.state)
                                                                              : row.file_version > known.file_version;
    if (is_better) known = row;
  }

  void take(const StatementAggregate& found) {
    const Statement& row = found.statement;
    for (const StatementTotal& total : found.totals) {
      note(total.currency, row.date);
      totals_[{row.kind, row.funds_account, row.date}].push_back(total);
    }
    for (const StatementMovement& movement : found.movements) {
      movements_[movement.currency].push_back({row.date, movement.booked_on, movement.amount});
      SideSum& sum = kinds_[{row.date, movement.currency}][movement.kind];
      sum.count += movement.lines;
      sum.amount += movement.amount;
    }
  }

  Result<void> read_accounts() {
    auto accounts = reader_.accounts_of_channel_account(account_.id);
    if (!accounts) return std::unexpected(accounts.error());
    accounts_ = std::move(*accounts);
    std::set<MerchantId> merchants;
    for (const Account& account : accounts_) {
      note(account.currency, date_of(account.created_at, plan_.utc_offset));
      merchants.insert(account.merchant_id);
    }
    for (const MerchantId merchant : merchants)
      if (auto read = read_openings(merchant); !read) return read;
    return {};
  }

  Result<void> read_openings(MerchantId merchant) {
    const auto list = [&](const Page& page) { return reader_.adjustments(merchant, AdjustmentState::posted, page); };
    return store::for_each_page(list, [this](std::span<const Adjustment> rows) -> Result<void> {
      for (const Adjustment& row : rows) {
        if (row.type != AdjustmentType::opening_balance || row.channel_account_id != account_.id) continue;
        const auto events = reader_.events(row.id.value, std::nullopt, {.limit = kRowsPerRead}, false);
        if (!events) return std::unexpected(events.error());
        const auto posted =
            std::ranges::find_if(events->rows, [](const Event& event) { return event.journal_id.has_value(); });
        if (posted != events->rows.end()) openings_.push_back({posted->at, row.currency, -row.amount});
      }
      return {};
    });
  }

  // Reads the differences of the days, and those of earlier days that can be in their proof. Newest first.
  Result<void> read_differences(const ReconciliationDays& days) {
    const DifferenceFilter in_proof{.channel_account_id = account_.id, .to = days.to, .changes_balance = true};
    const DifferenceFilter others{
        .channel_account_id = account_.id, .from = days.from, .to = days.to, .changes_balance = false};
    for (const DifferenceFilter& filter : {in_proof, others}) {
      const auto list = [&](const Page& page) { return reader_.differences(filter, page); };
      const auto add_page = [this](std::vector<Difference> rows) -> Result<void> {
        std::ranges::move(rows, std::back_inserter(differences_));
        return {};
      };
      if (auto read = store::for_each_page(list, add_page); !read) return read;
    }
    std::ranges::sort(differences_, std::greater{}, &Difference::id);
    return {};
  }

  // Returns what the books contain at that instant: the balance that the channel holds for us.
  Result<MinorUnits> books_at(Currency currency, Time at) {
    MinorUnits sum = 0;
    for (const Account& account : accounts_) {
      if (account.currency != currency) continue;
      const auto newest = reader_.entries(account, {.from = std::nullopt, .to = at}, {.limit = 1});
      if (!newest) return std::unexpected(newest.error());
      if (!newest->rows.empty()) sum -= newest->rows.front().balance_after;
    }
    for (const Opening& opening : openings_)
      if (opening.currency == currency && opening.at >= at) sum += opening.amount;
    return sum;
  }

  // Returns the closing balance of the day, summed over the funds accounts.
  Closing closing_of(const std::string& date, Currency currency) const {
    Closing sum;
    for (const std::string& funds : plan_.accounts_of(balance_kind())) {
      const Closing closing = closing_of(funds, date, currency);
      sum.amount += closing.amount;
      if (closing.unknown_since.empty()) continue;
      const bool is_first = sum.unknown_since.empty() || closing.unknown_since < sum.unknown_since;
      if (is_first) sum.unknown_since = closing.unknown_since;
    }
    return sum;
  }

  // A compared day without a balance, such as an empty day, has the balance of the day before. After a day without a
  // compared statement, the balance is unknown until a statement states it. Before the first statement in the currency,
  // the balance is the opening balance of that statement.
  Closing closing_of(const std::string& funds, const std::string& date, Currency currency) const {
    Closing closing;
    if (const auto first = opening_of(funds, currency)) closing.amount = first->second;
    std::string next;  // day after the last statement; empty before the first one
    for (auto at = newest_.lower_bound({balance_kind(), funds, ""}); at != newest_.end(); ++at) {
      const auto& [kind, name, day] = at->first;
      if (kind != balance_kind() || name != funds || day > date) break;
      const bool is_gap = !next.empty() && day != next;
      if (closing.unknown_since.empty() && is_gap) closing.unknown_since = next;
      if (closing.unknown_since.empty() && !is_compared(at->second.state)) closing.unknown_since = day;
      next = add_days(day, 1);
      if (const auto* total = total_of(at->first, currency); total != nullptr && total->closing_balance)
        closing = {*total->closing_balance, {}};
    }
    if (closing.unknown_since.empty() && next <= date) closing.unknown_since = next.empty() ? date : next;
    return closing;
  }

  // Returns what the statement states in the currency, or nullptr.
  const StatementTotal* total_of(const DayKey& key, Currency currency) const {
    const auto totals = totals_.find(key);
    if (totals == totals_.end()) return nullptr;
    const auto total = std::ranges::find(totals->second, currency, &StatementTotal::currency);
    return total == totals->second.end() ? nullptr : &*total;
  }

  // Returns the first opening balance of a funds account, and the day of its statement.
  std::optional<std::pair<std::string, MinorUnits>> opening_of(const std::string& funds, Currency currency) const {
    for (auto at = newest_.lower_bound({balance_kind(), funds, ""}); at != newest_.end(); ++at) {
      const auto& [kind, name, day] = at->first;
      if (kind != balance_kind() || name != funds) break;
      if (const auto* total = total_of(at->first, currency); total != nullptr && total->opening_balance)
        return std::pair{day, *total->opening_balance};
    }
    return std::nullopt;
  }

  // Returns the first day with an opening balance, and the sum of the first opening balances of the funds accounts.
  std::optional<std::pair<std::string, MinorUnits>> first_opening(Currency currency) const {
    std::optional<std::pair<std::string, MinorUnits>> first;
    for (const std::string& funds : plan_.accounts_of(balance_kind())) {
      const auto opening = opening_of(funds, currency);
      if (!opening) continue;
      if (!first) first.emplace(opening->first, 0);
      first->first = std::min(first->first, opening->first);
      first->second += opening->second;
    }
    return first;
  }

  Result<Reconciliation> row_of(const std::string& date, Time end, Currency currency,
                                const std::vector<EntrySum>& sums) {
    Reconciliation row{.date = date, .currency = currency};
    add_statements(row);
    for (const EntrySum& sum : sums) {
      if (sum.currency != currency) continue;
      if (books_payment(sum.type)) add(row.our_payments, sum.entries, -sum.amount);
      if (books_refund(sum.type)) add(row.our_refunds, sum.entries, sum.amount);
    }
    if (const auto found = totals_.find({StatementKind::trades, "", date}); found != totals_.end())
      for (const StatementTotal& total : found->second)
        if (total.currency == currency) {
          row.their_payments = {total.payments, total.paid};
          row.their_refunds = {total.refunds, total.refunded};
          row.their_fee_e5 = total.fee_e5;
        }
    if (const auto found = kinds_.find({date, currency}); found != kinds_.end())
      for (const auto& [kind, sum] : found->second) row.funds.push_back({kind, sum});
    if (auto proven = add_proof(row, end); !proven) return std::unexpected(proven.error());
    add_differences(row, end);
    row.result = result_of(row);
    return row;
  }

  static void add(SideSum& side, std::int64_t count, MinorUnits amount) {
    side.count += count;
    side.amount += amount;
  }

  void add_statements(Reconciliation& row) const {
    for (const StatementKind kind : kinds())
      for (const std::string& funds : plan_.accounts_of(kind)) {
        if (kind == StatementKind::funds) row.funds_account += (row.funds_account.empty() ? "" : " ") + funds;
        if (const auto at = newest_.find({kind, funds, row.date}); at != newest_.end())
          row.statements.push_back(at->second);
        else
          row.missing.push_back(kind);
      }
  }

  Result<void> add_proof(Reconciliation& row, Time end) {
    if (!states_balance()) return {};
    Closing closing = closing_of(row.date, row.currency);
    row.unknown_since = std::move(closing.unknown_since);
    auto first = first_opening(row.currency);
    if (!row.unknown_since.empty() || !first) return {};
    if (row.date < first->first) {  // The books have the currency already: a payment shortly before midnight.
      if (!closing_of(add_days(first->first, -1), row.currency).unknown_since.empty()) return {};
      first->first = row.date;
    }
    const auto start = start_of_day(first->first, plan_.utc_offset);
    const auto books = books_at(row.currency, end);
    if (!books) return std::unexpected(books.error());
    const auto opening = books_at(row.currency, *start);
    if (!opening) return std::unexpected(opening.error());
    std::vector<ledger::BalanceDifference> differences;
    for (const Difference& one : differences_)
      if (one.currency == row.currency && one.changes_balance)
        differences.push_back({one.date, one.amount, ledger::is_counted_at(one, end)});
    row.proof = ledger::prove({.date = row.date,
                               .first_date = first->first,
                               .books = *books,
                               .statement = closing.amount,
                               .books_opening = *opening,
                               .opening = first->second,
                               .movements = movements_[row.currency],
                               .differences = differences});
    return {};
  }

  // Adds the differences of the day that are not repaired, and those of all days that are in its proof.
  void add_differences(Reconciliation& row, Time end) const {
    for (const Difference& one : differences_) {
      const bool has_currency = one.difference_class != DifferenceClass::statement_missing;
      if (has_currency && one.currency != row.currency) continue;
      const bool is_in_proof = row.proof && one.date <= row.date && ledger::is_counted_at(one, end);
      const bool is_of_day = one.date == row.date && one.state != DifferenceState::repaired;
      if (!is_in_proof && !is_of_day) continue;
      row.open_count += one.state == DifferenceState::open ? 1 : 0;
      row.carried_count += one.state == DifferenceState::carried ? 1 : 0;
      if (row.open.size() < kDifferencesShown)
        row.open.push_back(one);
      else
        count_unlisted(row.unlisted, one, is_in_proof);
    }
  }

  static void count_unlisted(UnlistedDifferences& unlisted, const Difference& one, bool is_in_proof) {
    unlisted.count += 1;
    if (!is_in_proof || one.amount == 0) return;
    unlisted.proof_count += 1;
    unlisted.proof_amount += one.amount;
  }

  ReconciliationResult result_of(const Reconciliation& row) const {
    std::size_t expected = 0;
    for (const StatementKind kind : kinds()) expected += plan_.accounts_of(kind).size();
    const auto compared =
        std::ranges::count_if(row.statements, [](const Statement& one) { return is_compared(one.state); });
    const bool lacks_proof = states_balance() && !row.proof && has_balance(row);
    if (static_cast<std::size_t>(compared) < expected || !row.unknown_since.empty() || lacks_proof)
      return ReconciliationResult::incomplete;
    const bool is_explained = !row.proof || (row.proof->unexplained == 0 && row.proof->opening == 0);
    return row.open_count == 0 && is_explained ? ReconciliationResult::balanced : ReconciliationResult::differences;
  }

  // Whether there is a balance to prove: an account without a statement in the currency has none.
  bool has_balance(const Reconciliation& row) const {
    return std::ranges::any_of(accounts_, [&](const Account& one) { return one.currency == row.currency; });
  }

  Reader& reader_;
  const ChannelAccount& account_;
  const StatementPlan& plan_;
  std::map<DayKey, Statement> newest_;
  std::map<DayKey, std::vector<StatementTotal>> totals_;
  std::map<Currency, std::vector<ledger::ListedMovement>> movements_;
  std::map<std::pair<std::string, Currency>, std::map<LineKind, SideSum>> kinds_;
  std::vector<Account> accounts_;
  std::vector<Opening> openings_;
  std::vector<Difference> differences_;
  std::map<Currency, std::string> first_days_;  // with a statement or an account in the currency
};

}  // namespace

std::string last_ended_day(const StatementPlan& plan, Time now) { return add_days(date_of(now, plan.utc_offset), -1); }

std::expected<void, WrongDays> check_days(const ReconciliationDays& days, const StatementPlan& plan, Time now) {
  const std::string last = last_ended_day(plan, now);
  for (const auto& [bound, day] : {std::pair<std::string_view, std::string>{"to", days.to}, {"from", days.from}})
    if (day > last)
      return std::unexpected(WrongDays{bound, "must be a day that has ended in the time zone of the account."});
  if (days.from > days.to) return std::unexpected(WrongDays{"from", "must not be after to."});
  if (add_days(days.from, kReconciliationDaysMax) <= days.to)
    return std::unexpected(
        WrongDays{"from", fmt::format("must be at most {} days before to.", kReconciliationDaysMax - 1)});
  return {};
}

Result<std::vector<Reconciliation>> reconcile(Reader& reader, const ChannelAccount& account, const StatementPlan& plan,
                                              const ReconciliationDays& days) {
  return Reconciler(reader, account, plan).rows(days);
}

}  // namespace finality::query
