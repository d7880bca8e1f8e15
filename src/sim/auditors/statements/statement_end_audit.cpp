#include "sim/auditors/statements/statement_end_audit.h"

#include <algorithm>

#include "base/time/date.h"
#include "model/out_trade_no.h"
#include "sim/auditors/collected.h"
#include "sim/auditors/disturbed.h"

namespace finality::sim {
namespace {

using enum DifferenceClass;

constexpr const char* kStatements = "17 statements";
constexpr const char* kLines = "17 lines";
constexpr const char* kMatches = "17 matches";
constexpr const char* kInjected = "17 injected differences";
constexpr const char* kOthers = "17 other differences";
constexpr std::size_t kPaymentsCarried = 3;  // complete statements after which a missing payment is reported
constexpr std::size_t kRefundsCarried = 7;

bool is_repaired(const Difference& difference) { return difference.state == DifferenceState::repaired; }

std::string describe(const InjectedFault& injected) {
  return fmt::format("{} of {} on {} ({})", name_of(injected.fault), number_of(injected.line), injected.date,
                     injected.channel);
}

bool is_of_trades(const Difference& difference) { return difference.kind == StatementKind::trades; }

}  // namespace

StatementEndAudit::StatementEndAudit(const StatementRecords& records, const StatementBook& book,
                                     const Upstream& upstream, const OrderAuditor& orders, const Policy& policy,
                                     Findings& findings)
    : records_(records), book_(book), orders_(orders), upstream_(upstream), policy_(policy), findings_(findings) {
  for (const auto& [id, order] : orders_.orders()) add_documents(order);
  for (const auto& [id, aggregate] : records_.statements) {
    const Statement& statement = aggregate.statement;
    days_[name_of_file(statement)].push_back(&statement);
    if (statement.kind != StatementKind::trades) continue;
    if (const ChannelFile* file = book_.file(statement.sha256); file != nullptr) add_lines(statement, *file);
  }
  for (const auto& [place, listed] : by_place_) by_key_.emplace(listed.key, &listed);
  for (const auto& [id, aggregate] : records_.differences)
    if (const Listed* listed = line_of(aggregate.difference)) by_line_[listed->key].push_back(&aggregate.difference);
}

void StatementEndAudit::add_documents(const OrderAggregate& order) {
  const auto add = [&](std::int64_t id, const Receipt* receipt) -> Document& {
    Document& document = documents_[id];
    document.receipt = receipt;
    if (receipt != nullptr) document.trade = sim::trade_of(upstream_, order, *receipt);
    return document;
  };
  for (const Receipt& receipt : order.receipts) {
    const Trade* trade = add(receipt.id.value, &receipt).trade;
    if (trade != nullptr)
      receipts_[{receipt.channel, name_of_trade(trade->trade_no, trade->out_trade_no)}] = receipt.id.value;
  }
  for (const Refund& refund : order.refunds) add(refund.id.value, refunded_receipt(order, refund)).refund = &refund;
  for (const Reversal& reversal : order.reversals)
    add(reversal.id.value, find_row(order.receipts, reversal.receipt_id)).reversal = &reversal;
}

void StatementEndAudit::add_lines(const Statement& statement, const ChannelFile& file) {
  std::map<Hash16, std::int64_t> ordinals;
  for (const StatementLine& line : file.lines) {
    const Hash16 first = key_of_line(statement.channel_account_id, line, 0);
    const std::int64_t ordinal = ordinals[first]++;
    const Hash16 key = ordinal == 0 ? first : key_of_line(statement.channel_account_id, line, ordinal);
    by_place_[{statement.id, line.line_no}] = {&statement, &line, key};
  }
}

// Returns the document that the line reports; empty for external refunds and payments of unknown numbers.
std::optional<std::int64_t> StatementEndAudit::document_of(const std::string& channel,
                                                           const StatementLine& line) const {
  if (line.kind == LineKind::payment) {
    const auto at = receipts_.find({channel, name_of_trade(line.channel_trade_no, line.out_trade_no)});
    return at == receipts_.end() ? std::nullopt : std::optional(at->second);
  }
  const auto number = parse_out_refund_no(line.out_refund_no);
  return number ? std::optional(number->object) : std::nullopt;
}

bool StatementEndAudit::is_disturbed(std::int64_t document) const {
  const auto at = documents_.find(document);
  return at != documents_.end() && at->second.trade != nullptr &&
         has_disturbed_refunds(*at->second.trade, upstream_, orders_);
}

const Trade* StatementEndAudit::trade_of(const std::string& channel, const StatementLine& line) const {
  return upstream_.find_trade(channel, line.channel_trade_no, line.out_trade_no);
}

bool StatementEndAudit::is_line_disturbed(const std::string& channel, const StatementLine& line) const {
  const Trade* trade = trade_of(channel, line);
  if (trade == nullptr) return false;
  const OrderAggregate* order = orders_.order_named(trade->out_trade_no);
  if (order != nullptr && is_in_total(*order, *trade)) return true;
  return line.kind == LineKind::refund ? has_disturbed_refunds(*trade, upstream_, orders_) : trade->is_external;
}

const StatementEndAudit::Listed* StatementEndAudit::line_of(const Difference& difference) const {
  if (!difference.statement_id) return nullptr;
  const auto at = by_place_.find({*difference.statement_id, difference.line_no});
  return at == by_place_.end() ? nullptr : &at->second;
}

bool StatementEndAudit::is_of_day(const Difference& difference, const Statement& statement) const {
  const Listed* listed = line_of(difference);
  return listed != nullptr && listed->statement->date == statement.date;
}

const std::string& StatementEndAudit::channel_of(const Difference& difference) const {
  static const std::string kNone;
  const auto at = std::ranges::find_if(
      policy_.accounts, [&](const auto& account) { return account.second.id == difference.channel_account_id; });
  return at == policy_.accounts.end() ? kNone : at->first;
}

FileName StatementEndAudit::file_of(const Difference& difference) const {
  return {channel_of(difference), difference.date, difference.kind};
}

void StatementEndAudit::run() {
  check_days();
  for (const auto& [document, match] : records_.matches) check_match(match);
  for (const auto& [place, listed] : by_place_)
    if (listed.statement->state == StatementState::matched) check_line(listed);
  for (const InjectedFault& injected : book_.injected())
    if (injected.kind == StatementKind::trades) check_injected(injected);
  for (const auto& [id, aggregate] : records_.differences) {
    const Difference& difference = aggregate.difference;
    if (!is_of_trades(difference) && difference.difference_class != statement_missing) continue;
    check_carried(difference);
    findings_.require(explained_.contains(id) || is_natural(difference), kOthers,
                      "{} is {} {} of {} ({}), without a cause: {}", to_text(id), name_of(difference.state),
                      name_of(difference.difference_class), difference.date, channel_of(difference),
                      difference.subject);
  }
}

// Checks that the newest version of each available statement has been compared.
void StatementEndAudit::check_days() {
  book_.each_day([&](const FileName& name) {
    const auto& [channel, date, kind] = name;
    if (!book_.is_overdue(date)) return;
    const auto at = days_.find(name);
    const bool is_known = at != days_.end();
    findings_.require(is_known, kStatements, "no server knows the statement of {} of {} ({})", name_of(kind), date,
                      channel);
    if (!is_known) return;
    const Statement& newest = **std::ranges::max_element(at->second, {}, &Statement::file_version);
    findings_.require(newest.state == StatementState::matched || newest.state == StatementState::empty, kStatements,
                      "{} of {} ({} {}) is still {}", to_text(newest.id), date, channel, name_of(kind),
                      name_of(newest.state));
    // The rejected file of a bank is not expected again: operators upload the right one.
    if (!book_.was_malformed(name) || kind == StatementKind::bank) return;
    const auto reported = std::ranges::count_if(records_.differences, [&](const auto& one) {
      const Difference& difference = one.second.difference;
      return difference.difference_class == statement_missing && file_of(difference) == name;
    });
    findings_.require(reported == 1, kInjected, "the malformed statement of {} of {} ({}) was reported {} times",
                      name_of(kind), date, channel, reported);
  });
}

// Checks that a line of a compared statement has a match or a difference. It has both only if the match repaired the
// books, or if only the fee differs.
void StatementEndAudit::check_line(const Listed& listed) {
  const std::string& channel = listed.statement->channel;
  if (is_line_disturbed(channel, *listed.line)) return;
  const bool is_matched = std::ranges::any_of(records_.matches, [&](const auto& one) {
    const auto statement = records_.statements.find(one.second.statement_id);
    return one.second.line == listed.key && statement != records_.statements.end() &&
           statement->second.statement.date == listed.statement->date;
  });
  const auto at = by_line_.find(listed.key);
  bool has_difference = false;
  bool is_both = is_matched;
  if (at != by_line_.end())
    for (const Difference* difference : at->second) {
      if (!is_of_day(*difference, *listed.statement)) continue;
      has_difference = true;
      is_both = is_both && !is_repaired(*difference) && difference->difference_class != cost_mismatch;
    }
  findings_.require(is_matched || has_difference, kLines, "line {} of {} ({} {}) has no match and no difference",
                    listed.line->line_no, to_text(listed.statement->id), name_of(listed.line->kind),
                    number_of(*listed.line));
  findings_.require(!has_difference || !is_both, kLines, "line {} of {} ({} {}) has a match and a difference",
                    listed.line->line_no, to_text(listed.statement->id), name_of(listed.line->kind),
                    number_of(*listed.line));
}

// Checks that a match connects a listed line with the document that it reports, over the same amount.
void StatementEndAudit::check_match(const StatementMatch& match) {
  const std::string document = to_text(ObjectRef(match.document_type, match.document_id));
  const auto at = by_key_.find(match.line);
  findings_.require(at != by_key_.end(), kMatches, "{} is matched with a line that no statement lists", document);
  if (at == by_key_.end()) return;
  const StatementLine& line = *at->second->line;
  const std::string& channel = at->second->statement->channel;
  if (is_line_disturbed(channel, line)) return;
  const bool is_unknown = match.document_type == ObjectType::unknown_receipt;
  const auto expected = document_of(channel, line);
  const auto found = documents_.find(match.document_id);
  const bool is_external = line.kind == LineKind::refund && line.out_refund_no.empty() && found != documents_.end() &&
                           found->second.refund != nullptr && found->second.trade != nullptr &&
                           found->second.trade->trade_no == line.channel_trade_no;
  const bool is_right = is_unknown ? book_.is_unknown_payment(channel, line)
                                   : is_external || (expected && *expected == match.document_id);
  findings_.require(is_right, kMatches, "{} is matched with the {} {}", document, name_of(line.kind), number_of(line));
  if (found == documents_.end()) return;
  const Document& row = found->second;
  const MinorUnits amount = row.refund != nullptr     ? row.refund->amount
                            : row.reversal != nullptr ? row.reversal->amount
                                                      : row.receipt->amount;
  findings_.require(amount == line.amount, kMatches, "{} over {} is matched with a line over {}", document, amount,
                    line.amount);
}

// Returns the differences for which is(difference) returns true, and records that the book explains them.
template <class Is>
std::vector<const Difference*> StatementEndAudit::explain(Is is) {
  std::vector<const Difference*> found;
  for (const auto& [id, aggregate] : records_.differences) {
    if (!is_of_trades(aggregate.difference) || !is(aggregate.difference)) continue;
    explained_.insert(id);
    found.push_back(&aggregate.difference);
  }
  return found;
}

void StatementEndAudit::check_injected(const InjectedFault& injected) {
  const auto document = document_of(injected.channel, injected.line);
  if (!document) return;  // lines without a document have no faults
  if (is_line_disturbed(injected.channel, injected.line)) {
    explain([&](const Difference& one) { return one.document_id == *document; });
    return;
  }
  switch (injected.fault) {
    case LineFault::dropped:
    case LineFault::postponed:
      return check_missing(injected, *document);
    case LineFault::doubled:
    case LineFault::repeated:
      return check_duplicate(injected, *document);
    case LineFault::other_amount:
    case LineFault::restated:
      return check_amount(injected, *document);
    case LineFault::other_cost:
      return check_cost(injected);
    case LineFault::withdrawn:
      return check_withdrawn(injected);
    case LineFault::foreign:  // only of balances
      return;
  }
}

// A dropped line is missing until operators look at it. A postponed line was missing at most until it is listed.
void StatementEndAudit::check_missing(const InjectedFault& injected, std::int64_t document) {
  const auto found = explain(
      [&](const Difference& one) { return one.document_id == document && one.difference_class == missing_at_channel; });
  const bool is_matched = records_.matches.contains(document);
  const bool is_dropped = injected.fault == LineFault::dropped;
  const bool is_reported = is_dropped ? found.size() == 1 : found.size() <= 1;
  findings_.require(is_reported, kInjected, "{} was reported {} times as missing", describe(injected), found.size());
  findings_.require(is_matched != is_dropped, kInjected, "{}: its document is {}matched", describe(injected),
                    is_matched ? "" : "not ");
  for (const Difference* one : found) {
    findings_.require(is_repaired(*one) != is_dropped, kInjected, "{} was reported as missing and is {}",
                      describe(injected), name_of(one->state));
    const MinorUnits lacking = injected.line.kind == LineKind::refund ? injected.line.amount : -injected.line.amount;
    const bool is_described =
        one->ours == injected.line.amount && !one->theirs && one->amount == lacking && one->line_no == 0;
    findings_.require(is_described, kInjected, "{} was reported with the amount {}", describe(injected), one->amount);
    // The day of a refund is that of its booking, which can be later.
    const bool is_right_day = injected.line.kind == LineKind::refund || one->date == injected.date;
    findings_.require(is_right_day, kInjected, "{} was reported as missing on {}", describe(injected), one->date);
  }
}

void StatementEndAudit::check_duplicate(const InjectedFault& injected, std::int64_t document) {
  const auto found = explain([&](const Difference& one) {
    const Listed* listed = line_of(one);
    return one.difference_class == duplicate_at_channel && listed != nullptr &&
           listed->statement->channel == injected.channel && number_of(*listed->line) == number_of(injected.line);
  });
  findings_.require(found.size() == 1, kInjected, "{} was reported {} times as a duplicate", describe(injected),
                    found.size());
  for (const Difference* one : found)
    findings_.require(one->document_id == document && !is_repaired(*one), kInjected, "{} was reported for {} and is {}",
                      describe(injected), one->document_id, name_of(one->state));
  findings_.require(records_.matches.contains(document), kInjected, "{}: its document is not matched",
                    describe(injected));
}

void StatementEndAudit::check_amount(const InjectedFault& injected, std::int64_t document) {
  const auto found = explain(
      [&](const Difference& one) { return one.document_id == document && one.difference_class == amount_mismatch; });
  findings_.require(found.size() == 1, kInjected, "{} was reported {} times", describe(injected), found.size());
  const MinorUnits excess = injected.listed.amount - injected.line.amount;
  const MinorUnits surplus = injected.line.kind == LineKind::refund ? -excess : excess;
  for (const Difference* one : found)
    findings_.require(one->ours == injected.line.amount && one->theirs == injected.listed.amount &&
                          one->amount == surplus && !is_repaired(*one),
                      kInjected, "{} was reported with {} in the books, {} in the line and a surplus of {}",
                      describe(injected), one->ours.value_or(0), one->theirs.value_or(0), one->amount);
  const bool is_restated = injected.fault == LineFault::restated;  // the first version had the right amount
  findings_.require(records_.matches.contains(document) == is_restated, kInjected, "{}: its document is {}matched",
                    describe(injected), is_restated ? "not " : "");
}

void StatementEndAudit::check_cost(const InjectedFault& injected) {
  const auto found = explain([&](const Difference& one) {
    const Listed* listed = line_of(one);
    return one.difference_class == cost_mismatch && listed != nullptr &&
           listed->statement->channel == injected.channel && number_of(*listed->line) == number_of(injected.line);
  });
  findings_.require(found.size() == 1 && !is_repaired(*found.front()), kInjected, "{} was reported {} times",
                    describe(injected), found.size());
}

void StatementEndAudit::check_withdrawn(const InjectedFault& injected) {
  const std::string number =
      fmt::format(" out_trade_no {} trade {} ", injected.line.out_trade_no, injected.line.channel_trade_no);
  const auto found = explain([&](const Difference& one) {
    return one.difference_class == line_withdrawn && one.date == injected.date && channel_of(one) == injected.channel &&
           one.subject.contains(number);
  });
  findings_.require(found.size() == 1, kInjected, "{} was reported {} times", describe(injected), found.size());
  for (const Difference* one : found)
    findings_.require(one->theirs == injected.line.amount && one->amount == -injected.line.amount, kInjected,
                      "{} was reported with the amount {}", describe(injected), one->amount);
}

// Checks that operators see a missing line after enough complete statements of later days, and not earlier. The last of
// them is still in work when it reports the line. Other differences are shown at once.
void StatementEndAudit::check_carried(const Difference& difference) {
  const bool is_carried = difference.state == DifferenceState::carried;
  if (difference.difference_class != missing_at_channel)
    return findings_.require(!is_carried, kInjected, "{} is carried, but not missing at the channel",
                             to_text(difference.id));
  const std::size_t expected = difference.document_type == ObjectType::receipt ? kPaymentsCarried : kRefundsCarried;
  const auto complete_between = [&](std::optional<Time> from, std::optional<Time> to) {
    const auto is_complete = [&](const Statement* statement) {
      const auto at = records_.completed_at.find(statement->id);
      return at != records_.completed_at.end() && (!from || at->second > *from) && (!to || at->second <= *to);
    };
    return static_cast<std::size_t>(std::ranges::count_if(days_, [&](const auto& day) {
      const FileName& name = day.first;
      return name.channel == channel_of(difference) && name.kind == difference.kind && name.date > difference.date &&
             std::ranges::any_of(day.second, is_complete);
    }));
  };
  if (is_carried) {
    const std::size_t complete = complete_between(records_.found_at.at(difference.id), std::nullopt);
    return findings_.require(complete < expected, kInjected, "{} is carried after {} complete statements",
                             to_text(difference.id), complete);
  }
  const auto opened = records_.opened_at.find(difference.id);
  if (opened == records_.opened_at.end()) return;
  const std::size_t complete = complete_between(std::nullopt, opened->second);
  findings_.require(complete + 1 >= expected, kInjected, "{} was reported after {} complete statements, expected {}",
                    to_text(difference.id), complete, expected);
}

// Whether the books lacked the document when the comparison of the statement began.
bool StatementEndAudit::was_booked_after(std::int64_t document, const Difference& difference) const {
  const auto booked = records_.booked_at.find(document);
  const auto claimed = records_.claimed_at.find(difference.statement_id.value_or(StatementId{}));
  return booked != records_.booked_at.end() && claimed != records_.claimed_at.end() &&
         booked->second >= claimed->second;
}

// Returns true if the difference existed without an injected fault of a line: the books were behind the channel, or the
// statement was late.
bool StatementEndAudit::is_natural(const Difference& difference) const {
  if (difference.difference_class == statement_missing) return is_natural_absence(difference);
  if (difference.difference_class == missing_at_channel) return is_natural_missing(difference);
  const Listed* listed = line_of(difference);
  if (listed == nullptr) return false;
  const StatementLine& line = *listed->line;
  const std::string& channel = listed->statement->channel;
  if (is_line_disturbed(channel, line)) return true;
  const bool was_repaired = is_repaired(difference) && was_booked_after(difference.repaired_by_id, difference);
  switch (difference.difference_class) {
    case late_status:
      return line.kind == LineKind::payment && was_repaired;
    case unknown_receipt:
      return book_.is_unknown_payment(channel, line) && was_repaired;
    case refund_status: {
      const auto document = documents_.find(difference.document_id);
      const bool is_unpaid = document != documents_.end() && !records_.booked_at.contains(difference.document_id);
      return line.kind == LineKind::refund && (was_repaired || is_unpaid);
    }
    case external_refund: {
      // The refund may have been booked from a total, without its number. It cannot be booked before its payment.
      const auto receipt = receipts_.find({channel, name_of_trade(line.channel_trade_no, line.out_trade_no)});
      const bool was_unpaid =
          receipt == receipts_.end() || records_.booked_at.at(receipt->second) >= records_.found_at.at(difference.id);
      return line.kind == LineKind::refund && line.out_refund_no.empty() && (is_repaired(difference) || was_unpaid);
    }
    default:
      return false;
  }
}

// Whether a line of the document was found later: matched, or with a separate difference.
bool StatementEndAudit::has_line_since(std::int64_t document, Time since) const {
  const auto matched = records_.matched_at.find(document);
  if (matched != records_.matched_at.end() && matched->second >= since) return true;
  return std::ranges::any_of(records_.differences, [&](const auto& one) {
    const Difference& difference = one.second.difference;
    return is_of_trades(difference) && difference.document_id == document && difference.line_no != 0 &&
           records_.found_at.at(one.first) >= since;
  });
}

// A document is missing without a fault until the statement of its day is compared, which can be after that of a later
// day. The clock of the engine that booked a refund determines its day.
bool StatementEndAudit::is_natural_missing(const Difference& difference) const {
  const auto document = documents_.find(difference.document_id);
  if (document == documents_.end()) return false;
  const Trade* trade = document->second.trade;
  // The statement lists a capture by another system under a number that no engine knows.
  if (trade == nullptr) return document->second.receipt != nullptr && document->second.receipt->capture_id.has_value();
  if (trade->is_external) return true;
  const bool is_refund = difference.document_type != ObjectType::receipt;
  if (is_refund && has_disturbed_refunds(*trade, upstream_, orders_)) return true;
  const Time found = records_.found_at.at(difference.id);
  if (!is_repaired(difference) || !has_line_since(difference.document_id, found)) return false;
  if (is_refund) return true;
  const auto day = days_.find(file_of(difference));
  return day == days_.end() || std::ranges::none_of(day->second, [&](const Statement* statement) {
           const auto compared = records_.compared_at.find(statement->id);
           return compared != records_.compared_at.end() && compared->second < found;
         });
}

// A statement is missing once per day, if a download failed after it was late, or if its file was malformed. That of a
// bank is missing until operators upload it. It is no longer missing when it has been compared.
bool StatementEndAudit::is_natural_absence(const Difference& difference) const {
  const FileName name = file_of(difference);
  const auto same = std::ranges::count_if(records_.differences, [&](const auto& one) {
    const Difference& other = one.second.difference;
    return other.difference_class == statement_missing && file_of(other) == name;
  });
  const auto versions = days_.find(name);
  const bool is_compared = versions != days_.end() && std::ranges::any_of(versions->second, [](const Statement* one) {
                             return one->state == StatementState::matched || one->state == StatementState::empty;
                           });
  if (is_compared && difference.state == DifferenceState::open) return false;
  if (difference.kind == StatementKind::bank) return same == 1;
  const auto start = start_of_day(difference.date, book_.plan().utc_offset);
  const auto failed = book_.last_failure(name);
  const bool was_late = start && failed && *failed >= *start + std::chrono::hours(24) + book_.plan().late_after;
  return same == 1 && (was_late || book_.was_malformed(name));
}

}  // namespace finality::sim
