#include "worker/statements/statement_matcher.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "model/out_trade_no.h"
#include "store/each_page.h"
#include "worker/statements/archived_lines.h"
#include "worker/statements/interrupted_repair.h"
#include "worker/statements/missing_finder.h"
#include "worker/statements/statement_rows.h"

namespace finality {
namespace {

constexpr std::size_t kGroupLines = 512;       // lines that are compared with one read of the store
constexpr std::size_t kMatchesPerSend = 2048;  // of all merchants together; one batch of the engine can contain them

// What the channel has more than the books, in the currency of the line: a payment adds to our balance, a refund takes
// from it. The amount in the books is not a part of it if it has a line already, or another currency.
MinorUnits surplus_of(const StatementLine& line, const Comparison& found) {
  const bool is_apart = std::ranges::any_of(found.classes, [](DifferenceClass one) {
    return one == DifferenceClass::duplicate_at_channel || one == DifferenceClass::currency_mismatch;
  });
  const MinorUnits surplus = line.amount - (is_apart ? 0 : found.ours.value_or(0));
  return line.kind == LineKind::refund ? -surplus : surplus;
}

// Subjects of the differences that a line can have: about its money, of a second line for its document, about its
// costs, and of a line that a version did not contain.
std::vector<std::string> subjects_of(const Hash16& line, const std::string& date) {
  return {subject_of_line(line), subject_of_repetition(date, line), subject_of_costs(line),
          withdrawn_subject_of(subject_of_line(line))};
}

Command command_of(const Repair& repair) {
  return std::visit(
      [](const auto& evidence) -> Command {
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(evidence)>, std::monostate>)
          return Command{};
        else
          return evidence;
      },
      repair);
}

}  // namespace

StatementMatcher::StatementMatcher(const MatchTask& task)
    : task_(task), differences_(task.reader, task.commands, task.account.id), owners_(task) {
  times_.reserve(static_cast<std::size_t>(task.lines));
}

Hash16 StatementMatcher::key_of(const StatementLine& line, const Hash16& first, std::int64_t ordinal) const {
  return ordinal == 0 ? first : key_of_line(task_.account.id, line, ordinal);
}

void StatementMatcher::note(const StatementLine& line) {
  if (!is_trade(line.kind)) return;
  const Hash16 first = first_key_of(line);
  if (const std::uint32_t ordinal = times_[first].noted++; ordinal > 0) repeated_.insert(key_of(line, first, ordinal));
}

void StatementMatcher::note_earlier(const StatementLine& line, const Hash16& key, bool is_newest) {
  if (!is_newest || !is_trade(line.kind)) return;
  if (!is_present(key)) return replaced_.add(line, key);
  ++times_.at(first_key_of(line)).noted_earlier;
}

// Whether the file contains the line. REQUIRES: its lines were noted.
bool StatementMatcher::is_present(const Hash16& line) const {
  const auto at = times_.find(line);
  return (at != times_.end() && at->second.noted > 0) || repeated_.contains(line);
}

Result<void> StatementMatcher::add(StatementLine line) {
  ++counts_.lines;
  if (!is_trade(line.kind)) return {};
  const Hash16 first = first_key_of(line);
  Times& times = times_[first];
  const bool is_new = times.added >= times.noted_earlier;
  const Hash16 key = key_of(line, first, times.added++);
  LineReads reads = reads_of(task_.account, line);
  pending_.push_back({std::move(line), key, reads});
  if (is_new) pending_.back().replaced = replaced_.take(pending_.back().line);
  return pending_.size() < kGroupLines ? Result<void>{} : compare_pending();
}

// Postponed lines are compared last: a refund may be listed before its payment.
Result<void> StatementMatcher::finish_lines() {
  if (auto compared = compare_pending(); !compared) return compared;
  for (Pending& one : std::exchange(postponed_, {})) {
    one.is_postponed = true;
    pending_.push_back(std::move(one));
    if (pending_.size() < kGroupLines) continue;
    if (auto compared = compare_pending(); !compared) return compared;
  }
  if (auto compared = compare_pending(); !compared) return compared;
  if (auto sent = send_matches(); !sent) return sent;
  if (auto settled = task_.commands.settle(); !settled) return settled;
  return is_evidence() ? end_carried() : Result<void>{};
}

