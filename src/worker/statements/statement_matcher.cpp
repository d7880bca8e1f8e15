#include "worker/statements/statement_matcher.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/time/date.h"
#include "model/natural_key.h"

namespace finality {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kGroupLines = 256;  // lines that are compared with one read of the store
constexpr std::size_t kEntriesPerRead = 1000;
constexpr Duration kEntrySpan = 1h;           // of the entries that one read examines
constexpr Duration kBookedBeforeDay = 1h;     // payments of a day that are booked in this time are looked for: the
                                              // clock of the server that books can be behind that of the channel
constexpr Duration kBookedAfterDay = 2h;      // the same after the day
constexpr std::int64_t kPaymentsCarried = 3;  // complete statements without the line; then operators look at it
constexpr std::int64_t kRefundsCarried = 7;

bool is_trade(LineKind kind) { return kind == LineKind::payment || kind == LineKind::refund; }

std::string subject_text(const StatementLine& line) {
  return fmt::format("{} {} out_trade_no {} trade {} refund {} {}", name_of(line.kind), name_of(line.status),
                     line.out_trade_no, line.channel_trade_no,
                     line.out_refund_no.empty() ? line.channel_refund_no : line.out_refund_no, line.text);
}

// What the channel has more than the books: a payment adds to our balance, a refund takes from it.
MinorUnits surplus_of(const StatementLine& line, const Comparison& found) {
  if (line.kind == LineKind::refund) return found.ours.value_or(0) - line.amount;
  return line.amount - found.ours.value_or(0);
}

const UnknownReceipt* unknown_receipt_in(const WorkingSet& rows, const std::optional<Hash16>& key) {
  const Key* known = key ? rows.keys.find(*key) : nullptr;
  if (known == nullptr) return nullptr;
  const UnknownReceiptAggregate* found = rows.unknown_receipts.find(UnknownReceiptId{known->id});
  return found == nullptr ? nullptr : &found->unknown_receipt;
}

const OrderAggregate* order_in(const WorkingSet& rows, const std::optional<PaymentId>& payment) {
  const OrderId* order = payment ? rows.order_of_payment.find(*payment) : nullptr;
  return order == nullptr ? nullptr : rows.orders.find(*order);
}

void add_reads(const LineReads& line, ReadSet& reads) {
  if (line.payment_id) reads.payments.push_back(*line.payment_id);
  if (line.unknown_receipt_key) reads.keys.push_back({*line.unknown_receipt_key, ObjectType::unknown_receipt});
}

/// A payment or refund in the books that a statement of trades should contain.
struct Expected {
  ObjectRef document;
  LineKind kind = LineKind::payment;
  MinorUnits amount = 0;
  Currency currency;
  Time at;  // by the channel's time where it is known
};

// Returns the payment or refund that the entry books; empty for entries about fees, conversions, returns and others.
std::optional<Expected> expected_of(const OrderAggregate& order, const Entry& entry) {
  if (entry.type == EntryType::receipt_accepted || entry.type == EntryType::receipt_in_suspense)
    if (const Receipt* receipt = find_row(order.receipts, ReceiptId{entry.document_id}))
      return Expected{receipt->id, LineKind::payment, receipt->amount, receipt->currency, receipt->paid_at};
  if (entry.type == EntryType::refund_succeeded || entry.type == EntryType::external_refund ||
      entry.type == EntryType::external_refund_from_suspense)
    if (const Refund* refund = find_row(order.refunds, RefundId{entry.document_id}))
      return Expected{refund->id, LineKind::refund, refund->amount, refund->currency, entry.created_at};
  if (entry.type == EntryType::reversal_succeeded)
    if (const Reversal* reversal = find_row(order.reversals, ReversalId{entry.document_id}))
      return Expected{reversal->id, LineKind::refund, reversal->amount, reversal->currency, entry.created_at};
  return std::nullopt;
}

}  // namespace

Hash16 StatementMatcher::key_of(const StatementLine& line, Ordinals& ordinals) const {
  const Hash16 first = key_of_line(task_.account.id, line, 0);
  const std::int64_t ordinal = ordinals[first]++;
  return ordinal == 0 ? first : key_of_line(task_.account.id, line, ordinal);
}

Result<void> StatementMatcher::add(StatementLine line) {
  ++counts_.lines;
  if (!is_trade(line.kind)) return {};
  const Hash16 key = key_of(line, ordinals_);
  LineReads reads = reads_of(task_.account, line);
  pending_.push_back({std::move(line), key, reads});
  return pending_.size() < kGroupLines ? Result<void>{} : compare_pending();
}

