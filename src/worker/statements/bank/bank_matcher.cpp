#include "worker/statements/bank/bank_matcher.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/time/date.h"
#include "store/each_page.h"
#include "worker/statements/carried_differences.h"
#include "worker/statements/statement_rows.h"

namespace finality {
namespace {

using namespace std::chrono_literals;

constexpr Duration kNearDay = 240h;  // from a line to its entry, in both directions

}  // namespace

BankMatcher::BankMatcher(const MatchTask& task)
    : task_(task),
      differences_(task.reader, task.commands, task.account.id),
      keys_(task.account.id),
      earlier_keys_(task.account.id) {}

void BankMatcher::note_earlier(const StatementLine& line, const Hash16& key, bool) { versions_.add(line, key); }

Result<void> BankMatcher::add(StatementLine line) {
  ++counts_.lines;
  const Hash16 key = keys_.next(line);
  lines_.push_back({std::move(line), key});
  return {};
}

// A line that replaces one of an earlier version takes over its match and its differences.
void BankMatcher::identify_lines() {
  if (versions_.has_versions()) {
    for (const Line& one : lines_) versions_.add(one.line, one.key);
    const std::vector<Hash16> identities = versions_.end_version();
    for (std::size_t i = 0; i < lines_.size(); ++i) lines_[i].key = identities[i];
  }
  for (const Line& one : lines_) present_.insert(one.key);
}

Result<void> BankMatcher::finish_lines() {
  identify_lines();
  if (auto loaded = load_matches(); !loaded) return loaded;
  if (auto loaded = load_entries(); !loaded) return loaded;
  if (auto matched = match_carried(); !matched) return matched;
  for (const Line& one : lines_) {
    if (auto matched = match(one); !matched) return matched;
    if (auto gone_on = task_.go_on(); !gone_on) return gone_on;
  }
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
  const auto matches = funds_matches_of(task_);
  if (!matches) return std::unexpected(matches.error());
  for (const FundsMatch& match : *matches) {
    if (match.statement_id == task_.statement.id) ++counts_.recorded;
    known_.emplace(match.line, match);
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
    const auto list = [&](const Page& page) { return task_.reader.entries(account, filter, page); };
    const auto take_page = [&](std::span<const Entry> entries) -> Result<void> {
      ReadSet reads;
      for (const Entry& entry : entries) reads.funds_matches.push_back(entry.id.value);
      WorkingSet rows;
      if (auto loaded = task_.reader.load(reads, rows); !loaded) return loaded;
      for (const Entry& entry : entries) {
        times_.emplace(entry.id.value, entry.created_at);
        if (needs_line(entry) && rows.funds_matches.find(entry.id.value) == nullptr) open.push_back(entry);
      }
      return {};
    };
    if (auto taken = store::for_each_page(list, take_page); !taken) return taken;
  }
  std::ranges::sort(open, {}, &Entry::id);
  for (const Entry& entry : open) open_[{entry.currency, -entry.amount}].push_back(entry);
  return {};
}

// Returns the oldest entry of the amount, and sends its match with the line; empty if there is no such entry.
Result<std::optional<BankMatcher::Booked>> BankMatcher::take(Currency currency, const MatchedLine& line) {
  const auto at = open_.find({currency, line.amount});
  if (at == open_.end() || at->second.empty()) return std::nullopt;
  const Booked entry{at->second.front().id, at->second.front().merchant_id, at->second.front().created_at};
  at->second.pop_front();
  ++counts_.recorded;
  RecordMatches command;
  command.merchant_id = entry.merchant_id;
  command.channel_account_id = task_.account.id;
  command.statement_id = task_.statement.id;
  command.kind = task_.statement.kind;
  command.lines = {line};
  command.lines.front().document = entry.id;
  const auto sent = task_.commands.send(std::move(command), entry.merchant_id);
  return sent ? Result<std::optional<Booked>>(entry) : std::unexpected(sent.error());
}

// Returns the entry of the line: the one that an earlier run or version has matched, otherwise that of take(). Ends the
// difference about the entry, which an earlier run may have matched without ending it.
Result<std::optional<BankMatcher::Booked>> BankMatcher::entry_of(const FundsMatch* known, Currency currency,
                                                                 const MatchedLine& line) {
  Result<std::optional<Booked>> entry;
  if (known == nullptr) {
    entry = take(currency, line);
  } else {
    const auto time = times_.find(known->document_id);
    if (time == times_.end()) return fail("the entry of a matched line is not near the day of its statement");
    entry = Booked{EntryId{known->document_id}, known->merchant_id, time->second};
  }
  if (!entry || !*entry) return entry;
  const Booked& found = **entry;
  const auto ended = differences_.end(found.merchant_id, funds_subject_of(found.id), found.at, found.id);
  return ended ? entry : std::unexpected(ended.error());
}

Result<void> BankMatcher::match_carried() {
  std::vector<Difference> carried;
  for (const DifferenceState state : {DifferenceState::carried, DifferenceState::open}) {
    const DifferenceFilter filter{.channel_account_id = task_.account.id,
                                  .difference_class = DifferenceClass::funds_line_unknown,
                                  .state = state};
    const auto list = [&](const Page& page) { return task_.reader.differences(filter, page); };
    const auto take_page = [&](std::vector<Difference> rows) -> Result<void> {
      std::ranges::move(rows, std::back_inserter(carried));
      return {};
    };
    if (auto taken = store::for_each_page(list, take_page); !taken) return taken;
  }
  std::ranges::sort(carried, {}, &Difference::id);
  for (Difference& row : carried)
    if (auto matched = match_carried(std::move(row)); !matched) return matched;
  return task_.go_on();
}

// The line of an earlier statement, whose entry was posted later. An earlier run may have recorded the match without
// ending the difference.
Result<void> BankMatcher::match_carried(Difference row) {
  if (row.statement_id == task_.statement.id || !row.line || !row.theirs || is_withdrawn(row)) return {};
  const auto known = known_.find(*row.line);
  const MatchedLine line{{}, *row.line, row.line_no, *row.theirs};
  const auto entry = entry_of(known == known_.end() ? nullptr : &known->second, row.currency, line);
  if (!entry) return std::unexpected(entry.error());
  if (!*entry) return {};
  const std::string subject = funds_subject_of(*row.line);
  row.ended_at = (*entry)->at;
  if (auto settled = settle_match(); !settled) return settled;
  return differences_.record(std::move(row), subject, DifferenceEvent::repair, (*entry)->id);
}

// Whether the difference is of a line of an earlier version that this version does not contain: it does not match.
bool BankMatcher::is_withdrawn(const Difference& row) const {
  return row.date == task_.statement.date && !present_.contains(*row.line);
}

Result<void> BankMatcher::match(const Line& one) {
  const StatementLine& line = one.line;
  if (line.amount == 0) {
    add_booked(line, task_.statement.date);
    return {};
  }
  const std::string subject = funds_subject_of(one.key);
  auto difference = differences_.find(kPlatform, subject);
  if (!difference) return std::unexpected(difference.error());
  if (*difference && is_ended_by_earlier(**difference, task_)) difference->reset();
  if (versions_.has_returned(one.key))
    if (auto ended = end_returned(differences_, task_, line, one.key); !ended) return ended;
  const auto at = known_.find(one.key);
  const FundsMatch* known = at == known_.end() ? nullptr : &at->second;
  // The proof counts a difference until it ends. Without that time, the line is counted as booked instead.
  const bool is_ended = *difference && difference_machine.is_final((*difference)->state);
  if (is_ended && (known == nullptr || (*difference)->ended_at)) {
    ++counts_.repaired;
    return {};
  }
  const auto entry = entry_of(known, line.currency, {{}, one.key, line.line_no, line.amount});
  if (!entry) return std::unexpected(entry.error());
  if (*entry) {
    add_booked(line, date_of((*entry)->at, task_.plan.utc_offset));
    if (!*difference || is_ended) return {};
    if (auto settled = settle_match(); !settled) return settled;
    return differences_.record(std::move(**difference), subject, DifferenceEvent::repair, (*entry)->id);
  }
  ++counts_.differences;
  if (*difference) return {};
  Difference row = difference_about(line, task_.statement);
  row.difference_class = DifferenceClass::funds_line_unknown;
  row.line = one.key;
  row.amount = line.amount;
  row.changes_balance = true;
  return record_found(differences_, task_, std::move(row), subject, DifferenceEvent::carry);
}

void BankMatcher::add_booked(const StatementLine& line, const std::string& booked_on) {
  ++counts_.matched;
  booked_.add(line.kind, line.currency, booked_on, 1, line.amount);
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
      if (auto gone_on = task_.go_on(); !gone_on) return gone_on;
    }
  return {};
}

Result<void> BankMatcher::add_earlier(StatementLine line) {
  const Hash16 key = versions_.identity_of(earlier_keys_.next(line));
  if (present_.contains(key)) return {};
  if (auto recorded = record_withdrawn(differences_, task_, line, key); !recorded) return recorded;
  return task_.go_on();
}

FundsResult BankMatcher::result() const { return {.booked = booked_.lines(), .channel = task_.account.channel}; }

}  // namespace finality