// Loads the orders that the lines name. Only the trade of another line is looked up in the books of the platform.
Result<void> StatementMatcher::load_rows(std::span<const Pending> lines, WorkingSet& rows) {
  ReadSet orders;
  for (const Pending& one : lines) add_reads_of_order(one.reads, orders);
  if (auto loaded = task_.reader.load(orders, rows); !loaded) return loaded;
  ReadSet trades;
  for (const Pending& one : lines)
    if (find_order(one.reads, rows) == nullptr) add_reads_of_trade(one.reads, trades);
  return trades.keys.empty() ? Result<void>{} : task_.reader.load(trades, rows);
}

// Restores the archived orders of the pending lines, and loads the rows again. Removes the lines that have their match
// already: a new version of an old statement must not restore all orders of its day. Lines whose orders cannot be
// restored are compared without the orders; postponed lines have been tried before.
Result<void> StatementMatcher::restore_archived(WorkingSet& rows) {
  std::vector<ArchivedOrder> archived;
  Keys matched;
  for (const Pending& one : pending_) {
    if (one.is_postponed) continue;
    auto found = find_archived(task_, one.line, one.reads, rows);
    if (!found) return std::unexpected(found.error());
    if (!*found) continue;
    const auto counted = count_matched(one, (*found)->merchant_id);
    if (!counted) return std::unexpected(counted.error());
    if (*counted)
      matched.insert(one.key);
    else
      archived.push_back(std::move(**found));
  }
  if (!matched.empty()) std::erase_if(pending_, [&](const Pending& one) { return matched.contains(one.key); });
  if (archived.empty()) return {};
  if (auto restored = restore_orders(task_, std::move(archived)); !restored) return restored;
  rows.clear();
  return load_rows(pending_, rows);
}

// Counts the line of an archived order if an earlier run or version has recorded its match; returns whether. The same
// line of another day is a duplicate.
Result<bool> StatementMatcher::count_matched(const Pending& one, MerchantId merchant) {
  const auto match = task_.reader.match_of_line(merchant, one.key);
  if (!match) return std::unexpected(match.error());
  if (!*match) return false;
  const auto is_same_day = is_of_this_day(**match);
  if (!is_same_day || !*is_same_day) return is_same_day;
  ++counts_.matched;
  if ((*match)->statement_id == task_.statement.id) ++counts_.recorded;
  return true;
}

Comparison StatementMatcher::compare(const Pending& one, const WorkingSet& rows) const {
  const LineContext context{.account = task_.account,
                            .date = task_.statement.date,
                            .source = task_.statement.source,
                            .rates = task_.rates,
                            .utc_offset = task_.plan.utc_offset};
  return compare_line(one.line, context, rows);
}

Result<Comparison> StatementMatcher::compare_again(const Pending& one) {
  WorkingSet rows;
  if (auto loaded = load_rows({&one, 1}, rows); !loaded) return std::unexpected(loaded.error());
  return compare(one, rows);
}

Result<void> StatementMatcher::compare_pending() {
  if (pending_.empty()) return {};
  std::vector<Comparison> found;
  {
    WorkingSet rows;
    if (auto loaded = load_rows(pending_, rows); !loaded) return loaded;
    if (auto restored = restore_archived(rows); !restored) return restored;
    for (const Pending& one : pending_) found.push_back(compare(one, rows));
  }
  if (auto loaded = load_known(found); !loaded) return loaded;
  fresh_orders_.clear();
  fresh_receipts_.clear();
  for (std::size_t i = 0; i < pending_.size(); ++i) {
    const Pending& one = pending_[i];
    Result<Comparison> now = is_outdated(one, found[i]) ? compare_again(one) : std::move(found[i]);
    if (!now) return std::unexpected(now.error());
    if (auto handled = handle(one, std::move(*now)); !handled) return handled;
  }
  pending_.clear();
  if (taken_.size() >= kMatchesPerSend && is_evidence())
    if (auto sent = send_matches(); !sent) return sent;
  return task_.go_on();
}

