#include "worker/statements/bank_matcher.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/time/date.h"
#include "worker/statements/carried_differences.h"
#include "worker/statements/statement_rows.h"

namespace finality {
namespace {

using namespace std::chrono_literals;

constexpr Duration kNearDay = 240h;  // from a line to its entry, in both directions
constexpr std::size_t kRowsPerRead = 1000;
constexpr std::size_t kMatchesMax = 1'000'000;  // of one statement

}  // namespace

BankMatcher::BankMatcher(const MatchTask& task)
    : task_(task),
      differences_(task.reader, task.commands, task.account.id),
      keys_(task.account.id),
      earlier_keys_(task.account.id) {}

Result<void> BankMatcher::add(StatementLine line) {
  ++counts_.lines;
  const Hash16 key = keys_.next(line);
  lines_.push_back({std::move(line), key});
  return {};
}

Result<void> BankMatcher::finish_lines() {
  if (auto loaded = load_matches(); !loaded) return loaded;
  if (auto loaded = load_entries(); !loaded) return loaded;
  if (auto matched = match_carried(); !matched) return matched;
  for (const Line& one : lines_)
    if (auto matched = match(one); !matched) return matched;
  return task_.commands.settle();
}

Result<void> BankMatcher::find_missing() {
  if (auto carried = carry_entries(); !carried) return carried;
  CarriedDifferences carried(task_, differences_);
  const auto subject = [](const Difference& row) {
    return row.line ? funds_subject_of(*row.line) : funds_subject_of(ObjectRef(row.document_type, row.document_id));
  };
  if (auto counted = carried.count(DifferenceClass::funds_line_unknown, subject); !counted) return counted;
  return carried.count(DifferenceClass::trade_without_funds, subject);
}

Result<void> BankMatcher::load_matches() {
  std::vector<StatementId> ids(task_.earlier.begin(), task_.earlier.end());
  ids.push_back(task_.statement.id);
  for (const StatementId id : ids) {
    const auto matches = task_.reader.funds_matches(id, kMatchesMax);
    if (!matches) return std::unexpected(matches.error());
    for (const FundsMatch& match : *matches) known_.emplace(match.line, match);
  }
  return {};
}

// Reads the entries of the bank account near the day: those without a match can match a line.
Result<void> BankMatcher::load_entries() {
  const auto start = start_of_day(task_.statement.date, task_.plan.utc_offset);
  if (!start) return fail(fmt::format("{} is no day", task_.statement.date));
  const EntryFilter filter{.from = *start - kNearDay, .to = *start + 24h + kNearDay};
  const auto accounts = task_.reader.accounts_of_channel_account(task_.account.id);
  if (!accounts) return std::unexpected(accounts.error());
  std::vector<Entry> open;
  for (const Account& account : *accounts) {
    Page page{.limit = kRowsPerRead};
    while (true) {
      const auto entries = task_.reader.entries(account, filter, page);
      if (!entries) return std::unexpected(entries.error());
      ReadSet reads;
      for (const Entry& entry : entries->rows) reads.funds_matches.push_back(entry.id.value);
      WorkingSet rows;
      if (auto loaded = task_.reader.load(reads, rows); !loaded) return loaded;
      for (const Entry& entry : entries->rows) {
        times_.emplace(entry.id.value, entry.created_at);
        if (needs_line(entry) && rows.funds_matches.find(entry.id.value) == nullptr) open.push_back(entry);
      }
      if (!entries->has_more) break;
      page.after = entries->rows.back().id.value;
    }
  }
  std::ranges::sort(open, {}, &Entry::id);
  for (const Entry& entry : open) open_[{entry.currency, -entry.amount}].push_back(entry);
  return {};
}

std::optional<Entry> BankMatcher::take(const Amount& amount) {
  const auto at = open_.find(amount);
  if (at == open_.end() || at->second.empty()) return std::nullopt;
  Entry entry = at->second.front();
  at->second.pop_front();
  return entry;
}

// Lines of earlier statements whose entry was posted later.
Result<void> BankMatcher::match_carried() {
  for (const DifferenceState state : {DifferenceState::carried, DifferenceState::open}) {
    const DifferenceFilter filter{.channel_account_id = task_.account.id,
                                  .difference_class = DifferenceClass::funds_line_unknown,
                                  .state = state};
    auto rows = task_.reader.differences(filter, {.limit = kRowsPerRead});
    if (!rows) return std::unexpected(rows.error());
    std::ranges::reverse(rows->rows);
    for (Difference& row : rows->rows) {
      if (row.statement_id == task_.statement.id || !row.line || !row.theirs) continue;
      const auto entry = take({row.currency, *row.theirs});
      if (!entry) continue;
      ++counts_.recorded;
      if (auto matched = add_match(*entry, {entry->id, *row.line, row.line_no, *row.theirs}); !matched) return matched;
      const std::string subject = funds_subject_of(*row.line);
      row.ended_at = entry->created_at;
      if (auto ended = differences_.record(std::move(row), subject, DifferenceEvent::repair, entry->id); !ended)
        return ended;
    }
  }
  return {};
}

Result<void> BankMatcher::match(const Line& one) {
  const StatementLine& line = one.line;
  if (const auto known = known_.find(one.key); known != known_.end()) {
    ++counts_.matched;
    if (known->second.statement_id == task_.statement.id) ++counts_.recorded;
    const auto time = times_.find(known->second.document_id);
    if (time == times_.end()) return fail("the entry of a matched line is not near the day of its statement");
    booked_.add(line.kind, line.currency, date_of(time->second, task_.plan.utc_offset), 1, line.amount);
    return {};
  }
  const std::string subject = funds_subject_of(one.key);
  auto known = differences_.find(kPlatform, subject);
  if (!known) return std::unexpected(known.error());
  const bool is_ended = *known && difference_machine.is_final((*known)->state);
  if (line.amount == 0) {
    ++counts_.matched;
    booked_.add(line.kind, line.currency, task_.statement.date, 1, 0);
    return {};
  }
  if (is_ended) {
    ++counts_.repaired;
    return {};
  }
  if (const auto entry = take({line.currency, line.amount})) {
    ++counts_.matched;
    ++counts_.recorded;
    booked_.add(line.kind, line.currency, date_of(entry->created_at, task_.plan.utc_offset), 1, line.amount);
    if (auto matched = add_match(*entry, {entry->id, one.key, line.line_no, line.amount}); !matched) return matched;
    if (!*known) return {};
    return differences_.record(std::move(**known), subject, DifferenceEvent::repair, entry->id);
  }
  ++counts_.differences;
  Difference row = difference_about(line, task_.statement);
  row.difference_class = DifferenceClass::funds_line_unknown;
  row.line = one.key;
  row.amount = line.amount;
  row.changes_balance = true;
  return *known ? Result<void>{} : differences_.record(std::move(row), subject, DifferenceEvent::carry);
}

Result<void> BankMatcher::add_match(const Entry& entry, const MatchedLine& line) {
  RecordMatches command;
  command.merchant_id = entry.merchant_id;
  command.channel_account_id = task_.account.id;
  command.statement_id = task_.statement.id;
  command.kind = task_.statement.kind;
  command.lines = {line};
  if (auto sent = task_.commands.send(std::move(command), entry.merchant_id); !sent) return sent;
  const std::string subject = funds_subject_of(entry.id);
  auto known = differences_.find(entry.merchant_id, subject);
  if (!known) return std::unexpected(known.error());
  if (!*known) return {};
  (*known)->ended_at = entry.created_at;
  return differences_.record(std::move(**known), subject, DifferenceEvent::repair, entry.id);
}

// Entries of the day, and of earlier days, that the bank does not list yet.
Result<void> BankMatcher::carry_entries() {
  for (const auto& [amount, entries] : open_)
    for (const Entry& entry : entries) {
      const std::string date = date_of(entry.created_at, task_.plan.utc_offset);
      if (date > task_.statement.date) continue;
      ++counts_.carried;
      const std::string subject = funds_subject_of(entry.id);
      const auto known = differences_.known(entry.merchant_id, subject);
      if (!known) return std::unexpected(known.error());
      if (*known) continue;
      Difference row;
      row.merchant_id = entry.merchant_id;
      row.kind = task_.statement.kind;
      row.date = date;
      row.difference_class = DifferenceClass::trade_without_funds;
      row.document_type = ObjectType::entry;
      row.document_id = entry.id.value;
      row.ours = amount.second;
      row.amount = -amount.second;
      row.currency = entry.currency;
      row.subject = fmt::format("{} {}", name_of(entry.type), to_text(entry.id));
      row.changes_balance = true;
      if (auto carried = differences_.record(std::move(row), subject, DifferenceEvent::carry); !carried) return carried;
    }
  return {};
}

Result<void> BankMatcher::add_earlier(StatementLine line) {
  const Hash16 key = earlier_keys_.next(line);
  if (std::ranges::find(lines_, key, &Line::key) != lines_.end()) return {};
  return record_withdrawn(differences_, task_.statement, line, key);
}

FundsResult BankMatcher::result() const {
  return {.booked = booked_.lines(),
          .postings = {},
          .posted_on = {},
          .channel = task_.account.channel,
          .bank_account = {},
          .bank_currency = {}};
}

}  // namespace finality
