#include "statement_corruptions.h"

#include "damage.h"

namespace finality::audit {
namespace {

std::string statement(const std::string& date) {
  return fmt::format("(SELECT id FROM statements WHERE date='{}' AND kind='trades')", date);
}
std::string funds_statement(const std::string& state = "matched") {
  return fmt::format("(SELECT id FROM statements WHERE kind='funds' AND state='{}')", state);
}
std::string difference(const std::string& subject) {
  return fmt::format("(SELECT id FROM differences WHERE subject='{}')", subject);
}

void damage_files_and_totals(std::vector<Corruption>& list) {
  const std::string matched = statement("2034-09-20");
  const std::string received = statement("2034-09-19");
  list.push_back({"StatementDeleted",
                  remove("statements", received),
                  {{kStepRow, "statement", received}, {kStepRoot, "statement", received}}});
  list.push_back({"StatementForgotten",
                  set("statements", statement("2034-09-16"), "due_at=NULL"),
                  {{kStatementDue, "statement", statement("2034-09-16")}}});
  list.push_back(
      {"MatchedStatementDue", set("statements", matched, "due_at=1"), {{kStatementDue, "statement", matched}}});
  list.push_back({"PartOfAFileDeleted",
                  fmt::format("DELETE FROM statement_parts WHERE statement_id={} AND part_no=1;", received),
                  {{kStatementFile, "statement", received}}});
  list.push_back({"PartWithoutItsStatement",
                  fmt::format("UPDATE statement_parts SET part_no=9 WHERE statement_id={} AND part_no=1;", received),
                  {{kStatementFile, "statement", received}, {kPartOfFile, "statement", received}}});
  list.push_back({"PartOfAnIndexDeleted",
                  fmt::format("DELETE FROM statement_parts WHERE statement_id={} AND part_no=-2;", received),
                  {{kStatementIndex, "statement", received}}});
  list.push_back({"StatementTotalChanged",
                  fmt::format("UPDATE statement_totals SET lines=lines+1 WHERE statement_id={};", matched),
                  {{kStatementTotals, "statement", matched}}});
  const std::string total = fmt::format("(SELECT min(id) FROM statement_totals WHERE statement_id={})", matched);
  list.push_back({"TotalWithMorePaymentsThanLines",
                  set("statement_totals", total, "payments=lines+1"),
                  {{kTotalOfStatement, "statement_total", total}}});
  list.push_back({"StatementTotalDeleted",
                  fmt::format("DELETE FROM statement_totals WHERE statement_id={};", matched),
                  {{kStatementTotals, "statement", matched}, {kStatementChildren, "statement", matched}}});
  list.push_back({"StatementMatchedOnPaper",
                  set("statements", received, "state='matched', due_at=NULL"),
                  {{kState, "statement", received}}});
  list.push_back({"StatementVersionSkipped",
                  set("statements", matched, "version=version+1"),
                  {{kRootVersion, "statement", matched}}});
  list.push_back({"StatementOfABankByAChannel",
                  set("statements", statement("2034-09-16"), "kind='bank'"),
                  {{kStatementSort, "statement", statement("2034-09-16")}}});
  list.push_back({"StatementKeyDeleted",
                  fmt::format("DELETE FROM keys WHERE id={};", matched),
                  {{kStatementKey, "statement", matched}}});
}

void damage_matches(std::vector<Corruption>& list) {
  const std::string matched = statement("2034-09-20");
  const std::string match = "(SELECT min(document_id) FROM statement_matches)";
  list.push_back({"MatchDeleted",
                  fmt::format("DELETE FROM statement_matches WHERE document_id={};", match),
                  {{kStatementMatches, "statement", matched}}});
  list.push_back({"MatchOfAnotherMerchant",
                  fmt::format("UPDATE statement_matches SET merchant_id=1 WHERE document_id={};", match),
                  {{kMatchDocument, "match", match}}});
  list.push_back({"MatchOverAnotherAccount",
                  fmt::format("UPDATE statement_matches SET channel_account_id={} WHERE document_id={};",
                              channel_account("old"), match),
                  {{kMatchDocument, "match", match}}});
}

void damage_funds(std::vector<Corruption>& list) {
  const std::string funds = funds_statement();
  const std::string match = "(SELECT min(document_id) FROM funds_matches)";
  list.push_back({"FundsMatchDeleted",
                  fmt::format("DELETE FROM funds_matches WHERE document_id={};", match),
                  {{kStatementMatches, "statement", funds}}});
  list.push_back({"MatchOfAnEmptyDayDeleted",
                  set("statements", funds_statement("empty"), "recorded=1"),
                  {{kStatementMatches, "statement", funds_statement("empty")}}});
  list.push_back({"FundsMatchOfAnotherAmount",
                  fmt::format("UPDATE funds_matches SET amount=amount+1 WHERE document_id={};", match),
                  {{kFundsMatch, "match", match}}});
  list.push_back({"FundsMatchOfAnotherMerchant",
                  fmt::format("UPDATE funds_matches SET merchant_id=1 WHERE document_id={};", match),
                  {{kFundsMatch, "match", match}}});
  const std::string fee = "(SELECT id FROM statement_movements WHERE kind='fee')";
  const std::string journal = "(SELECT journal_id FROM statement_movements WHERE kind='fee')";
  list.push_back({"MovementOfAnotherAmount",
                  set("statement_movements", fee, "amount=amount-1"),
                  {{kMovementOfStatement, "statement_movement", fee},
                   {kPosted, "statement", funds},
                   {kHappened, "entry", journal}}});
  list.push_back({"MovementWithoutItsJournal",
                  set("statement_movements", fee, "journal_id=NULL"),
                  {{kHappened, "entry", journal}}});
  list.push_back({"MovementDeleted",
                  "DELETE FROM statement_movements WHERE kind='payment';",
                  {{kMovementsCount, "statement", funds}}});
}

void damage_differences(std::vector<Corruption>& list) {
  const std::string open = difference("line open");
  const std::string kept = difference("line kept");
  const std::string adjusted = difference("line adjusted");
  list.push_back({"DifferenceDeleted",
                  remove("differences", open),
                  {{kStepRow, "difference", open}, {kStepRoot, "difference", open}, {kKeyNames, "key", open}}});
  list.push_back({"DifferenceRepairedOnPaper",
                  set("differences", open, "state='repaired'"),
                  {{kState, "difference", open}, {kDifferenceCase, "difference", open}}});
  list.push_back({"DifferenceResolvedOnPaper",
                  set("differences", open, "state='resolved'"),
                  {{kState, "difference", open}, {kDifferenceDecided, "difference", open}}});
  list.push_back({"DifferenceResolvedByOneOperator",
                  fmt::format("UPDATE cases SET approved_by=proposed_by WHERE root_id={};", kept),
                  {{kCaseTwoKeys, "exception_case", case_of_root(kept)}}});
  list.push_back({"CaseOfADifferenceDeleted",
                  fmt::format("DELETE FROM cases WHERE root_id={};", open),
                  {{kDifferenceCase, "difference", open}, {kDifferenceChildren, "difference", open}}});
  list.push_back({"AdjustedAmountChanged",
                  set("differences", adjusted, "amount=amount+1"),
                  {{kDifferencePosted, "difference", adjusted}, {kPosted, "difference", adjusted}}});
  list.push_back({"AdjustmentPostedByKeep",
                  fmt::format("UPDATE cases SET resolution='keep' WHERE root_id={};", adjusted),
                  {{kDifferencePosted, "difference", adjusted}}});
  list.push_back({"DifferenceKeyDeleted",
                  fmt::format("DELETE FROM keys WHERE id={};", open),
                  {{kDifferenceKey, "difference", open}}});
}

}  // namespace

void damage_statements(std::vector<Corruption>& list) {
  damage_files_and_totals(list);
  damage_matches(list);
  damage_funds(list);
  damage_differences(list);
}

}  // namespace finality::audit