// Whether evidence of an earlier line of the group was booked for the order, or for the unknown receipt, of the line.
bool StatementMatcher::is_outdated(const Pending& one, const Comparison& found) const {
  if (found.order_id) return fresh_orders_.contains(found.order_id->value);
  return one.reads.trade_key && fresh_receipts_.contains(*one.reads.trade_key);
}

// Loads the matches of all documents that were found and, if there are any, the differences about the lines.
Result<void> StatementMatcher::load_known(std::span<const Comparison> found) {
  known_.clear();
  ReadSet reads;
  for (const Comparison& one : found)
    if (one.document.value != 0 && is_evidence()) reads.statement_matches.push_back(one.document.value);
  if (!reads.statement_matches.empty())
    if (auto loaded = task_.reader.load(reads, known_); !loaded) return loaded;
  if (!has_differences_) {
    const auto of_lines = has_differences(std::nullopt);
    if (!of_lines) return std::unexpected(of_lines.error());
    const auto of_fees = has_differences(DifferenceClass::cost_mismatch);
    if (!of_fees) return std::unexpected(of_fees.error());
    const auto of_discounts = has_differences(DifferenceClass::discount_mismatch);
    if (!of_discounts) return std::unexpected(of_discounts.error());
    has_differences_ = {.of_lines = *of_lines, .of_costs = *of_fees || *of_discounts};
  }
  return has_differences_->of_lines ? load_differences(found) : Result<void>{};
}

// Reads the differences of the pending lines, and of the lines that they replace.
Result<void> StatementMatcher::load_differences(std::span<const Comparison> found) {
  std::vector<DifferenceRecorder::Subject> subjects;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const MerchantId merchant = found[i].merchant_id;
    subjects.push_back({merchant, subject_of_line(pending_[i].key)});
    if (has_differences_->of_costs) subjects.push_back({merchant, subject_of_costs(pending_[i].key)});
    if (!pending_[i].replaced) continue;
    subjects.push_back({merchant, subject_of_document(found[i].document)});
    for (const std::string& text : subjects_of(*pending_[i].replaced, task_.statement.date))
      for (const MerchantId owner : std::set{merchant, kPlatform}) subjects.push_back({owner, text});
  }
  return differences_.prefetch(subjects);
}

// Whether the store has differences of the day, of that class.
Result<bool> StatementMatcher::has_differences(std::optional<DifferenceClass> difference_class) {
  const DifferenceFilter of_day{.channel_account_id = task_.account.id,
                                .kind = StatementKind::trades,
                                .from = task_.statement.date,
                                .to = task_.statement.date,
                                .difference_class = difference_class};
  const auto listed = task_.reader.differences(of_day, {.limit = 1});
  return listed ? Result<bool>(!listed->rows.empty()) : std::unexpected(listed.error());
}

// Returns the match of the document, also one that is not committed yet; empty without a match. Claims are only
// compared with each other.
Result<std::optional<StatementMatch>> StatementMatcher::match_of(ObjectRef document) {
  for (const Lines* lines : {&taken_, &sent_})
    if (const auto at = lines->find(document.value); at != lines->end())
      return StatementMatch{.document_id = document.value, .statement_id = task_.statement.id, .line = at->second};
  if (!is_evidence()) return std::nullopt;
  if (!known_.statement_matches.loaded(document.value)) {  // of evidence that was just booked
    ReadSet reads;
    reads.statement_matches.push_back(document.value);
    if (auto loaded = task_.reader.load(reads, known_); !loaded) return std::unexpected(loaded.error());
  }
  const StatementMatch* match = known_.statement_matches.find(document.value);
  return match == nullptr ? std::nullopt : std::optional(*match);
}

// Whether the match is of a line of an earlier version that this file does not contain: the line of this file replaces
// it.
bool StatementMatcher::is_restated(const StatementMatch& match) const {
  return is_of_earlier(match.statement_id) && !is_present(match.line);
}

bool StatementMatcher::is_of_earlier(StatementId statement) const {
  return std::ranges::find(task_.earlier, statement) != task_.earlier.end();
}