void StatementMatcher::note(const StatementLine& line) {
  if (is_trade(line.kind)) present_.insert(key_of(line, noted_));
}

// Postponed lines are compared last: a refund may be listed before its payment.
Result<void> StatementMatcher::finish_lines() {
  if (auto compared = compare_pending(); !compared) return compared;
  std::swap(pending_, postponed_);
  for (Pending& one : pending_) one.is_postponed = true;
  return compare_pending();
}

Result<void> StatementMatcher::compare_pending() {
  ReadSet reads;
  for (const Pending& one : pending_) add_reads(one.reads, reads);
  WorkingSet rows;
  if (auto loaded = task_.reader.load(reads, rows); !loaded) return loaded;
  Matches matches;
  if (is_evidence()) taken_.clear();
  is_stale_ = false;
  for (const Pending& one : pending_) {
    if (!is_stale_) {
      if (auto handled = handle(one, rows, matches); !handled) return handled;
      continue;
    }
    ReadSet again;
    add_reads(one.reads, again);
    WorkingSet fresh;
    if (auto loaded = task_.reader.load(again, fresh); !loaded) return loaded;
    if (auto handled = handle(one, fresh, matches); !handled) return handled;
  }
  pending_.clear();
  return submit_matches(matches);
}

Comparison StatementMatcher::compare(const Pending& one, const WorkingSet& rows) const {
  const LineContext context{
      .account = task_.account, .date = task_.statement.date, .source = task_.statement.source, .rates = task_.rates};
  return compare_line(one.line, context, order_in(rows, one.reads.payment_id),
                      unknown_receipt_in(rows, one.reads.unknown_receipt_key));
}

// Returns the match of the document, also one that the pending group is about to record; empty without a match. Claims
// are only compared with each other.
Result<std::optional<StatementMatch>> StatementMatcher::match_of(ObjectRef document) {
  if (const auto at = taken_.find(document.value); at != taken_.end())
    return StatementMatch{.document_id = document.value, .statement_id = task_.statement.id, .line = at->second};
  if (!is_evidence()) return std::nullopt;
  WorkingSet rows;
  ReadSet reads;
  reads.statement_matches.push_back(document.value);
  if (auto loaded = task_.reader.load(reads, rows); !loaded) return std::unexpected(loaded.error());
  const StatementMatch* match = rows.statement_matches.find(document.value);
  return match == nullptr ? std::nullopt : std::optional(*match);
}

// Whether the match is of a line of an earlier version that this file does not contain: the line of this file replaces
// it.
bool StatementMatcher::is_restated(const StatementMatch& match) const {
  return std::ranges::find(task_.earlier, match.statement_id) != task_.earlier.end() && !present_.contains(match.line);
}

// Whether the match was recorded for a version of this statement. The statement of another day can list a line again,
// with the same content.
Result<bool> StatementMatcher::is_of_this_day(const StatementMatch& match) {
  if (match.statement_id == task_.statement.id) return true;
  const auto other = task_.reader.statement(match.statement_id);
  if (!other) return std::unexpected(other.error());
  return *other && (*other)->statement.date == task_.statement.date;
}

Result<void> StatementMatcher::handle(const Pending& one, const WorkingSet& rows, Matches& matches) {
  Comparison found = compare(one, rows);
  const bool is_open_refund = !found.classes.empty() && found.classes.front() == DifferenceClass::external_refund;
  if (std::holds_alternative<std::monostate>(found.repair)) {
    if (!is_open_refund || one.is_postponed) return handle_compared(one, std::move(found), std::nullopt, matches);
    postponed_.push_back(one);
    return {};
  }
  auto after = repair(one, found);
  if (!after) return std::unexpected(after.error());
  if (!after->is_match()) return handle_compared(one, std::move(found), std::nullopt, matches);
  return handle_compared(one, std::move(*after), std::move(found), matches);
}

