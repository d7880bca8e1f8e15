#include "worker/statements/statement_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "base/limits.h"

namespace finality {
namespace {

std::string text_of(const StatementLine& line) {
  return fmt::format("{} {} out_trade_no {} trade {} refund {} {}", name_of(line.kind), name_of(line.status),
                     line.out_trade_no, line.channel_trade_no,
                     line.out_refund_no.empty() ? line.channel_refund_no : line.out_refund_no, line.text);
}

}  // namespace

Difference difference_about(const StatementLine& line, const Statement& statement) {
  Difference row;
  row.merchant_id = kPlatform;
  row.channel_account_id = statement.channel_account_id;
  row.kind = statement.kind;
  row.date = statement.date;
  row.statement_id = statement.id;
  row.line_no = line.line_no;
  row.theirs = line.amount;
  row.currency = line.currency;
  row.subject = text_of(line);
  return row;
}

bool has_funds(const StatementPlan& plan) { return plan.can_download(StatementKind::funds); }

bool is_confirmed(const Difference& of_trades) {
  return of_trades.changes_balance && of_trades.state != DifferenceState::repaired;
}

bool needs_line(const Entry& entry) {
  return entry.document_type != ObjectType::difference && entry.type != EntryType::opening_balance_credited &&
         entry.type != EntryType::opening_balance_debited;
}

// Differences of funds statements can also name an entry that takes back a payment.
bool holds_order(const Difference& difference) {
  constexpr ObjectType kDocuments[] = {ObjectType::receipt, ObjectType::refund, ObjectType::reversal,
                                       ObjectType::money_return};
  return difference.document_id != 0 && difference.kind != StatementKind::bank &&
         std::ranges::find(kDocuments, difference.document_type) != std::end(kDocuments);
}

Result<std::vector<FundsMatch>> funds_matches_of(const MatchTask& task) {
  std::vector<StatementId> ids(task.earlier.begin(), task.earlier.end());
  ids.push_back(task.statement.id);
  std::vector<FundsMatch> all;
  for (const StatementId id : ids) {
    auto matches = task.reader.funds_matches(id, limits::kStatementLinesMax);
    if (!matches) return matches;
    std::ranges::move(*matches, std::back_inserter(all));
  }
  return all;
}

Result<bool> end_withdrawn(DifferenceRecorder& differences, const Difference& withdrawn, const std::string& subject) {
  auto known = differences.find(withdrawn.merchant_id, subject);
  if (!known) return std::unexpected(known.error());
  if (!*known || (*known)->amount != -withdrawn.amount || (*known)->date != withdrawn.date) return false;
  const ObjectRef newest = *withdrawn.statement_id;
  if (difference_machine.is_final((*known)->state))
    return ObjectRef((*known)->repaired_by_type, (*known)->repaired_by_id) == newest;
  const auto ended = differences.record(std::move(**known), subject, DifferenceEvent::repair, newest);
  return ended ? Result<bool>(true) : std::unexpected(ended.error());
}

std::string withdrawn_subject_of(const std::string& subject) { return "withdrawn " + subject; }

bool is_ended_by_earlier(const Difference& difference, const MatchTask& task) {
  return difference.state == DifferenceState::repaired && difference.repaired_by_type == ObjectType::statement &&
         std::ranges::find(task.earlier, StatementId{difference.repaired_by_id}) != task.earlier.end();
}

Result<void> record_found(DifferenceRecorder& differences, const MatchTask& task, Difference row,
                          const std::string& subject, DifferenceEvent event) {
  const auto known = differences.find(row.merchant_id, subject);
  if (!known) return std::unexpected(known.error());
  if (*known && is_ended_by_earlier(**known, task)) return differences.record_again(std::move(row), subject, event);
  if (*known) row.id = (*known)->id;
  return differences.record(std::move(row), subject, event);
}

Result<void> end_returned(DifferenceRecorder& differences, const MatchTask& task, const StatementLine& line,
                          const Hash16& key) {
  const std::string subject = withdrawn_subject_of(funds_subject_of(key));
  for (const MerchantId merchant : std::set{merchant_of(line).value_or(kPlatform), kPlatform})
    if (auto ended = differences.end(merchant, subject, std::nullopt, task.statement.id); !ended) return ended;
  return {};
}

Result<void> record_withdrawn(DifferenceRecorder& differences, const MatchTask& task, const StatementLine& line,
                              const Hash16& key) {
  if (line.amount == 0) return {};
  Difference row = difference_about(line, task.statement);
  row.difference_class = DifferenceClass::line_withdrawn;
  row.line_no = 0;
  row.line = key;
  row.amount = -line.amount;
  row.changes_balance = true;
  for (const MerchantId merchant : {merchant_of(line).value_or(kPlatform), kPlatform}) {
    row.merchant_id = merchant;
    for (const std::string& subject : {funds_subject_of_repetition(row.date, key), funds_subject_of(key)}) {
      const auto ended = end_withdrawn(differences, row, subject);
      if (!ended) return std::unexpected(ended.error());
      if (*ended) return {};
    }
  }
  return record_found(differences, task, std::move(row), withdrawn_subject_of(funds_subject_of(key)),
                      DifferenceEvent::find);
}

}  // namespace finality