// Whether the match was recorded for this version, or for an earlier one that was compared.
bool StatementMatcher::is_of_version(const StatementMatch& match) const {
  return match.statement_id == task_.statement.id || is_of_earlier(match.statement_id);
}

// Whether the match was recorded for a version of the statement of this day. The statement of another day can list a
// line again, with the same content.
Result<bool> StatementMatcher::is_of_this_day(const StatementMatch& match) {
  if (is_of_version(match)) return true;
  const auto other = task_.reader.statement(match.statement_id);
  if (!other) return std::unexpected(other.error());
  return *other && (*other)->statement.date == task_.statement.date;
}

// Whether the line is of a later attempt of the refund than the matched line: the statement of an earlier day listed
// that attempt as processing, and it failed afterwards. The same line again is a duplicate.
bool StatementMatcher::is_next_attempt(const Pending& one, const StatementMatch& match) const {
  const auto number = parse_out_refund_no(one.line.out_refund_no);
  return number && number->attempt > 1 && !is_of_version(match) && match.line != one.key;
}

Result<void> StatementMatcher::handle(const Pending& one, Comparison found) {
  if (auto limited = query_once(one, found); !limited) return limited;
  const bool is_open_refund = !found.classes.empty() && found.classes.front() == DifferenceClass::external_refund;
  const auto has_repair = [&] { return !std::holds_alternative<std::monostate>(found.repair); };
  if (is_open_refund && !has_repair() && !one.is_postponed) {
    postponed_.push_back(one);
    return {};
  }
  if (auto checked = check_identity(one, found); !checked) return checked;
  if (!has_repair()) return handle_compared(one, std::move(found), std::nullopt);
  auto after = repair(one, found);
  if (!after) return std::unexpected(after.error());
  if (!after->is_match()) return handle_compared(one, std::move(found), std::nullopt);
  return handle_compared(one, std::move(*after), std::move(found));
}

// A line about which the books have no document, and whose other number is that of another order, of any merchant, is
// no evidence: it would book the money of the other order twice, and a reversal would return it.
Result<void> StatementMatcher::check_identity(const Pending& one, Comparison& found) {
  if (found.document.value != 0 || found.classes.empty()) return {};
  const auto is_of_two = owners_.has_other_order(one.line, one.reads, found);
  if (!is_of_two) return std::unexpected(is_of_two.error());
  if (!*is_of_two) return {};
  found.classes = {DifferenceClass::identity_conflict};
  found.repair = {};
  return {};
}

// A claim queries the channel once: its difference is recorded after the query, and a later version finds it.
Result<void> StatementMatcher::query_once(const Pending& one, Comparison& found) {
  if (is_evidence() || std::holds_alternative<std::monostate>(found.repair)) return {};
  const auto known = differences_.known(found.merchant_id, subject_of_line(one.key));
  if (!known) return std::unexpected(known.error());
  if (*known) found.repair = {};
  return {};
}

// `before`: what the comparison found before evidence of the line repaired the books; empty if it was not repaired.
Result<void> StatementMatcher::handle_compared(const Pending& one, Comparison found, std::optional<Comparison> before) {
  if (found.document.value == 0 && found.classes.empty()) {
    ++counts_.matched;  // no money moved on either side
    return one.replaced ? replace(*one.replaced, found) : Result<void>{};
  }
  const auto match = match_of(found.document);
  if (!match) return std::unexpected(match.error());
  bool is_own = *match && (*match)->line == one.key;  // an earlier run or version has recorded the match
  if (is_own) {
    const auto is_same_day = is_of_this_day(**match);
    if (!is_same_day) return std::unexpected(is_same_day.error());
    is_own = *is_same_day;
  }
  if (is_own && (*match)->statement_id == task_.statement.id) ++counts_.recorded;
  std::optional<Hash16> replaced = one.replaced;
  if (*match && !is_own) {
    const bool is_matched = is_restated(**match) && !restated_.contains((*match)->line);
    if (is_matched && replaced && !replaced_.contains((*match)->line))
      restated_.insert((*match)->line);  // the match is of an older version than the replaced line
    else if (is_matched)
      replaced = (*match)->line;
    if (!is_matched && !is_next_attempt(one, **match))
      found.classes.insert(found.classes.begin(), DifferenceClass::duplicate_at_channel);
  }
  if (replaced)
    if (auto ended = replace(*replaced, found); !ended) return ended;
  if (!found.is_match()) {
    ++counts_.differences;
    return record(one, found, DifferenceEvent::find, std::nullopt);
  }
  if (!*match) {
    if (!before) {
      auto interrupted = find_interrupted_repair(task_, one.line, found);
      if (!interrupted) return std::unexpected(interrupted.error());
      before = std::move(*interrupted);
    }
    add_match(one, found);
  }
  if (before) {
    before->document = found.document;
    if (auto recorded = record(one, *before, DifferenceEvent::repair, found.document); !recorded) return recorded;
  }
  return count_match(one, found, before.has_value());
}

