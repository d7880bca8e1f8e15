#include "worker/statements/funds_matcher.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/limits.h"
#include "base/time/date.h"
#include "model/out_trade_no.h"
#include "store/each_page.h"
#include "worker/statements/archived_lines.h"
#include "worker/statements/missing_finder.h"
#include "worker/statements/statement_rows.h"

namespace finality {
namespace {

using enum DifferenceClass;

constexpr std::size_t kGroupLines = 256;          // lines that are compared with one read of the store
constexpr std::size_t kSinglePostingsMax = 1000;  // withdrawals and top-ups that are posted alone; others are summed

bool is_single(LineKind kind) { return kind == LineKind::withdrawal || kind == LineKind::top_up; }

}  // namespace

Result<void> PostingTally::add(const StatementLine& line) {
  if (is_single(line.kind) && postings_.size() < kSinglePostingsMax) {
    postings_.push_back({line.kind, line.currency, 1, line.amount});
    return {};
  }
  const auto [at, is_new] = sums_.try_emplace({line.currency, line.kind, line.amount < 0}, postings_.size());
  if (is_new) postings_.push_back({line.kind, line.currency, 0, 0});
  FundsPosting& sum = postings_[at->second];
  sum.lines += 1;
  if (__builtin_add_overflow(sum.amount, line.amount, &sum.amount))
    return fail(fmt::format("the {} lines of the statement sum to more than 64 bits", name_of(line.kind)));
  return {};
}

FundsMatcher::FundsMatcher(const MatchTask& task, const StatementAggregate* earlier)
    : task_(task),
      differences_(task.reader, task.commands, task.account.id),
      trades_(task),
      open_(task),
      keys_(task.account.id),
      noted_(task.account.id),
      withdrawn_keys_(task.account.id) {
  if (earlier == nullptr) return;
  for (const StatementMovement& row : earlier->movements)
    if (posted_type(row.kind, row.amount)) booked_.add(row.kind, row.currency, row.booked_on, row.lines, row.amount);
}

std::string FundsMatcher::day_of(Time at) const { return date_of(at, task_.plan.utc_offset); }

void FundsMatcher::note(const StatementLine& line) { present_.insert(noted_.next(line)); }

void FundsMatcher::note_earlier(const StatementLine& line, const Hash16& key, bool is_newest) {
  if (posted_type(line.kind, line.amount)) posted_before_.insert(key);
  if (present_.contains(key))
    (is_newest ? kept_ : older_).insert(key);
  else if (is_newest && has_document(line))
    replaceable_.add(line, key);
}

Result<void> FundsMatcher::add(StatementLine line) {
  ++counts_.lines;
  const Hash16 key = keys_.next(line);
  if (line.amount == 0) {
    add_booked(line, task_.statement.date);
    return {};
  }
  if (older_.contains(key) && !kept_.contains(key))
    if (auto ended = end_returned(differences_, task_, line, key); !ended) return ended;
  if (posted_type(line.kind, line.amount)) {
    if (is_repeated(line)) {
      const Pending repeated{.line = std::move(line), .key = key, .reads = {}, .found = {}, .candidates = {}};
      return report_line(repeated, duplicate_at_channel);
    }
    ++counts_.matched;
    return posted_before_.contains(key) ? Result<void>{} : postings_.add(line);
  }
  Pending one{.line = std::move(line), .key = key, .reads = {}, .found = {}, .candidates = {}};
  if (!has_document(one.line)) return report_line(one, funds_line_unknown);
  if (!kept_.contains(key)) one.replaced = replaceable_.take(one.line);
  return append(std::move(one));
}

// Whether an earlier line of the file, of the same kind, has the number of this one. Lines without a number are not
// repeated.
bool FundsMatcher::is_repeated(const StatementLine& line) {
  return !line.line_id.empty() && !posted_ids_.emplace(line.kind, line.line_id).second;
}

Result<void> FundsMatcher::append(Pending one) {
  const auto archived = trades_.complete(one.line, one.key);
  if (!archived) return std::unexpected(archived.error());
  one.archived = *archived;
  one.reads = reads_of(task_.account, one.line);
  pending_.push_back(std::move(one));
  return pending_.size() < kGroupLines ? Result<void>{} : compare_pending();
}

Result<void> FundsMatcher::finish_lines() {
  if (auto compared = compare_pending(); !compared) return compared;
  if (auto settled = task_.commands.settle(); !settled) return settled;  // match_late() reads what lines have ended
  if (auto matched = match_late(); !matched) return matched;
  if (auto matched = match_open(); !matched) return matched;
  return task_.commands.settle();
}

Result<void> FundsMatcher::load_rows(WorkingSet& rows) {
  ReadSet reads;
  for (const Pending& one : pending_) add_reads(one.reads, reads);
  return task_.reader.load(reads, rows);
}

// Restores the archived orders of the pending lines, and loads the rows again. Matched lines need their orders too: the
// statement counts each line on the day on which its document was posted. Lines whose orders cannot be restored are
// compared without the orders.
Result<void> FundsMatcher::restore_archived(WorkingSet& rows) {
  std::vector<ArchivedOrder> archived;
  for (const Pending& one : pending_) {
    if (one.archived) {
      archived.push_back(*one.archived);
      continue;
    }
    auto found = find_archived(task_, one.line, one.reads, rows);
    if (!found) return std::unexpected(found.error());
    if (*found) archived.push_back(std::move(**found));
  }
  if (archived.empty()) return {};
  if (auto restored = restore_orders(task_, std::move(archived)); !restored) return restored;
  for (Pending& one : pending_) {
    if (!one.archived) continue;
    if (auto completed = trades_.complete_from(one.line, one.key, one.archived->id); !completed) return completed;
    one.reads = reads_of(task_.account, one.line);
  }
  rows.clear();
  return load_rows(rows);
}

// Whether an earlier run or version has reported that another day lists the line. Since then, this statement may have
// matched the line of the other day.
Result<bool> FundsMatcher::is_reported_as_repeated(const Pending& one) {
  if (!repeated_.contains(one.key)) return false;
  for (const MerchantId merchant : std::set{one.found.merchant_id, kPlatform}) {
    const auto known = differences_.find(merchant, funds_subject_of_repetition(task_.statement.date, one.key));
    if (!known) return std::unexpected(known.error());
    if (*known && (*known)->state != DifferenceState::repaired) return true;
  }
  return false;
}

// Reads which lines of this day are duplicates: of lines of another day, or of the file.
Result<void> FundsMatcher::load_repeated() {
  if (std::exchange(is_repeated_loaded_, true)) return {};
  const DifferenceFilter filter{.channel_account_id = task_.account.id,
                                .kind = task_.statement.kind,
                                .from = task_.statement.date,
                                .to = task_.statement.date,
                                .difference_class = duplicate_at_channel};
  const auto list = [&](const Page& page) { return task_.reader.differences(filter, page); };
  return store::for_each_page(list, [this](std::span<const Difference> rows) -> Result<void> {
    for (const Difference& row : rows)
      if (row.line && row.state != DifferenceState::repaired) repeated_.insert(*row.line);
    return {};
  });
}

Result<void> FundsMatcher::compare_pending() {
  if (pending_.empty()) return {};
  if (auto loaded = open_.load(); !loaded) return loaded;
  if (auto loaded = load_repeated(); !loaded) return loaded;
  WorkingSet rows;
  if (auto loaded = load_rows(rows); !loaded) return loaded;
  if (auto restored = restore_archived(rows); !restored) return restored;
  ReadSet match_reads;
  std::vector<DifferenceRecorder::Subject> subjects;
  for (Pending& one : pending_) {
    if (auto compared = compare(one, rows); !compared) return compared;
    for (const BookedDocument& booked : one.candidates) {
      match_reads.funds_matches.push_back(booked.document.value);
      subjects.push_back({one.found.merchant_id, funds_subject_of(booked.document)});
      if (!task_.earlier.empty()) subjects.push_back({one.found.merchant_id, subject_of_document(booked.document)});
    }
    if (one.candidates.empty()) subjects.push_back({one.found.merchant_id, funds_subject_of(one.key)});
  }
  WorkingSet matches;
  if (auto loaded = task_.reader.load(match_reads, matches); !loaded) return loaded;
  if (auto read = differences_.prefetch(subjects); !read) return read;
  for (Pending& one : pending_)
    if (auto handled = one.is_of_other_day ? handle_open(one, matches) : handle(one, matches); !handled) return handled;
  pending_.clear();
  if (auto sent = send_matches(); !sent) return sent;
  return task_.go_on();
}

Result<void> FundsMatcher::compare(Pending& one, const WorkingSet& rows) {
  const LineContext context{
      .account = task_.account, .date = task_.statement.date, .source = task_.statement.source, .rates = {}};
  one.found = compare_funds_line(one.line, context, rows);
  auto documents = find_documents(task_.reader, one.line, find_order(one.reads, rows), rows, one.found);
  if (!documents) return std::unexpected(documents.error());
  one.candidates = std::move(*documents);
  return {};
}

Result<void> FundsMatcher::handle(Pending& one, const WorkingSet& matches) {
  if (one.replaced)
    if (auto replaced = replace(one, matches); !replaced) return replaced;
  if (!task_.earlier.empty())
    if (auto ended = end_confirmed(one); !ended) return ended;
  const auto is_listed = is_listed_before(one);
  if (!is_listed) return std::unexpected(is_listed.error());
  if (*is_listed) return report_repetition(one);
  if (one.candidates.empty() && one.line.kind != LineKind::refund_returned) return report_line(one, funds_line_unknown);
  if (one.candidates.empty()) {
    const auto ended = end_deduction(one);
    if (!ended) return std::unexpected(ended.error());
    return *ended ? Result<void>{} : report_line(one, refund_status);
  }
  for (const BookedDocument& booked : one.candidates) {
    const FundsMatch* match = matches.funds_matches.find(booked.document.value);
    const bool is_own = match != nullptr && match->line == one.key;
    const bool is_free = match == nullptr ? !is_taken(booked.document) : replaces(*match);
    if (!is_own && !is_free) continue;
    if (is_own) return count_own(one, booked, *match);
    const auto taken_back = is_taken_back(one.found.merchant_id, booked.document);
    if (!taken_back) return std::unexpected(taken_back.error());
    if (*taken_back) return report_line(one, funds_line_unknown);
    if (one.found.classes.empty()) {
      if (match == nullptr) add_match(one, booked);
      return count_booked(one, booked);
    }
    // The entry in the other currency is found as missing.
    const bool has_other_currency = one.found.classes == std::vector{currency_mismatch};
    return has_other_currency ? report_line(one, currency_mismatch) : report_document(one, booked);
  }
  return report_line(one, duplicate_at_channel);
}

// Whether the booking of the document was taken back while no line reported it: then the books do not have the money of
// the line. The entry has ended the difference of the document.
Result<bool> FundsMatcher::is_taken_back(MerchantId merchant, ObjectRef document) {
  const auto known = differences_.find(merchant, funds_subject_of(document));
  if (!known) return std::unexpected(known.error());
  return *known && (*known)->difference_class == trade_without_funds && (*known)->state == DifferenceState::repaired &&
         (*known)->repaired_by_type == ObjectType::entry;
}

// Whether the match is of a line of an earlier version that this file does not contain: one line of this file replaces
// it. Notes that it is replaced.
bool FundsMatcher::replaces(const FundsMatch& match) {
  return is_of_earlier(match.statement_id) && !present_.contains(match.line) && replaced_.insert(match.line).second;
}

bool FundsMatcher::is_of_earlier(StatementId statement) const {
  return std::ranges::find(task_.earlier, statement) != task_.earlier.end();
}

// Whether the difference is of a line of an earlier version that this version does not contain.
bool FundsMatcher::is_of_replaced(const Difference& row, const Hash16& line) const {
  return row.line && *row.line != line && row.statement_id && is_of_earlier(*row.statement_id) &&
         !present_.contains(*row.line);
}

// Whether an earlier version reported the difference of the line, and one after it did not.
bool FundsMatcher::was_corrected(const Difference& row) const {
  return row.state == DifferenceState::repaired && row.line && row.statement_id && is_of_earlier(*row.statement_id);
}

// The line replaces one of the earlier version with the same numbers, unless it replaces the line that has the match of
// its document. The differences about the replaced line end; those about the document are those of this line now.
Result<void> FundsMatcher::replace(const Pending& one, const WorkingSet& matches) {
  bool is_matched = false;
  for (const BookedDocument& booked : one.candidates) {
    const FundsMatch* match = matches.funds_matches.find(booked.document.value);
    if (match == nullptr || !is_of_earlier(match->statement_id) || present_.contains(match->line)) continue;
    if (match->line != *one.replaced && replaceable_.contains(match->line) && !replaced_.contains(match->line))
      return {};
    is_matched = is_matched || match->line == *one.replaced;
  }
  if (!is_matched && !replaced_.insert(*one.replaced).second) return {};  // replaces() inserts the line of the match
  const std::string subject = funds_subject_of(*one.replaced);
  const std::string repetition = funds_subject_of_repetition(task_.statement.date, *one.replaced);
  for (const MerchantId merchant : std::set{one.found.merchant_id, kPlatform})
    for (const std::string& text : {subject, repetition, withdrawn_subject_of(subject)}) {
      const auto known = differences_.find(merchant, text);
      if (!known) return std::unexpected(known.error());
      if (!*known || (*known)->date != task_.statement.date) continue;
      if (auto ended = differences_.end(merchant, text, std::nullopt, task_.statement.id); !ended) return ended;
    }
  return {};
}

// Ends the difference of a statement of trades that an earlier version has confirmed, if this version does not. Then
// the line is a movement, or has a separate difference.
Result<void> FundsMatcher::end_confirmed(const Pending& one) {
  if (one.found.document.value == 0) return {};
  const std::string subject = subject_of_document(one.found.document);
  const auto known = differences_.find(one.found.merchant_id, subject);
  if (!known) return std::unexpected(known.error());
  const bool has_confirmed = *known && (*known)->difference_class == amount_mismatch && is_confirmed(**known);
  const MinorUnits amount = one.line.kind == LineKind::refund ? -one.line.amount : one.line.amount;
  if (!has_confirmed || (*known)->theirs == amount) return {};
  return differences_.end(one.found.merchant_id, subject, std::nullopt, task_.statement.id);
}

// Whether a line of this group or of the last one, whose matches may not be committed yet, matches the document.
bool FundsMatcher::is_taken(ObjectRef document) const {
  return taken_.contains(document.value) || sent_.contains(document.value);
}

void FundsMatcher::add_match(const Pending& one, const BookedDocument& booked) {
  taken_.insert(booked.document.value);
  ++counts_.recorded;
  add_line(one.found.merchant_id, {booked.document, one.key, one.line.line_no, one.line.amount});
}

// An earlier version or run may have found no document. The movement explains the line in the proof, so the difference
// ends without a time.
Result<void> FundsMatcher::count_booked(const Pending& one, const BookedDocument& booked) {
  add_booked(one.line, day_of(booked.at));
  if (const auto owner = open_.owner_of(one.key))
    if (auto ended = differences_.end(*owner, funds_subject_of(one.key), std::nullopt, booked.document); !ended)
      return ended;
  return end_carried(one.found.merchant_id, booked.document, booked.at);
}

// Counts a line whose match exists. If the statement of another day has recorded the match, after the document was
// booked, the difference explains the line in the proof until then, and it is no movement. Without a difference, the
// other day lists the line too.
Result<void> FundsMatcher::count_own(const Pending& one, const BookedDocument& booked, const FundsMatch& match) {
  if (match.statement_id == task_.statement.id || is_of_earlier(match.statement_id)) return count_booked(one, booked);
  const auto known = difference_of_day(one, booked.document);
  if (!known) return std::unexpected(known.error());
  if (*known && (*known)->ended_at) {
    ++counts_.matched;
    return {};
  }
  const auto is_same = is_of_same_day(match.statement_id);
  if (!is_same) return std::unexpected(is_same.error());
  // A run that has stopped matched the line of this day, and did not end its difference.
  return *known || *is_same ? count_booked(one, booked) : report_repetition(one);
}

// Returns the difference of this day about the line, also one about its document; empty if there is none.
Result<std::optional<Difference>> FundsMatcher::difference_of_day(const Pending& one, ObjectRef document) {
  for (const MerchantId merchant : std::set{one.found.merchant_id, kPlatform})
    for (const std::string& subject : {funds_subject_of(one.key), funds_subject_of(document)}) {
      auto known = differences_.find(merchant, subject);
      if (!known) return known;
      if (*known && (*known)->line == one.key && (*known)->date == task_.statement.date) return known;
    }
  return std::nullopt;
}

// Whether the statement is a version of this one, also one that was not compared to the end.
Result<bool> FundsMatcher::is_of_same_day(StatementId statement) {
  const auto other = task_.reader.statement(statement);
  if (!other) return std::unexpected(other.error());
  return *other && (*other)->statement.date == task_.statement.date &&
         (*other)->statement.funds_account == task_.statement.funds_account;
}

// Whether the statement of another day lists the line, and its difference is open.
Result<bool> FundsMatcher::is_listed_before(const Pending& one) {
  const auto is_reported = is_reported_as_repeated(one);
  if (!is_reported || *is_reported) return is_reported;
  const auto owner = open_.owner_of(one.key);
  if (!owner) return false;
  const auto known = differences_.find(*owner, funds_subject_of(one.key));
  if (!known) return std::unexpected(known.error());
  return *known && (*known)->date != task_.statement.date;
}

// A line of another day. Without a document that agrees, its difference stays open. The difference of the document, the
// opposite of that of the line, ends on the day on which both sides have the money.
Result<void> FundsMatcher::handle_open(const Pending& one, const WorkingSet& matches) {
  if (!one.found.classes.empty()) return {};
  for (const BookedDocument& booked : one.candidates) {
    const FundsMatch* match = matches.funds_matches.find(booked.document.value);
    const bool is_own = match != nullptr && match->line == one.key;
    if (!is_own && (match != nullptr || is_taken(booked.document))) continue;
    const auto is_other = has_other_difference(one.found.merchant_id, booked.document);
    if (!is_other) return std::unexpected(is_other.error());
    if (*is_other) continue;
    if (!is_own) add_match(one, booked);
    ended_.push_back({one.key, booked});
    return end_carried(one.found.merchant_id, booked.document, std::max(booked.at, one.line.at));
  }
  return {};
}

// Whether the document has a difference that the line does not explain: another line reports other money of it,
// operators have resolved it, or its booking was taken back.
Result<bool> FundsMatcher::has_other_difference(MerchantId merchant, ObjectRef document) {
  const auto known = differences_.find(merchant, funds_subject_of(document));
  if (!known) return std::unexpected(known.error());
  if (!*known) return false;
  if ((*known)->difference_class != trade_without_funds || (*known)->state == DifferenceState::resolved) return true;
  return is_taken_back(merchant, document);
}

void FundsMatcher::add_booked(const StatementLine& line, const std::string& booked_on) {
  ++counts_.matched;
  booked_.add(line.kind, line.currency, booked_on, 1, line.amount);
}

void FundsMatcher::add_line(MerchantId merchant, const MatchedLine& line) {
  RecordMatches& command = matches_[merchant];
  command.merchant_id = merchant;
  command.channel_account_id = task_.account.id;
  command.statement_id = task_.statement.id;
  command.kind = task_.statement.kind;
  command.lines.push_back(line);
}

// Sends the matches. Those that were sent before are committed afterwards.
Result<void> FundsMatcher::send_matches() {
  if (auto counted = count_recorded(); !counted) return counted;
  if (auto settled = task_.commands.settle(); !settled) return settled;
  sent_ = std::exchange(taken_, {});
  for (auto& [merchant, command] : std::exchange(matches_, {}))
    if (auto sent = task_.commands.send(std::move(command), merchant); !sent) return sent;
  return {};
}

// Counts the matches of earlier runs before the first one of this run is sent.
Result<void> FundsMatcher::count_recorded() {
  if (std::exchange(is_recorded_counted_, true)) return {};
  const auto matches = task_.reader.funds_matches(task_.statement.id, limits::kStatementLinesMax);
  if (!matches) return std::unexpected(matches.error());
  counts_.recorded += std::ssize(*matches);
  return {};
}

// A document that was carried, or had another line in an earlier version, has its line now.
Result<void> FundsMatcher::end_carried(MerchantId merchant, ObjectRef document, std::optional<Time> ended_at) {
  const auto known = differences_.find(merchant, funds_subject_of(document));
  if (!known) return std::unexpected(known.error());
  if (*known && (*known)->line) replaced_.insert(*(*known)->line);
  return differences_.end(merchant, funds_subject_of(document), ended_at, document);
}

// A refund that failed at the channel: the books never had it as succeeded, and the line credits what an earlier line
// deducted. Ends the difference of that line. Returns false without such a difference.
Result<bool> FundsMatcher::end_deduction(const Pending& one) {
  const auto number = parse_out_refund_no(one.line.out_refund_no);
  if (!number) return false;
  for (const ObjectRef document : {ObjectRef(RefundId{number->object}), ObjectRef(ReversalId{number->object})}) {
    const std::string subject = funds_subject_of(document);
    auto known = differences_.find(one.found.merchant_id, subject);
    if (!known) return std::unexpected(known.error());
    if (!*known || (*known)->difference_class != refund_status || (*known)->theirs != -one.line.amount) continue;
    const bool is_ended = difference_machine.is_final((*known)->state);
    // By an earlier run of this comparison, or by an earlier version of the statement?
    if (is_ended && (*known)->ended_at != one.line.at) return false;
    ++counts_.repaired;
    if (is_ended) return true;
    (*known)->ended_at = one.line.at;
    const auto recorded = differences_.record(std::move(**known), subject, DifferenceEvent::repair, task_.statement.id);
    return recorded ? Result<bool>(true) : std::unexpected(recorded.error());
  }
  return false;
}

// The line and its document report different money, or the books do not have the refund as succeeded yet. What the
// books have of the line is a movement: the document can be booked on another day than that of the statement.
Result<void> FundsMatcher::report_document(const Pending& one, const BookedDocument& booked) {
  const std::string subject = funds_subject_of(one.found.document);
  auto known = differences_.find(one.found.merchant_id, subject);
  if (!known) return std::unexpected(known.error());
  if (*known && (*known)->line == one.key && (*known)->date != task_.statement.date) return report_repetition(one);
  const DifferenceClass first = one.found.classes.front();
  const DifferenceClass difference_class = first == amount_mismatch && !booked.is_booked ? refund_status : first;
  const bool is_carried = difference_class == refund_status;
  const MinorUnits amount = one.found.ours.value_or(0);
  const MinorUnits ours = is_carried ? 0 : one.line.kind == LineKind::refund ? -amount : amount;
  const MinorUnits surplus = one.line.amount - ours;
  if (booked.is_booked && !is_carried) booked_.add(one.line.kind, one.line.currency, day_of(booked.at), 0, ours);
  const auto confirmed = difference_class == amount_mismatch ? confirm(one, surplus) : Result<bool>(false);
  if (!confirmed) return std::unexpected(confirmed.error());
  // A deduction of the same money stays carried.
  const bool is_replaced =
      *known && is_of_replaced(**known, one.key) && !(is_carried && (*known)->difference_class == refund_status);
  const bool is_continued = is_replaced || (*known && (*known)->difference_class == trade_without_funds);
  // The entry of the document and the line are both unmatched now. The difference contains both. It has another subject
  // too if a replaced line had the difference.
  if (is_continued)
    if (auto ended = end_carried(one.found.merchant_id, one.found.document, std::nullopt); !ended) return ended;
  const bool has_own_subject = is_continued || (*known && !is_carried && was_corrected(**known));
  const bool stays_carried = is_carried && !has_own_subject;
  ++(stays_carried ? counts_.carried : counts_.differences);
  if (*confirmed) return {};
  Difference row = row_of(one, difference_class, surplus);
  if (has_own_subject)
    return record_found(differences_, task_, std::move(row), funds_subject_of(one.key), DifferenceEvent::find);
  return differences_.record(std::move(row), subject, stays_carried ? DifferenceEvent::carry : DifferenceEvent::find);
}

// Whether the statement of trades of the day has reported the same difference of the document: then it changes the
// balance, and no second difference is recorded.
Result<bool> FundsMatcher::confirm(const Pending& one, MinorUnits surplus) {
  const std::string subject = subject_of_document(one.found.document);
  auto known = differences_.find(one.found.merchant_id, subject);
  if (!known) return std::unexpected(known.error());
  const bool is_same = *known && (*known)->difference_class == amount_mismatch && (*known)->amount == surplus &&
                       (*known)->date == task_.statement.date;
  if (!is_same) return false;
  if (is_confirmed(**known)) return true;
  if (difference_machine.is_final((*known)->state)) return false;
  (*known)->changes_balance = true;
  const auto recorded = differences_.record(std::move(**known), subject, DifferenceEvent::find);
  return recorded ? Result<bool>(true) : std::unexpected(recorded.error());
}

// The statement of another day may have reported the line.
Result<void> FundsMatcher::report_line(const Pending& one, DifferenceClass difference_class) {
  const std::string subject = funds_subject_of(one.key);
  const auto known = differences_.find(one.found.merchant_id, subject);
  if (!known) return std::unexpected(known.error());
  if (*known && (*known)->date != task_.statement.date) return report_repetition(one);
  ++counts_.differences;
  return record_found(differences_, task_, row_of(one, difference_class, one.line.amount), subject,
                      DifferenceEvent::find);
}

// The statement of another day lists the line too.
Result<void> FundsMatcher::report_repetition(const Pending& one) {
  ++counts_.differences;
  return record_found(differences_, task_, row_of(one, duplicate_at_channel, one.line.amount),
                      funds_subject_of_repetition(task_.statement.date, one.key), DifferenceEvent::find);
}

Difference FundsMatcher::row_of(const Pending& one, DifferenceClass difference_class, MinorUnits surplus) const {
  Difference row = difference_about(one.line, task_.statement);
  row.merchant_id = one.found.merchant_id;
  row.order_id = one.found.order_id;
  row.difference_class = difference_class;
  row.document_type = one.found.document.type;
  row.document_id = one.found.document.value;
  row.line = one.key;
  row.ours = one.found.ours;
  row.amount = surplus;
  row.changes_balance = true;
  return row;
}

Result<void> FundsMatcher::add_earlier(StatementLine line) {
  const Hash16 key = withdrawn_keys_.next(line);
  if (present_.contains(key) || replaced_.contains(key)) return {};
  if (auto recorded = record_withdrawn(differences_, task_, line, key); !recorded) return recorded;
  return task_.go_on();
}

// Refunds that the channel had deducted before the books had them as succeeded.
Result<void> FundsMatcher::match_late() {
  const DifferenceFilter filter{.channel_account_id = task_.account.id,
                                .kind = task_.statement.kind,
                                .difference_class = refund_status,
                                .state = DifferenceState::carried};
  const auto list = [&](const Page& page) { return task_.reader.differences(filter, page); };
  const auto match_page = [&](std::span<const Difference> rows) -> Result<void> {
    for (const Difference& row : rows)
      if (row.statement_id != task_.statement.id)
        if (auto matched = match_late(row); !matched) return matched;
    if (auto sent = send_matches(); !sent) return sent;
    if (auto ended = end_late(); !ended) return ended;
    return task_.go_on();
  };
  return store::for_each_page(list, match_page);
}

Result<void> FundsMatcher::match_late(const Difference& row) {
  const ObjectRef document(row.document_type, row.document_id);
  ReadSet reads;
  reads.orders.push_back(row.order_id.value_or(OrderId{}));
  reads.funds_matches.push_back(row.document_id);
  WorkingSet rows;
  if (auto loaded = task_.reader.load(reads, rows); !loaded) return loaded;
  const OrderAggregate* order = rows.orders.find(reads.orders.front());
  if (order == nullptr) return {};
  const Refund* refund = find_row(order->refunds, RefundId{row.document_id});
  const Reversal* reversal = find_row(order->reversals, ReversalId{row.document_id});
  const std::string subject = funds_subject_of(document);
  Difference changed = row;
  if (refund != nullptr && refund->state == RefundState::failed)
    return differences_.record(std::move(changed), subject, DifferenceEvent::find);
  const bool is_booked = (refund != nullptr && refund->state == RefundState::succeeded) ||
                         (reversal != nullptr && reversal->state == ReversalState::succeeded);
  if (!is_booked || !row.line || !row.theirs) return {};
  const auto booked = booked_at(task_.reader, document, rows, order);
  if (!booked) return std::unexpected(booked.error());
  if (!*booked) return {};
  const MinorUnits surplus = *row.theirs + (refund != nullptr ? refund->amount : reversal->amount);
  if (surplus != 0) {
    if (auto recorded = record_late_mismatch(row, surplus, **booked); !recorded) return recorded;
  } else if (rows.funds_matches.find(row.document_id) == nullptr) {
    ++counts_.recorded;
    add_line(row.merchant_id, {document, *row.line, row.line_no, *row.theirs});
  }
  changed.ended_at = **booked;
  late_.push_back(std::move(changed));
  return {};
}

// The books have the refund now, with another amount than the line: from that day on, only the surplus differs.
Result<void> FundsMatcher::record_late_mismatch(const Difference& row, MinorUnits surplus, Time booked) {
  Difference mismatch = row;
  mismatch.id = {};
  mismatch.date = day_of(booked);
  mismatch.difference_class = amount_mismatch;
  mismatch.ours = *row.theirs - surplus;
  mismatch.amount = surplus;
  return differences_.record(std::move(mismatch), funds_subject_of(*row.line), DifferenceEvent::find);
}

// Ends the differences of match_late(), when their matches are committed: after a crash, only the difference leads to
// the line again.
Result<void> FundsMatcher::end_late() {
  if (auto settled = task_.commands.settle(); !settled) return settled;
  for (Difference& row : std::exchange(late_, {})) {
    const ObjectRef document(row.document_type, row.document_id);
    if (auto ended = differences_.record(std::move(row), funds_subject_of(document), DifferenceEvent::repair, document);
        !ended)
      return ended;
  }
  return {};
}

// Matches the lines of other days whose documents the books have by now. Their differences end last: after a crash, an
// open difference leads to the line again. A line that operators have adjusted meanwhile is resolved, and stays so.
Result<void> FundsMatcher::match_open() {
  if (auto loaded = open_.load(); !loaded) return loaded;
  const auto append_open = [this](StatementLine&& line, const Hash16& key) -> Result<void> {
    if (!has_document(line)) return {};
    return append(
        {.line = std::move(line), .key = key, .reads = {}, .found = {}, .candidates = {}, .is_of_other_day = true});
  };
  if (auto read = open_.read(append_open); !read) return read;
  if (auto compared = compare_pending(); !compared) return compared;
  if (auto settled = task_.commands.settle(); !settled) return settled;
  for (const Ended& one : std::exchange(ended_, {})) {
    const MerchantId owner = open_.owner_of(one.line).value_or(kPlatform);
    const auto ended = differences_.end(owner, funds_subject_of(one.line), one.booked.at, one.booked.document);
    if (!ended) return ended;
  }
  return {};
}

Result<void> FundsMatcher::find_missing() {
  const auto carried = MissingFinder(task_, differences_).find();
  if (!carried) return std::unexpected(carried.error());
  counts_.carried += *carried;
  return {};
}

FundsResult FundsMatcher::result() const {
  return {.booked = booked_.lines(), .postings = postings_.postings(), .channel = task_.account.channel};
}

}  // namespace finality
