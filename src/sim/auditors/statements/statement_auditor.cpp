#include "sim/auditors/statements/statement_auditor.h"

#include <algorithm>
#include <cstdlib>

#include "sim/auditors/statements/funds_end_audit.h"
#include "sim/auditors/statements/statement_end_audit.h"
#include "store/sql/columns.h"

namespace finality::sim {
namespace {

constexpr const char* kStored = "1 stored state";
constexpr const char* kStatements = "17 statements";
constexpr const char* kMatches = "17 matches";
constexpr const char* kDifferences = "17 differences";

std::int64_t open_cases(const DifferenceAggregate& aggregate) {
  return std::ranges::count_if(aggregate.cases, [](const Case& row) { return row.state != CaseState::resolved; });
}

}  // namespace

void StatementAuditor::look_at(const WorkingSet& rows, Time now) {
  check_events(rows);
  note_documents(rows, now);
  look_at_statements(rows, now);
  look_at_matches(rows, now);
  look_at_differences(rows, now);
  look_at_balances(rows);
}

void StatementAuditor::look_at_balances(const WorkingSet& rows) {
  for (const Entry& entry : rows.entries) {
    const Account& account = *rows.accounts.find(entry.account_id);
    if (account.kind != AccountKind::channel_receivable && account.kind != AccountKind::bank) continue;
    if (entry.document_type == ObjectType::difference) posted_[entry.document_id] -= entry.amount;
    const bool has_statements = !policy_.withdrawal_accounts.empty() && account.channel_account_id;
    if (has_statements) records_.entries.emplace_back(entry, *account.channel_account_id);
  }
  rows.funds_matches.each([&](const std::int64_t& document, const auto& base, const auto& match) {
    if (!match || base) return;
    findings_.require(records_.funds_matches.emplace(document, *match).second, kMatches, "{} is matched twice",
                      to_text(ObjectRef(match->document_type, document)));
    findings_.require(matched_movements_.insert(match->line).second, kMatches, "line {} of {} is matched twice",
                      match->line_no, to_text(match->statement_id));
  });
}

// A statement reports what happened. What it does not contain proves nothing, so it never ends a payment as unpaid.
void StatementAuditor::check_events(const WorkingSet& rows) {
  constexpr std::string_view kUnpaid[] = {"failed", "closed", "not_found", "not_found_while_closing"};
  for (const Event& event : rows.events)
    findings_.require(event.cause != CauseKind::statement || event.object_type != ObjectType::payment ||
                          std::ranges::find(kUnpaid, event.event) == std::end(kUnpaid),
                      kStatements, "a statement caused {} of {}", event.event, to_text(PaymentId{event.object_id}));
}

void StatementAuditor::note_documents(const WorkingSet& rows, Time now) {
  rows.orders.each([&](const OrderId&, const auto& base, const auto& order) {
    if (!order || (base && base->order.version == order->order.version)) return;
    for (const Receipt& receipt : order->receipts) records_.booked_at.emplace(receipt.id.value, now);
    for (const Refund& refund : order->refunds)
      if (refund.state == RefundState::succeeded) records_.booked_at.emplace(refund.id.value, now);
    for (const Reversal& reversal : order->reversals)
      if (reversal.state == ReversalState::succeeded) records_.booked_at.emplace(reversal.id.value, now);
  });
  rows.unknown_receipts.each([&](const UnknownReceiptId& id, const auto&, const auto& receipt) {
    if (receipt) records_.booked_at.emplace(id.value, now);
  });
}

void StatementAuditor::look_at_statements(const WorkingSet& rows, Time now) {
  rows.statements.each([&](const StatementId& id, const auto& base, const auto& aggregate) {
    if (!aggregate || (base && base->statement.version == aggregate->statement.version)) return;
    const Statement& statement = aggregate->statement;
    records_.statements.insert_or_assign(id, *aggregate);
    if (statement.state == StatementState::matching) records_.claimed_at.emplace(id, now);
    const bool is_matched = statement.state == StatementState::matched;
    if (is_matched) records_.compared_at.emplace(id, now);
    if (is_matched || statement.state == StatementState::empty) records_.completed_at.emplace(id, now);
    const bool has_work =
        statement_machine.due_effect(statement.state) != StatementEffect::none || statement.is_fetched_again;
    findings_.require(statement.due_at.has_value() == has_work, kStatements, "{} is {} and {}due", to_text(id),
                      name_of(statement.state), statement.due_at ? "" : "not ");
  });
}

// Checks that a match is unique on both sides. Existing matches that a commit has read are not new.
void StatementAuditor::look_at_matches(const WorkingSet& rows, Time now) {
  rows.statement_matches.each([&](const std::int64_t& document, const auto& base, const auto& match) {
    if (!match || base) return;
    findings_.require(records_.matches.emplace(document, *match).second, kMatches, "{} is matched twice",
                      to_text(ObjectRef(match->document_type, document)));
    findings_.require(matched_lines_.insert(match->line).second, kMatches, "line {} of {} is matched twice",
                      match->line_no, to_text(match->statement_id));
    records_.matched_at.emplace(document, now);
  });
}

void StatementAuditor::look_at_differences(const WorkingSet& rows, Time now) {
  rows.differences.each([&](const DifferenceId& id, const auto& base, const auto& aggregate) {
    if (!aggregate || (base && base->difference.version == aggregate->difference.version)) return;
    const Difference& difference = aggregate->difference;
    records_.differences.insert_or_assign(id, *aggregate);
    records_.found_at.emplace(id, now);
    if (difference.state == DifferenceState::open) records_.opened_at.emplace(id, now);
    const std::int64_t expected = difference.state == DifferenceState::open ? 1 : 0;
    findings_.require(open_cases(*aggregate) == expected, kDifferences, "{} is {} with {} open cases", to_text(id),
                      name_of(difference.state), open_cases(*aggregate));
  });
}

// Checks that a compared statement counts each line once, and its matches.
void StatementAuditor::check_counts(const StatementAggregate& aggregate) {
  const Statement& statement = aggregate.statement;
  if (statement.state != StatementState::matched) return;
  // A refund that the books do not have yet is carried, as a document is that the statement does not contain.
  const std::int64_t counted = statement.matched + statement.repaired + statement.differences;
  const bool is_complete =
      counted == statement.lines || (statement.kind == StatementKind::funds && counted < statement.lines &&
                                     counted + statement.carried >= statement.lines);
  findings_.require(is_complete, kStatements, "{} has {} lines: {} matched, {} repaired, {} with a difference",
                    to_text(statement.id), statement.lines, statement.matched, statement.repaired,
                    statement.differences);
  const auto is_of_statement = [&](const auto& match) { return match.second.statement_id == statement.id; };
  const auto recorded = statement.kind == StatementKind::trades
                            ? std::ranges::count_if(records_.matches, is_of_statement)
                            : std::ranges::count_if(records_.funds_matches, is_of_statement);
  findings_.require(recorded == statement.recorded, kStatements, "{} counts {} matches, but has {}",
                    to_text(statement.id), statement.recorded, recorded);
}

// Checks that the totals of a compared statement are the sums of its file.
void StatementAuditor::check_totals(const StatementAggregate& aggregate, const StatementBook& book) {
  const Statement& statement = aggregate.statement;
  const ChannelFile* file = book.file(statement.sha256);
  if (statement.state != StatementState::matched || file == nullptr) return;
  std::map<Currency, StatementTotal> expected;
  for (const StatementSums& sums : file->sums) {
    expected[sums.currency].opening_balance = sums.opening_balance;
    expected[sums.currency].closing_balance = sums.closing_balance;
  }
  for (const StatementLine& line : file->lines) {
    StatementTotal& total = expected[line.currency];
    total.lines += 1;
    total.fee_e5 += line.fee_e5;
    const bool is_refund = line.kind == LineKind::refund;
    (line.amount < 0 ? total.debits : total.credits) += std::abs(line.amount);
    if (!is_refund && line.kind != LineKind::payment) continue;
    (is_refund ? total.refunds : total.payments) += 1;
    (is_refund ? total.refunded : total.paid) += line.amount;
  }
  findings_.require(aggregate.totals.size() == expected.size(), kStatements, "{} has {} totals, expected {}",
                    to_text(statement.id), aggregate.totals.size(), expected.size());
  for (const StatementTotal& total : aggregate.totals) {
    const StatementTotal& sum = expected[total.currency];
    const bool is_equal = total.lines == sum.lines && total.payments == sum.payments && total.paid == sum.paid &&
                          total.refunds == sum.refunds && total.refunded == sum.refunded &&
                          total.fee_e5 == sum.fee_e5 && total.credits == sum.credits && total.debits == sum.debits &&
                          total.opening_balance == sum.opening_balance && total.closing_balance == sum.closing_balance;
    findings_.require(is_equal, kStatements, "{} has the total {} of {} payments, its lines sum to {} of {}",
                      to_text(statement.id), total.paid, total.payments, sum.paid, sum.payments);
  }
}

// Checks that the approved resolution `adjust`, and no other, has posted the amount of the difference.
void StatementAuditor::check_adjustment(const DifferenceAggregate& aggregate) {
  const Difference& difference = aggregate.difference;
  const bool is_adjusted = std::ranges::any_of(
      aggregate.cases, [](const Case& row) { return row.approved_by && row.resolution == "adjust"; });
  const MinorUnits expected = is_adjusted ? difference.amount : 0;
  const auto posted = posted_.find(difference.id.value);
  const MinorUnits sum = posted == posted_.end() ? 0 : posted->second;
  findings_.require(sum == expected, kDifferences, "{} is {}: {} posted, {} expected", to_text(difference.id),
                    name_of(difference.state), sum, expected);
}

void StatementAuditor::ended(Reader& reader, const StatementBook& book) {
  for (const auto& [id, aggregate] : records_.statements) {
    const auto stored = reader.statement(id);
    const bool is_stored = stored && *stored && store::same_row(aggregate.statement, (*stored)->statement) &&
                           std::ranges::equal(aggregate.totals, (*stored)->totals,
                                              [](const auto& a, const auto& b) { return store::same_row(a, b); });
    findings_.require(is_stored, kStored, "{} differs from the last commit", to_text(id));
    check_counts(aggregate);
    check_totals(aggregate, book);
  }
  for (const auto& [id, aggregate] : records_.differences) {
    const auto stored = reader.difference(id);
    findings_.require(stored && *stored && store::same_row(aggregate.difference, (*stored)->difference), kStored,
                      "{} differs from the last commit", to_text(id));
    check_adjustment(aggregate);
  }
  StatementEndAudit(records_, book, upstream_, orders_, policy_, findings_).run();
  if (book.has_funds()) FundsEndAudit(records_, book, upstream_, orders_, policy_, findings_).run(reader);
}

}  // namespace finality::sim