// `before`: what the comparison found before evidence of the line repaired the books; empty if it was not repaired.
Result<void> StatementMatcher::handle_compared(const Pending& one, Comparison found, std::optional<Comparison> before,
                                               Matches& matches) {
  if (found.document.value == 0 && found.classes.empty()) {
    ++counts_.matched;  // no money moved on either side
    return {};
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
  if (*match && !is_own) {
    if (is_restated(**match))
      restated_.insert((*match)->line);
    else
      found.classes.insert(found.classes.begin(), DifferenceClass::duplicate_at_channel);
  }
  if (found.is_match() && !*match)
    if (auto handled = add_match(one, found, matches); !handled) return handled;
  if (before && found.is_match()) {
    ++counts_.repaired;
    before->document = found.document;
    return record(one, *before, DifferenceEvent::repair, found.document);
  }
  if (found.classes.empty()) return count_match(one, found);
  ++counts_.differences;
  return record(one, found, DifferenceEvent::find, std::nullopt);
}

// Counts a line that agrees with its document. It may have repaired the books in an earlier run.
Result<void> StatementMatcher::count_match(const Pending& one, const Comparison& found) {
  const auto known = difference_about(found.merchant_id, subject_of_line(one.key));
  if (!known) return std::unexpected(known.error());
  ++(*known ? counts_.repaired : counts_.matched);
  return {};
}

// A claim takes no match: the line that the channel reports must find its document.
Result<void> StatementMatcher::add_match(const Pending& one, const Comparison& found, Matches& matches) {
  taken_[found.document.value] = one.key;
  if (!is_evidence()) return {};
  ++counts_.recorded;
  RecordMatches& command = matches[found.merchant_id];
  command.merchant_id = found.merchant_id;
  command.channel_account_id = task_.account.id;
  command.statement_id = task_.statement.id;
  command.lines.push_back({found.document, one.key, one.line.line_no});
  return end_carried(found);
}

// Submits the evidence and compares again.
Result<Comparison> StatementMatcher::repair(const Pending& one, const Comparison& found) {
  Command command = std::visit(
      [](const auto& evidence) -> Command {
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(evidence)>, std::monostate>)
          return Command{};
        else
          return evidence;
      },
      found.repair);
  is_stale_ = true;
  // A refusal is no error: the books then stay as they are, and the comparison finds the same difference again.
  if (auto reply = task_.submit(std::move(command), found.merchant_id); !reply) return std::unexpected(reply.error());
  ReadSet reads;
  add_reads(one.reads, reads);
  WorkingSet rows;
  if (auto loaded = task_.reader.load(reads, rows); !loaded) return std::unexpected(loaded.error());
  return compare(one, rows);
}

Result<DifferenceId> StatementMatcher::difference_about(MerchantId merchant, const std::string& subject) {
  const auto id = task_.reader.named(key_of_difference(merchant, task_.account.id, subject));
  if (!id) return std::unexpected(id.error());
  return DifferenceId{*id};
}

// Returns the subject of a difference about a line. If the line reports other money than its document, the subject is
// the document: it is then not reported as missing too. A document that was carried has its line now, so that ends.
Result<std::string> StatementMatcher::subject_for(const Pending& one, const Comparison& found, DifferenceEvent event) {
  const std::string line = subject_of_line(one.key);
  const bool is_other = is_evidence() && event == DifferenceEvent::find && found.document.value != 0 &&
                        !found.is_match() && found.classes.front() != DifferenceClass::duplicate_at_channel;
  if (!is_other) return line;
  const std::string document = subject_of_document(found.document);
  const auto known = difference_about(found.merchant_id, document);
  if (!known) return std::unexpected(known.error());
  if (!*known) return document;
  const auto row = task_.reader.difference(*known);
  if (!row) return std::unexpected(row.error());
  if (*row && (*row)->difference.difference_class != DifferenceClass::missing_at_channel) return document;
  if (auto ended = end_carried(found); !ended) return std::unexpected(ended.error());
  return line;
}

Result<void> StatementMatcher::record(const Pending& one, const Comparison& found, DifferenceEvent event,
                                      std::optional<ObjectRef> repaired_by) {
  RecordDifference command;
  Difference& row = command.difference;
  row.merchant_id = found.merchant_id;
  row.channel_account_id = task_.account.id;
  row.date = task_.statement.date;
  row.difference_class = found.classes.front();
  for (std::size_t i = 1; i < found.classes.size(); ++i)
    row.also += (i == 1 ? "" : " ") + std::string(name_of(found.classes[i]));
  row.order_id = found.order_id;
  row.document_type = found.document.type;
  row.document_id = found.document.value;
  row.statement_id = task_.statement.id;
  row.line_no = one.line.line_no;
  row.ours = found.ours;
  row.theirs = one.line.amount;
  row.amount = surplus_of(one.line, found);
  row.currency = one.line.currency;
  row.subject = subject_text(one.line);
  auto subject = subject_for(one, found, event);
  if (!subject) return std::unexpected(subject.error());
  command.subject = std::move(*subject);
  const auto known = difference_about(row.merchant_id, command.subject);
  if (!known) return std::unexpected(known.error());
  command.known = *known;
  command.event = event;
  command.repaired_by = repaired_by;
  const MerchantId merchant = row.merchant_id;
  return submit(std::move(command), merchant);
}