// Notes that a changed line replaces the line of the earlier version, which is then not withdrawn. Ends what that line
// had differently: a difference of the changed line states its own amount. A difference that a funds statement has
// confirmed stays: only a newer version of that statement can end it.
Result<void> StatementMatcher::replace(const Hash16& line, const Comparison& found) {
  if (!restated_.insert(line).second || !has_differences_->of_lines) return {};
  std::vector<std::string> subjects = subjects_of(line, task_.statement.date);
  if (found.document.value != 0) subjects.push_back(subject_of_document(found.document));
  for (const MerchantId merchant : std::set{found.merchant_id, kPlatform})
    for (const std::string& subject : subjects) {
      auto known = differences_.find(merchant, subject);
      if (!known) return std::unexpected(known.error());
      if (!*known || (*known)->line != line || is_confirmed(**known)) continue;
      const ObjectRef by = found.is_match() ? found.document : ObjectRef(task_.statement.id);
      if (auto ended = differences_.end(merchant, subject, std::nullopt, by); !ended) return ended;
    }
  return {};
}

// Whether a funds statement shows the difference of a statement of trades too.
bool StatementMatcher::is_confirmed(const Difference& row) const {
  return has_funds(task_.plan) && finality::is_confirmed(row);
}

// Whether the difference is of a line of an earlier version that this version does not contain.
bool StatementMatcher::is_of_replaced(const Difference& row, const Hash16& line) const {
  return row.line && *row.line != line && row.statement_id && is_of_earlier(*row.statement_id) &&
         !is_present(*row.line);
}

// Counts a line that reports the money of its document. It may have repaired the books now or in an earlier run, or the
// channel's answer to the query of a claim did: the difference then ends. Its fee or discount can still differ.
Result<void> StatementMatcher::count_match(const Pending& one, const Comparison& found, bool is_repaired) {
  if (!is_repaired && has_differences_->of_lines) {
    const auto ended = end_known(found, subject_of_line(one.key));
    if (!ended) return std::unexpected(ended.error());
    is_repaired = *ended;
  }
  if (!found.classes.empty()) {
    ++counts_.differences;
    return record(one, found, DifferenceEvent::find, std::nullopt);
  }
  ++(is_repaired ? counts_.repaired : counts_.matched);
  if (!has_differences_->of_costs) return {};
  const auto ended = end_known(found, subject_of_costs(one.key));
  return ended ? Result<void>{} : std::unexpected(ended.error());
}

// Ends the difference of that subject, which the line no longer has. Returns whether there is one.
Result<bool> StatementMatcher::end_known(const Comparison& found, std::string subject) {
  auto known = differences_.find(found.merchant_id, subject);
  if (!known) return std::unexpected(known.error());
  if (!*known || (*known)->state != DifferenceState::open) return known->has_value();
  const auto ended =
      differences_.record(std::move(**known), std::move(subject), DifferenceEvent::repair, found.document);
  return ended ? Result<bool>(true) : std::unexpected(ended.error());
}

