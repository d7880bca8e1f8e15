#include "sim/auditors/statements/funds_end_audit.h"

#include <algorithm>
#include <cstdlib>

#include "base/time/date.h"
#include "model/out_trade_no.h"
#include "query/reconciliation.h"
#include "sim/auditors/collected.h"
#include "sim/auditors/disturbed.h"

namespace finality::sim {
namespace {

using enum DifferenceClass;

constexpr const char* kLines = "17 lines of balances";
constexpr const char* kMatches = "17 matches of balances";
constexpr const char* kPostings = "17 postings of statements";
constexpr const char* kInjected = "17 injected differences of balances";
constexpr const char* kOthers = "17 other differences of balances";
constexpr const char* kProof = "17 proof of balance";

bool is_repaired(const Difference& difference) { return difference.state == DifferenceState::repaired; }

bool is_of_balance(StatementKind kind) { return kind != StatementKind::trades; }

std::string describe(const InjectedFault& injected) {
  return fmt::format("{} of {} on {} ({} {})", name_of(injected.fault), identity_of(injected.line), injected.date,
                     injected.channel, name_of(injected.kind));
}

// Whether the books know the movement only from the line. The table of the server is in
// decide/statement/post_funds.cpp.
std::optional<EntryType> type_of_posting(const StatementLine& line) {
  using enum LineKind;
  const bool is_debit = line.amount < 0;
  if (line.kind == fee || line.kind == fee_returned)
    return is_debit ? EntryType::channel_fee : EntryType::channel_fee_returned;
  if (line.kind == withdrawal || line.kind == top_up)
    return is_debit ? EntryType::channel_withdrawal : EntryType::channel_top_up;
  if (line.kind == adjustment) return is_debit ? EntryType::channel_deduction : EntryType::channel_compensation;
  return std::nullopt;
}

bool takes_back(EntryType type) {
  return type == EntryType::receipt_written_off || type == EntryType::unknown_receipt_cancelled;
}

bool is_refund(const StatementLine& line) {
  return line.kind == LineKind::refund || line.kind == LineKind::refund_returned;
}

}  // namespace

FundsEndAudit::FundsEndAudit(const StatementRecords& records, const StatementBook& book, const Upstream& upstream,
                             const OrderAuditor& orders, const Policy& policy, Findings& findings)
    : records_(records), book_(book), upstream_(upstream), orders_(orders), policy_(policy), findings_(findings) {
  for (const auto& [id, order] : orders_.orders()) add_documents(order);
  for (const auto& [entry, account] : records_.entries) add_entry(entry);
  std::vector<const Statement*> compared;
  for (const auto& [id, aggregate] : records_.statements)
    if (is_of_balance(aggregate.statement.kind) && aggregate.statement.state == StatementState::matched)
      compared.push_back(&aggregate.statement);
  std::ranges::sort(compared, {}, [](const Statement* one) { return std::pair(one->file_version, one->id); });
  for (const Statement* statement : compared) add_lines(*statement);
  for (const auto& [statement, lines] : files_)
    for (const Listed& listed : lines) by_key_.emplace(listed.key, &listed);
  for (const auto& [document, match] : records_.funds_matches) matched_[match.line].insert(document);
  for (const auto& [id, aggregate] : records_.differences)
    if (is_of_balance(aggregate.difference.kind) && aggregate.difference.line)
      by_line_[*aggregate.difference.line].push_back(&aggregate.difference);
}

void FundsEndAudit::add_documents(const OrderAggregate& order) {
  const auto add = [&](std::int64_t id, const Receipt* receipt) {
    documents_[id].trade = receipt != nullptr ? sim::trade_of(upstream_, order, *receipt) : nullptr;
  };
  for (const Receipt& receipt : order.receipts) {
    add(receipt.id.value, &receipt);
    if (const Trade* trade = documents_[receipt.id.value].trade)
      receipts_[{receipt.channel, name_of_trade(trade->trade_no, trade->out_trade_no)}] = receipt.id.value;
  }
  for (const Refund& refund : order.refunds) add(refund.id.value, refunded_receipt(order, refund));
  for (const Reversal& reversal : order.reversals)
    add(reversal.id.value, find_row(order.receipts, reversal.receipt_id));
  for (const Return& row : order.returns)
    if (const Refund* refund = find_row(order.refunds, row.refund_id))
      add(row.id.value, refunded_receipt(order, *refund));
}

void FundsEndAudit::add_entry(const Entry& entry) {
  if (entry.document_type == ObjectType::statement || takes_back(entry.type)) return;
  Document& document = documents_[entry.document_id];
  document.booked -= entry.amount;
  if (!document.at) document.at = entry.created_at;
}

void FundsEndAudit::add_lines(const Statement& statement) {
  const ChannelFile* file = book_.file(statement.sha256);
  if (file == nullptr) return;
  std::map<Hash16, std::int64_t> ordinals;
  auto& [of, lines] = files_.emplace_back(&statement, std::vector<Listed>{});
  for (const StatementLine& line : file->lines) {
    const Hash16 first = key_of_line(statement.channel_account_id, line, 0);
    const std::int64_t ordinal = ordinals[first]++;
    lines.push_back({&statement, line, key_of_line(statement.channel_account_id, line, ordinal)});
  }
}

const std::string& FundsEndAudit::channel_of(ChannelAccountId id) const {
  static const std::string kNone;
  const auto at = std::ranges::find_if(policy_.accounts, [&](const auto& account) { return account.second.id == id; });
  return at == policy_.accounts.end() ? kNone : at->first;
}

const FundsEndAudit::Listed* FundsEndAudit::listed_of(const Difference& difference) const {
  const auto at = difference.line ? by_key_.find(*difference.line) : by_key_.end();
  return at == by_key_.end() ? nullptr : at->second;
}

// Returns the fault that made the line, or that made a line of its movement.
const InjectedFault* FundsEndAudit::fault_of(const Listed& listed) const {
  const auto at = std::ranges::find_if(book_.injected(), [&](const InjectedFault& one) {
    return one.kind == listed.statement->kind && one.channel == listed.statement->channel &&
           !identity_of(one.line).empty() && identity_of(one.line) == identity_of(listed.line);
  });
  return at == book_.injected().end() ? nullptr : &*at;
}

const InjectedFault* FundsEndAudit::fault_of(std::int64_t document) const {
  const auto at = std::ranges::find_if(book_.injected(), [&](const InjectedFault& one) {
    return one.kind == StatementKind::funds && document_of(one) == document;
  });
  return at == book_.injected().end() ? nullptr : &*at;
}

// Returns the document that the movement reports; empty for movements that the statement posts, and for foreign ones.
std::optional<std::int64_t> FundsEndAudit::document_of(const InjectedFault& injected) const {
  const StatementLine& line = injected.line;
  if (line.kind == LineKind::payment) {
    const auto at = receipts_.find({injected.channel, name_of_trade(line.channel_trade_no, line.out_trade_no)});
    return at == receipts_.end() ? std::nullopt : std::optional(at->second);
  }
  if (line.kind != LineKind::refund) return std::nullopt;
  const auto number = parse_out_refund_no(line.out_refund_no);
  return number ? std::optional(number->object) : std::nullopt;
}

bool FundsEndAudit::is_disturbed(std::int64_t document) const {
  const auto at = documents_.find(document);
  return at != documents_.end() && at->second.trade != nullptr &&
         has_disturbed_refunds(*at->second.trade, upstream_, orders_);
}

bool FundsEndAudit::is_disturbed(const std::string& channel, const StatementLine& line) const {
  const auto number = parse_out_refund_no(line.out_refund_no);
  if (number && is_disturbed(number->object)) return true;
  const Trade* trade =
      line.channel_trade_no.empty() ? nullptr : upstream_.find_trade(channel, line.channel_trade_no, line.out_trade_no);
  if (trade == nullptr) return false;
  const OrderAggregate* order = orders_.order_named(trade->out_trade_no);
  if (order != nullptr && is_in_total(*order, *trade)) return true;
  return is_refund(line) ? has_disturbed_refunds(*trade, upstream_, orders_) : trade->is_external;
}

// Whether the line of a refund can match another refund: it names only the trade.
bool FundsEndAudit::is_ambiguous(const InjectedFault& injected) const {
  return is_refund(injected.line) && injected.listed.out_refund_no.empty();
}

void FundsEndAudit::run(Reader& reader) {
  check_lines();
  check_matches();
  check_postings();
  for (const InjectedFault& injected : book_.injected())
    if (is_of_balance(injected.kind)) check_injected(injected);
  for (const auto& [name, account] : policy_.accounts)
    if (account.is_bank()) check_bank(account);
  check_differences();
  for (const auto& [name, account] : policy_.accounts) check_proof(reader, account);
}

// Each line of a compared statement has one of: a match, a posting, or a difference.
void FundsEndAudit::check_lines() {
  for (const auto& [statement, lines] : files_)
    for (const Listed& listed : lines) {
      const StatementLine& line = listed.line;
      if (statement->kind == StatementKind::funds && type_of_posting(line)) continue;
      const auto matched = matched_.find(listed.key);
      const bool is_matched = matched != matched_.end();
      const auto reported = by_line_.find(listed.key);
      const bool is_open =
          reported != by_line_.end() && std::ranges::any_of(reported->second, [&](const Difference* one) {
            return one->difference_class != line_withdrawn && !is_repaired(*one);
          });
      const bool is_known = is_matched || reported != by_line_.end();
      const InjectedFault* fault = fault_of(listed);
      const bool is_confirmed = fault != nullptr && fault->fault == LineFault::other_amount;
      findings_.require(is_known || is_confirmed, kLines, "line {} of {} ({} {}) has no match and no difference",
                        line.line_no, to_text(statement->id), name_of(line.kind), identity_of(line));
      findings_.require(!is_matched || !is_open, kLines, "line {} of {} ({} {}) has a match and a difference",
                        line.line_no, to_text(statement->id), name_of(line.kind), identity_of(line));
    }
}

// A match connects a listed line with what it reports, over the same amount.
void FundsEndAudit::check_matches() {
  for (const auto& [document, match] : records_.funds_matches) {
    const std::string name = to_text(ObjectRef(match.document_type, document));
    const auto at = by_key_.find(match.line);
    findings_.require(at != by_key_.end(), kMatches, "{} is matched with a line that no compared statement lists",
                      name);
    if (at == by_key_.end()) continue;
    const Listed& listed = *at->second;
    findings_.require(match.amount == listed.line.amount && match.line_no == listed.line.line_no, kMatches,
                      "{} is matched with line {} over {}, the statement lists line {} over {}", name, match.line_no,
                      match.amount, listed.line.line_no, listed.line.amount);
    findings_.require(matched_.at(match.line).size() == 1, kMatches, "line {} of {} is matched {} times", match.line_no,
                      to_text(match.statement_id), matched_.at(match.line).size());
    if (match.document_type == ObjectType::entry) {
      const auto entry =
          std::ranges::find_if(records_.entries, [&](const auto& one) { return one.first.id.value == document; });
      const bool is_right = entry != records_.entries.end() && entry->second == match.channel_account_id &&
                            -entry->first.amount == listed.line.amount;
      findings_.require(is_right, kMatches, "{} is matched with a bank line over {}", name, listed.line.amount);
      continue;
    }
    const auto booked = documents_.find(document);
    findings_.require(booked != documents_.end() && booked->second.booked == listed.line.amount, kMatches,
                      "{} over {} is matched with a line over {}", name,
                      booked == documents_.end() ? 0 : booked->second.booked, listed.line.amount);
  }
}

void FundsEndAudit::check_postings() {
  std::map<FileName, std::set<Hash16>> before;  // lines of earlier versions, by statement
  for (const auto& [statement, lines] : files_) {
    if (statement->kind != StatementKind::funds) continue;
    std::set<Hash16>& known = before[name_of_file(*statement)];
    check_postings(*statement, known);
    for (const Listed& listed : lines) known.insert(listed.key);
  }
}

// The statement posts the lines that no earlier version contains: sums by type, and each withdrawal and top-up alone.
void FundsEndAudit::check_postings(const Statement& statement, const std::set<Hash16>& before) {
  std::map<EntryType, Amounts> expected;
  std::map<EntryType, Amounts> posted;
  std::map<EntryType, MinorUnits> sums;
  const auto is_single = [](EntryType type) {
    return type == EntryType::channel_withdrawal || type == EntryType::channel_top_up;
  };
  for (const auto& [of, lines] : files_)
    if (of == &statement)
      for (const Listed& listed : lines)
        if (const auto type = type_of_posting(listed.line); type && !before.contains(listed.key))
          is_single(*type) ? ++expected[*type][listed.line.amount] : sums[*type] += listed.line.amount;
  // Fees are posted by kind: fees and returned fees of one direction are two sums.
  MinorUnits at_bank = 0;
  std::map<EntryType, MinorUnits> posted_sums;
  for (const auto& [entry, account] : records_.entries) {
    if (entry.document_type != ObjectType::statement || entry.document_id != statement.id.value) continue;
    if (account != statement.channel_account_id) {
      at_bank -= entry.amount;
      continue;
    }
    is_single(entry.type) ? ++posted[entry.type][-entry.amount] : posted_sums[entry.type] -= entry.amount;
  }
  findings_.require(sums == posted_sums, kPostings, "{} of {} posted other sums than its lines", to_text(statement.id),
                    statement.date);
  findings_.require(expected == posted, kPostings, "{} of {} posted other withdrawals or top-ups than its lines",
                    to_text(statement.id), statement.date);
  MinorUnits withdrawn = 0;
  for (const auto& [type, amounts] : expected)
    for (const auto& [amount, times] : amounts) withdrawn -= amount * times;
  const bool is_platform = policy_.funds_of(statement.channel) == Funds::platform;
  const bool has_bank = is_platform && policy_.bank_account_of(statement.channel).has_value();
  findings_.require(at_bank == (has_bank ? withdrawn : 0), kPostings, "{} posted {} to the bank account, its lines {}",
                    to_text(statement.id), at_bank, withdrawn);
}

// Returns the differences of funds and bank statements for which is(difference) returns true, and records that the book
// explains them.
template <class Is>
std::vector<const Difference*> FundsEndAudit::explain(Is is) {
  std::vector<const Difference*> found;
  for (const auto& [id, aggregate] : records_.differences) {
    if (!is_of_balance(aggregate.difference.kind) || !is(aggregate.difference)) continue;
    explained_.insert(id);
    found.push_back(&aggregate.difference);
  }
  return found;
}

void FundsEndAudit::check_injected(const InjectedFault& injected) {
  const ChannelAccountId account = policy_.account_of(injected.channel);
  const auto is_of_line = [&](const Difference& one, const StatementLine& line) {
    const Listed* listed = listed_of(one);
    return one.channel_account_id == account && one.kind == injected.kind && listed != nullptr &&
           identity_of(listed->line) == identity_of(line) && listed->line.amount == line.amount;
  };
  const bool is_bank = injected.kind == StatementKind::bank;
  if (injected.fault == LineFault::foreign) {
    const auto found = explain([&](const Difference& one) {
      return one.difference_class == funds_line_unknown && is_of_line(one, injected.line);
    });
    const bool is_right = found.size() == 1 && (is_bank || !is_repaired(*found.front()));
    findings_.require(is_right || !book_.is_overdue(injected.date), kInjected, "{} was reported {} times",
                      describe(injected), found.size());
    return;
  }
  const bool is_second = injected.fault == LineFault::withdrawn || injected.fault == LineFault::restated;
  const auto document = is_bank ? std::nullopt : document_of(injected);
  const bool withdraws = injected.fault == LineFault::withdrawn || (is_second && !document);
  if (withdraws) {
    const auto found = explain([&](const Difference& one) {
      return one.difference_class == line_withdrawn && is_of_line(one, injected.line);
    });
    for (const Difference* one : found)
      findings_.require(one->theirs == injected.line.amount && one->amount == -injected.line.amount, kInjected,
                        "{} was reported with the amount {}", describe(injected), one->amount);
    // The two amounts of a bank line that had no entry cancel each other.
    findings_.require(found.size() == 1 || is_bank, kInjected, "{} was reported {} times", describe(injected),
                      found.size());
    return;
  }
  if (document) check_document(injected, *document);
}

void FundsEndAudit::check_document(const InjectedFault& injected, std::int64_t document) {
  if (is_ambiguous(injected) || is_disturbed(injected.channel, injected.line)) {
    explain([&](const Difference& one) {
      const Listed* listed = listed_of(one);
      return one.document_id == document ||
             (listed != nullptr && identity_of(listed->line) == identity_of(injected.line));
    });
    return;
  }
  const auto of_class = [&](DifferenceClass expected) {
    return explain(
        [&](const Difference& one) { return one.document_id == document && one.difference_class == expected; });
  };
  const bool is_matched = records_.funds_matches.contains(document);
  const auto missing = of_class(trade_without_funds);
  switch (injected.fault) {
    case LineFault::dropped:
      findings_.require(missing.size() == 1 && !is_repaired(*missing.front()) && !is_matched, kInjected,
                        "{} was reported {} times as missing", describe(injected), missing.size());
      for (const Difference* one : missing)
        findings_.require(one->ours == injected.line.amount && one->amount == -injected.line.amount, kInjected,
                          "{} was reported with the amount {}", describe(injected), one->amount);
      return;
    case LineFault::postponed:
      findings_.require(missing.size() <= 1 && is_matched, kInjected, "{}: its document is {}matched",
                        describe(injected), is_matched ? "" : "not ");
      for (const Difference* one : missing)
        findings_.require(is_repaired(*one), kInjected, "{} is still {}", describe(injected), name_of(one->state));
      return;
    case LineFault::doubled: {
      const auto found = explain([&](const Difference& one) {
        const Listed* listed = listed_of(one);
        return one.difference_class == duplicate_at_channel && listed != nullptr &&
               identity_of(listed->line) == identity_of(injected.line);
      });
      findings_.require(found.size() == 1 && is_matched, kInjected, "{} was reported {} times as a duplicate",
                        describe(injected), found.size());
      return;
    }
    case LineFault::other_amount:
    case LineFault::restated: {
      const auto found = of_class(amount_mismatch);
      findings_.require(found.size() == 1, kInjected, "{} was reported {} times", describe(injected), found.size());
      for (const Difference* one : found)
        findings_.require(one->theirs == injected.listed.amount &&
                              one->amount == injected.listed.amount - injected.line.amount && !is_repaired(*one),
                          kInjected, "{} was reported with a surplus of {}", describe(injected), one->amount);
      return;
    }
    default:
      return;
  }
}

// Banks state none of our numbers: of each amount, as many lines or entries remain as one side has more.
void FundsEndAudit::check_bank(const ChannelAccount& bank) {
  Amounts left;  // lines that remain, or entries as a negative number
  std::map<FileName, const std::vector<Listed>*> newest;
  for (const auto& [statement, lines] : files_)
    if (statement->channel_account_id == bank.id) newest[name_of_file(*statement)] = &lines;
  for (const auto& [name, lines] : newest)
    for (const Listed& listed : *lines) ++left[listed.line.amount];
  Time compared;
  for (const auto& [id, at] : records_.compared_at)
    if (records_.statements.at(id).statement.channel_account_id == bank.id) compared = std::max(compared, at);
  std::set<MinorUnits> late;  // amounts of entries that the last comparison did not see
  for (const auto& [entry, account] : records_.entries) {
    const bool has_line =
        entry.document_type != ObjectType::difference && entry.document_type != ObjectType::adjustment;
    if (account != bank.id || !has_line) continue;
    --left[-entry.amount];
    if (entry.created_at >= compared - kClockErrorMax * 2) late.insert(-entry.amount);
  }
  Amounts reported;
  for (const auto& [id, aggregate] : records_.differences) {
    const Difference& one = aggregate.difference;
    if (one.kind != StatementKind::bank || one.channel_account_id != bank.id) continue;
    if (one.difference_class != funds_line_unknown && one.difference_class != trade_without_funds) continue;
    explained_.insert(id);
    if (is_repaired(one)) continue;
    const bool is_line = one.difference_class == funds_line_unknown;
    is_line ? ++reported[one.amount] : --reported[-one.amount];
  }
  for (const auto& [amount, count] : left) {
    if (late.contains(amount)) continue;
    const bool is_withdrawn = std::ranges::any_of(book_.injected(), [&](const InjectedFault& one) {
      const bool is_second = one.fault == LineFault::withdrawn || one.fault == LineFault::restated;
      return is_second && one.kind == StatementKind::bank && one.channel == bank.channel &&
             (one.line.amount == amount || one.listed.amount == amount);
    });
    if (is_withdrawn) continue;
    findings_.require(reported[amount] == count, kInjected, "{}: {} lines over {} remain, {} were reported",
                      bank.channel, count, amount, reported[amount]);
  }
}

void FundsEndAudit::check_differences() {
  for (const auto& [id, aggregate] : records_.differences) {
    const Difference& one = aggregate.difference;
    if (!is_of_balance(one.kind) || one.difference_class == statement_missing) continue;
    findings_.require(explained_.contains(id) || is_natural(one), kOthers,
                      "{} is {} {} of {} ({} {}), without a cause: {}", to_text(id), name_of(one.state),
                      name_of(one.difference_class), one.date, channel_of(one.channel_account_id), name_of(one.kind),
                      one.subject);
  }
}

// Returns true if the difference existed without an injected fault of a line: the books were behind the channel, a
// statement was late, or the movement is of a kind that cannot be posted.
bool FundsEndAudit::is_natural(const Difference& difference) const {
  if (const Listed* listed = listed_of(difference)) return is_natural_line(difference, *listed);
  if (difference.difference_class != trade_without_funds) return false;
  if (difference.document_type == ObjectType::adjustment || difference.document_type == ObjectType::entry) return true;
  if (is_repaired(difference))
    return records_.funds_matches.contains(difference.document_id) ||
           difference.repaired_by_type == ObjectType::entry;  // which took the booking back
  return is_disturbed(difference.document_id);
}

bool FundsEndAudit::is_natural_line(const Difference& difference, const Listed& listed) const {
  const StatementLine& line = listed.line;
  const std::string& channel = listed.statement->channel;
  if (line.kind == LineKind::other) return difference.difference_class == funds_line_unknown;
  if (is_disturbed(channel, line)) return true;
  switch (difference.difference_class) {
    case funds_line_unknown:  // operators can resolve it before the payment is booked
      return is_repaired(difference) || book_.is_unknown_payment(channel, line);
    case refund_status:
      return is_repaired(difference);
    default:
      return false;
  }
}

void FundsEndAudit::check_proof(Reader& reader, const ChannelAccount& account) {
  const StatementPlan& plan = book_.plan_of(account);
  const std::string first = date_of(account.created_at, plan.utc_offset);
  std::string last;
  for (std::string date = first; book_.is_overdue(date); date = add_days(date, 1)) last = date;
  if (last.empty()) return;
  const auto rows = query::reconcile(reader, account, plan, {first, last});
  findings_.require(rows.has_value(), kProof, "{} cannot be reconciled", account.channel);
  if (!rows) return;
  for (const query::Reconciliation& row : *rows) {
    findings_.require(row.unknown_since.empty(), kProof, "{}: the balance is unknown since {}", account.channel,
                      row.unknown_since);
    if (!row.proof) continue;
    findings_.require(row.proof->unexplained == 0, kProof,
                      "{} of {}: {} is unexplained: books {}, statement {}, booked later {}, listed later {}, "
                      "differences {}, opening {}",
                      account.channel, row.date, row.proof->unexplained, row.proof->books, row.proof->statement,
                      row.proof->booked_later, row.proof->listed_later, row.proof->differences, row.proof->opening);
    findings_.require(row.result != query::ReconciliationResult::incomplete, kProof, "{} of {} is incomplete",
                      account.channel, row.date);
  }
}

}  // namespace finality::sim
