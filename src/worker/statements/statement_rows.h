// What the comparisons of all kinds of statements share: differences about a line, and their subjects.
#pragma once

#include <string>
#include <vector>

#include "channel/statements.h"
#include "decide/statement/compare_line.h"
#include "model/objects/difference.h"
#include "model/objects/entry.h"
#include "worker/statements/difference_recorder.h"
#include "worker/statements/match_task.h"

namespace finality {

/// Returns a difference about a line of the statement, with all that follows from the line: the caller adds the class,
/// the document, the amount and the merchant.
Difference difference_about(const StatementLine& line, const Statement& statement);

/// Whether only a funds statement shows the balance at the channel. Differences of its statements of trades then do not
/// change the balance.
bool has_funds(const StatementPlan& plan);

/// Whether a funds statement has confirmed the difference of a statement of trades, which then changes the balance, and
/// no newer version of the funds statement has ended it.
bool is_confirmed(const Difference& of_trades);

/// Whether a funds or bank statement must contain a line for the entry. Opening balances, and the differences that
/// operators adjusted, have none.
bool needs_line(const Entry& entry);

/// Whether the order of the difference's document cannot be archived before the difference ends: it is about a payment,
/// refund or return, in a statement of trades or of funds.
bool holds_order(const Difference& difference);

/// Reads the matches that were recorded for a funds or bank statement and for its earlier versions.
Result<std::vector<FundsMatch>> funds_matches_of(const MatchTask& task);

/// Ends the difference about a line of an earlier version that the newest version, `withdrawn.statement_id`, does not
/// contain, if the two amounts cancel each other: nothing is left to resolve. `withdrawn` is the difference to record
/// otherwise, of the same merchant. Returns whether there was such a difference, also if an earlier run has ended it.
Result<bool> end_withdrawn(DifferenceRecorder& differences, const Difference& withdrawn, const std::string& subject);

/// Returns the subject of the difference about a line that the newest version does not contain. `subject`: of a
/// difference about the line.
std::string withdrawn_subject_of(const std::string& subject);

/// Whether an earlier version of the statement has ended the difference. This version can show it again.
bool is_ended_by_earlier(const Difference& difference, const MatchTask& task);

/// Records a difference that this version of a statement shows. If an earlier version has ended the one about the
/// subject, this version shows it again, and it is recorded again.
Result<void> record_found(DifferenceRecorder& differences, const MatchTask& task, Difference row,
                          const std::string& subject, DifferenceEvent event);

/// Records that the newest version of a funds or bank statement does not contain the line of an earlier version, or
/// ends the difference about that line (end_withdrawn()).
Result<void> record_withdrawn(DifferenceRecorder& differences, const MatchTask& task, const StatementLine& line,
                              const Hash16& key);
/// Ends the difference of record_withdrawn(): this version contains the line again.
Result<void> end_returned(DifferenceRecorder& differences, const MatchTask& task, const StatementLine& line,
                          const Hash16& key);

}  // namespace finality