// Submits a command that the engine must not refuse.
Result<void> StatementMatcher::submit(Command command, MerchantId merchant) {
  const auto reply = task_.submit(std::move(command), merchant);
  if (!reply) return std::unexpected(reply.error());
  return reply->refusal ? fail(reply->refusal->detail) : Result<void>{};
}

Result<void> StatementMatcher::submit_matches(Matches& matches) {
  for (auto& [merchant, command] : matches)
    if (auto done = submit(std::move(command), merchant); !done) return done;
  return {};
}

// A document that was carried has its line now, perhaps in the statement of another day.
Result<void> StatementMatcher::end_carried(const Comparison& found) {
  const std::string subject = subject_of_document(found.document);
  const auto known = difference_about(found.merchant_id, subject);
  if (!known) return std::unexpected(known.error());
  if (!*known) return {};
  RecordDifference command;
  command.difference.merchant_id = found.merchant_id;
  command.difference.channel_account_id = task_.account.id;
  command.subject = subject;
  command.known = *known;
  command.event = DifferenceEvent::repair;
  command.repaired_by = found.document;
  return submit(std::move(command), found.merchant_id);
}

// Returns the order of the payment that the line names; empty if there is none.
Result<std::optional<OrderAggregate>> StatementMatcher::order_of(const StatementLine& line) {
  const LineReads line_reads = reads_of(task_.account, line);
  if (!line_reads.payment_id) return std::nullopt;
  ReadSet reads;
  reads.payments.push_back(*line_reads.payment_id);
  WorkingSet rows;
  if (auto loaded = task_.reader.load(reads, rows); !loaded) return std::unexpected(loaded.error());
  const OrderAggregate* order = order_in(rows, line_reads.payment_id);
  return order == nullptr ? std::nullopt : std::optional(*order);
}

Result<void> StatementMatcher::add_earlier(const StatementLine& line) {
  if (!is_trade(line.kind)) return {};
  const Hash16 first = key_of_line(task_.account.id, line, 0);
  const Hash16 key = key_of(line, earlier_ordinals_);
  const auto now = ordinals_.find(first);
  if (now != ordinals_.end() && earlier_ordinals_[first] <= now->second) return {};
  if (restated_.contains(key)) return {};
  const auto order = order_of(line);
  if (!order) return std::unexpected(order.error());
  const MerchantId merchant = *order ? (*order)->order.merchant_id : kPlatform;
  RecordDifference command;
  Difference& row = command.difference;
  row.merchant_id = merchant;
  if (*order) row.order_id = (*order)->order.id;
  row.channel_account_id = task_.account.id;
  row.date = task_.statement.date;
  row.difference_class = DifferenceClass::line_withdrawn;
  row.statement_id = task_.statement.id;
  row.theirs = line.amount;
  row.amount = line.kind == LineKind::refund ? line.amount : -line.amount;
  row.currency = line.currency;
  row.subject = subject_text(line);
  command.subject = "withdrawn " + subject_of_line(key);
  return submit(std::move(command), merchant);
}

Result<void> StatementMatcher::find_missing() {
  const auto start = start_of_day(task_.statement.date, task_.plan.utc_offset);
  if (!start) return fail(fmt::format("{} is no day", task_.statement.date));
  const Time end = *start + 24h + kBookedAfterDay;
  for (Time from = *start - kBookedBeforeDay; from < end; from = from + kEntrySpan) {
    const EntryId until{first_id_at(from + kEntrySpan) - 1};
    EntryId after{first_id_at(from) - 1};
    while (true) {
      const auto entries = task_.reader.unmatched_entries(task_.account.id, {after, until}, kEntriesPerRead);
      if (!entries) return std::unexpected(entries.error());
      for (const Entry& entry : *entries) {
        const auto order = task_.reader.order(OrderId{entry.root_id});
        if (!order) return std::unexpected(order.error());
        if (!*order) continue;  // of an unknown receipt, which has a case, or of an archived order
        if (auto looked = look_for(**order, entry); !looked) return looked;
      }
      if (entries->size() < kEntriesPerRead) break;
      after = entries->back().id;
    }
  }
  return count_complete();
}