// A claim takes no match: the line that the channel reports must find its document.
void StatementMatcher::add_match(const Pending& one, const Comparison& found) {
  taken_[found.document.value] = one.key;
  if (!is_evidence()) return;
  ++counts_.recorded;
  RecordMatches& command = matches_[found.merchant_id];
  command.merchant_id = found.merchant_id;
  command.channel_account_id = task_.account.id;
  command.statement_id = task_.statement.id;
  command.lines.push_back({found.document, one.key, one.line.line_no});
}

// Submits the evidence, or the query of a claim, and compares again.
Result<Comparison> StatementMatcher::repair(const Pending& one, const Comparison& found) {
  if (found.order_id)
    fresh_orders_.insert(found.order_id->value);
  else if (one.reads.trade_key)
    fresh_receipts_.insert(*one.reads.trade_key);
  // A refusal is no error: the books then stay as they are, and the comparison finds the same difference again.
  if (auto reply = task_.commands.submit(command_of(found.repair), found.merchant_id); !reply)
    return std::unexpected(reply.error());
  owners_.add(found.merchant_id);
  return compare_again(one);
}

// Returns the subject of a difference about a line. The line of another day, or its evidence, may have a difference
// that has ended: a further difference has another subject. If the line reports other money than its document, the
// subject is the document: it is then not reported as missing too. A document that was carried has its line now, so
// that ends, and so does the difference of a line that is replaced; the file of that line may have expired.
Result<std::string> StatementMatcher::subject_for(const Pending& one, const Comparison& found, DifferenceEvent event) {
  const std::string line = subject_of_line(one.key);
  if (event != DifferenceEvent::find) return line;
  if (found.classes.front() == DifferenceClass::duplicate_at_channel)
    return subject_of_repetition(task_.statement.date, one.key);
  if (found.is_match()) return subject_of_costs(one.key);
  if (!is_evidence() || found.document.value == 0) return line;
  const std::string document = subject_of_document(found.document);
  auto known = differences_.find(found.merchant_id, document);
  if (!known) return std::unexpected(known.error());
  if (!*known) return document;
  const bool is_replaced = is_of_replaced(**known, one.key);
  if ((*known)->difference_class != DifferenceClass::missing_at_channel && !is_replaced) return document;
  if (is_confirmed(**known)) return line;
  const ObjectRef by = is_replaced ? ObjectRef(task_.statement.id) : found.document;
  const auto ended = differences_.end(found.merchant_id, document, std::nullopt, by);
  return ended ? Result<std::string>(line) : std::unexpected(ended.error());
}

Result<void> StatementMatcher::record(const Pending& one, const Comparison& found, DifferenceEvent event,
                                      std::optional<ObjectRef> repaired_by) {
  Difference row = difference_about(one.line, task_.statement);
  row.merchant_id = found.merchant_id;
  row.difference_class = found.classes.front();
  for (std::size_t i = 1; i < found.classes.size(); ++i)
    row.also += (i == 1 ? "" : " ") + std::string(name_of(found.classes[i]));
  row.order_id = found.order_id;
  row.document_type = found.document.type;
  row.document_id = found.document.value;
  row.line = one.key;
  row.ours = found.ours;
  row.amount = surplus_of(one.line, found);
  row.changes_balance = is_evidence() && !has_funds(task_.plan);
  auto subject = subject_for(one, found, event);
  if (!subject) return std::unexpected(subject.error());
  return differences_.record(std::move(row), std::move(*subject), event, repaired_by);
}

// Sends the matches, at most one command per merchant. The matches that were sent before are committed afterwards.
Result<void> StatementMatcher::send_matches() {
  if (auto settled = task_.commands.settle(); !settled) return settled;
  if (is_evidence()) sent_ = std::exchange(taken_, {});
  for (auto& [merchant, command] : std::exchange(matches_, {}))
    if (auto sent = task_.commands.send(std::move(command), merchant); !sent) return sent;
  return {};
}

// Ends the differences about documents that were carried, perhaps for days, and that a line of this statement matches.
Result<void> StatementMatcher::end_carried() {
  if (auto ended = end_carried(DifferenceState::carried); !ended) return ended;
  return end_carried(DifferenceState::open);
}