// Carries the payment or refund of the entry if its day is over.
Result<void> StatementMatcher::look_for(const OrderAggregate& order, const Entry& entry) {
  const auto expected = expected_of(order, entry);
  if (!expected || date_of(expected->at, task_.plan.utc_offset) > task_.statement.date) return {};
  const std::string subject = subject_of_document(expected->document);
  const auto known = difference_about(order.order.merchant_id, subject);
  if (!known) return std::unexpected(known.error());
  if (*known) return count_carried(*known);
  ++counts_.carried;
  Difference row;
  row.merchant_id = order.order.merchant_id;
  row.channel_account_id = task_.account.id;
  row.date = date_of(expected->at, task_.plan.utc_offset);
  row.difference_class = DifferenceClass::missing_at_channel;
  row.order_id = order.order.id;
  row.document_type = expected->document.type;
  row.document_id = expected->document.value;
  row.ours = expected->amount;
  row.amount = expected->kind == LineKind::refund ? expected->amount : -expected->amount;
  row.currency = expected->currency;
  row.subject = fmt::format("{} {}", name_of(expected->kind), subject);
  return carry(row, subject);
}

// Counts a document of an earlier run that is still carried. Other differences of the document are counted elsewhere.
Result<void> StatementMatcher::count_carried(DifferenceId id) {
  const auto row = task_.reader.difference(id);
  if (!row) return std::unexpected(row.error());
  if (*row && (*row)->difference.difference_class == DifferenceClass::missing_at_channel) ++counts_.carried;
  return {};
}

Result<void> StatementMatcher::carry(const Difference& difference, const std::string& subject) {
  RecordDifference command;
  command.difference = difference;
  command.subject = subject;
  command.event = DifferenceEvent::carry;
  return submit(std::move(command), difference.merchant_id);
}

// Counts this statement for the carried differences of earlier days. Only complete statements count, not days, and
// nothing ever ends by their number: operators look at a difference that was missed too often.
Result<void> StatementMatcher::count_complete() {
  DifferenceFilter filter{.channel_account_id = task_.account.id,
                          .to = add_days(task_.statement.date, -1),
                          .difference_class = DifferenceClass::missing_at_channel,
                          .state = DifferenceState::carried};
  Page page{.limit = kEntriesPerRead};
  while (true) {
    const auto carried = task_.reader.differences(filter, page);
    if (!carried) return std::unexpected(carried.error());
    for (const Difference& row : carried->rows) {
      const bool is_refund = row.document_type != ObjectType::receipt;
      const auto document = ObjectRef(row.document_type, row.document_id);
      RecordDifference command;
      command.difference = row;
      command.subject = subject_of_document(document);
      command.known = row.id;
      const auto complete = complete_since(row.date);
      if (!complete) return std::unexpected(complete.error());
      if (*complete <= row.missed) continue;  // this statement was counted by an earlier run or version
      command.event = *complete >= (is_refund ? kRefundsCarried : kPaymentsCarried) ? DifferenceEvent::find
                                                                                    : DifferenceEvent::carry;
      if (auto done = submit(std::move(command), row.merchant_id); !done) return done;
    }
    if (!carried->has_more) return {};
    page.after = carried->rows.back().id.value;
  }
}

// Returns the number of days after `date` with a complete statement, with the day of this statement.
Result<std::int64_t> StatementMatcher::complete_since(const std::string& date) {
  if (const auto at = complete_.find(date); at != complete_.end()) return at->second;
  std::set<std::string> days{task_.statement.date};
  for (const StatementState state : {StatementState::matched, StatementState::empty}) {
    const StatementFilter filter{.channel_account_id = task_.account.id,
                                 .kind = StatementKind::trades,
                                 .from = add_days(date, 1),
                                 .to = task_.statement.date,
                                 .state = state};
    const auto found = task_.reader.statements(filter, {.limit = kEntriesPerRead});
    if (!found) return std::unexpected(found.error());
    for (const Statement& row : found->rows)
      if (row.source == StatementSource::fetched) days.insert(row.date);
  }
  return complete_[date] = static_cast<std::int64_t>(days.size());
}

}  // namespace finality