Result<void> StatementMatcher::end_carried(DifferenceState state) {
  const DifferenceFilter filter{.channel_account_id = task_.account.id, .kind = StatementKind::trades, .state = state};
  const auto list = [&](const Page& page) { return task_.reader.differences(filter, page); };
  const auto ended = store::for_each_page(list, [this](std::span<const Difference> rows) { return end_matched(rows); });
  return ended ? task_.commands.settle() : ended;
}

// Ends those of the differences that are about a document with a match of this statement, and not about a line.
Result<void> StatementMatcher::end_matched(std::span<const Difference> listed) {
  ReadSet reads;
  for (const Difference& row : listed)
    if (row.document_id != 0) reads.statement_matches.push_back(row.document_id);
  WorkingSet rows;
  if (auto loaded = task_.reader.load(reads, rows); !loaded) return loaded;
  std::vector<const Difference*> matched;
  std::vector<DifferenceRecorder::Subject> subjects;
  for (const Difference& row : listed) {
    const StatementMatch* match = row.document_id == 0 ? nullptr : rows.statement_matches.find(row.document_id);
    if (match == nullptr || match->statement_id != task_.statement.id || is_confirmed(row)) continue;
    matched.push_back(&row);
    subjects.push_back({row.merchant_id, subject_of_document(ObjectRef(row.document_type, row.document_id))});
  }
  if (auto read = differences_.prefetch(subjects); !read) return read;
  for (const Difference* each : matched) {
    const Difference& row = *each;
    const ObjectRef document(row.document_type, row.document_id);
    const std::string subject = subject_of_document(document);
    const auto known = differences_.known(row.merchant_id, subject);
    if (!known) return std::unexpected(known.error());
    if (*known != row.id) continue;
    if (auto ended = differences_.record(row, subject, DifferenceEvent::repair, document); !ended) return ended;
  }
  return task_.go_on();
}

Result<void> StatementMatcher::add_earlier(StatementLine line) {
  if (!is_trade(line.kind)) return {};
  const Hash16 first = first_key_of(line);
  Times& times = times_[first];
  const Hash16 key = key_of(line, first, times.earlier++);
  if (times.earlier <= times.added || restated_.contains(key)) return {};
  LineReads reads = reads_of(task_.account, line);
  pending_.push_back({std::move(line), key, reads});
  return pending_.size() < kGroupLines ? Result<void>{} : record_withdrawn();
}

Result<void> StatementMatcher::finish_earlier() {
  if (auto recorded = record_withdrawn(); !recorded) return recorded;
  return task_.commands.settle();
}

Result<void> StatementMatcher::record_withdrawn() {
  if (pending_.empty()) return {};
  WorkingSet rows;
  if (auto loaded = load_rows(pending_, rows); !loaded) return loaded;
  for (const Pending& one : pending_) {
    const OrderAggregate* order = find_order(one.reads, rows);
    const StatementLine& line = one.line;
    Difference row = difference_about(line, task_.statement);
    if (order != nullptr) row.merchant_id = order->order.merchant_id;
    if (order != nullptr) row.order_id = order->order.id;
    row.difference_class = DifferenceClass::line_withdrawn;
    row.line_no = 0;
    row.line = one.key;
    row.amount = line.kind == LineKind::refund ? line.amount : -line.amount;
    row.changes_balance = is_evidence() && !has_funds(task_.plan);
    bool is_ended = false;
    for (const std::string& subject : {subject_of_repetition(row.date, one.key), subject_of_line(one.key)}) {
      const auto ended = end_withdrawn(differences_, row, subject);
      if (!ended) return std::unexpected(ended.error());
      is_ended = is_ended || *ended;
    }
    if (is_ended) continue;
    if (auto recorded =
            differences_.record(std::move(row), withdrawn_subject_of(subject_of_line(one.key)), DifferenceEvent::find);
        !recorded)
      return recorded;
  }
  pending_.clear();
  return task_.go_on();
}

Result<void> StatementMatcher::find_missing() {
  const auto carried = MissingFinder(task_, differences_).find();
  if (!carried) return std::unexpected(carried.error());
  counts_.carried += *carried;
  return {};
}

}  // namespace finality
