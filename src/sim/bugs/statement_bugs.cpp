#include "sim/bugs/statement_bugs.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <utility>

#include "base/time/date.h"
#include "sim/auditors/auditor.h"

namespace finality::sim {
namespace {

RecordDifference* difference_in(Command& command, DifferenceClass expected) {
  auto* record = std::get_if<RecordDifference>(&command);
  return record != nullptr && record->difference.difference_class == expected ? record : nullptr;
}

// Returns the receipt that the difference of the command is about, with its order, or nulls.
std::pair<const OrderAggregate*, const Receipt*> receipt_of(const RecordDifference& record, const Auditor& auditor) {
  const auto order = auditor.orders().orders().find(record.difference.order_id.value_or(OrderId{}));
  if (order == auditor.orders().orders().end()) return {nullptr, nullptr};
  return {&order->second, find_row(order->second.receipts, ReceiptId{record.difference.document_id})};
}

template <DifferenceClass kClass>
bool ignore_class(Command& command, const Auditor&) {
  return difference_in(command, kClass) == nullptr;
}

// Uses the time of the booking and the time zone of the server for the day of a missing payment.
bool date_by_booking(Command& command, const Auditor& auditor) {
  RecordDifference* record = difference_in(command, DifferenceClass::missing_at_channel);
  if (record == nullptr) return true;
  if (const Receipt* receipt = receipt_of(*record, auditor).second)
    record->difference.date = date_of(receipt->created_at, std::chrono::minutes(0));
  return true;
}

bool report_missing_again(Command& command, const Auditor&) {
  RecordDifference* record = difference_in(command, DifferenceClass::missing_at_channel);
  if (record == nullptr || record->event != DifferenceEvent::find) return true;
  record->known = DifferenceId{};
  record->subject += " again";
  return true;
}

bool report_missing_at_once(Command& command, const Auditor&) {
  RecordDifference* record = difference_in(command, DifferenceClass::missing_at_channel);
  if (record != nullptr && record->event == DifferenceEvent::carry) record->event = DifferenceEvent::find;
  return true;
}

bool leave_unknown_unbooked(Command& command, const Auditor&) {
  return !std::holds_alternative<RecordUnknownReceipt>(command);
}

bool close_when_found(Command& command, const Auditor&) {
  auto* record = std::get_if<RecordDifference>(&command);
  if (record != nullptr && record->event == DifferenceEvent::find) record->event = DifferenceEvent::repair;
  return true;
}

// Takes a payment without a line as refunded.
bool take_back_missing(Command& command, const Auditor& auditor) {
  const RecordDifference* record = difference_in(command, DifferenceClass::missing_at_channel);
  if (record == nullptr) return true;
  const auto [order, receipt] = receipt_of(*record, auditor);
  const Payment* payment = receipt != nullptr ? find_row(order->payments, receipt->payment_id) : nullptr;
  if (payment == nullptr) return true;
  Evidence evidence{.kind = EvidenceKind::paid,
                    .source = CauseKind::statement,
                    .asked_at = receipt->paid_at,
                    .channel_trade_no = receipt->channel_trade_no,
                    .amount = receipt->amount,
                    .currency = receipt->currency,
                    .refunded = receipt->amount};
  evidence.paid_at = receipt->paid_at;
  command = RecordEvidence{payment->merchant_id, payment->id, payment->channel, payment->out_trade_no, evidence};
  return true;
}

bool exchange_sides(Command& command, const Auditor&) {
  RecordDifference* record = difference_in(command, DifferenceClass::amount_mismatch);
  if (record == nullptr) return true;
  std::swap(record->difference.ours, record->difference.theirs);
  record->difference.amount = -record->difference.amount;
  return true;
}

bool report_missing_as_surplus(Command& command, const Auditor&) {
  if (RecordDifference* record = difference_in(command, DifferenceClass::missing_at_channel))
    record->difference.difference_class = DifferenceClass::unknown_receipt;
  return true;
}

bool ignore_surplus(Command& command, const Auditor&) {
  const auto* record = std::get_if<RecordDifference>(&command);
  return record == nullptr || record->event != DifferenceEvent::find || record->difference.amount <= 0;
}

bool accept_one_percent(Command& command, const Auditor&) {
  const RecordDifference* record = difference_in(command, DifferenceClass::amount_mismatch);
  if (record == nullptr) return true;
  return std::abs(record->difference.amount) * 100 > record->difference.ours.value_or(0);
}

bool skip_all(StatementLine&) { return false; }

bool skip_refunds(StatementLine& line) { return line.kind != LineKind::refund; }

bool ignore_type(StatementLine& line) {
  line.kind = LineKind::payment;
  return true;
}

bool shift_columns(StatementLine& line) {
  std::swap(line.out_trade_no, line.channel_trade_no);
  return true;
}

bool change_case(StatementLine& line) {
  const auto to_upper = [](char c) { return static_cast<char>(std::toupper(static_cast<unsigned char>(c))); };
  std::ranges::transform(line.out_trade_no, line.out_trade_no.begin(), to_upper);
  return true;
}

// Multiplies the major units as a floating-point number, and truncates: 0.29 becomes 28 minor units.
bool read_as_floating_point(StatementLine& line) {
  const double major = static_cast<double>(line.amount) / 100;
  line.amount = static_cast<MinorUnits>(major * 100);
  return true;
}

bool subtract_fee(StatementLine& line) {
  if (line.kind == LineKind::payment) line.amount -= line.fee_e5 / 1000;
  return true;
}

// Returns what the end of the comparison of a funds statement posts; null for another command.
FundsResult* postings_in(Command& command) {
  auto* step = std::get_if<StepStatement>(&command);
  return step != nullptr && step->event == StatementEvent::finish ? &step->funds : nullptr;
}

bool forget_withdrawals(Command& command, const Auditor&) {
  if (FundsResult* result = postings_in(command))
    std::erase_if(result->postings, [](const FundsPosting& one) { return one.kind == LineKind::withdrawal; });
  return true;
}

bool exchange_sign_of_fees(Command& command, const Auditor&) {
  if (FundsResult* result = postings_in(command))
    for (FundsPosting& one : result->postings)
      if (one.kind == LineKind::fee) one.amount = -one.amount;
  return true;
}

bool post_withdrawals_as_fees(Command& command, const Auditor&) {
  if (FundsResult* result = postings_in(command))
    for (FundsPosting& one : result->postings)
      if (one.kind == LineKind::withdrawal) one.kind = LineKind::fee;
  return true;
}

RecordMatches* matches_in(Command& command, StatementKind kind) {
  auto* record = std::get_if<RecordMatches>(&command);
  return record != nullptr && record->kind == kind && !record->lines.empty() ? record : nullptr;
}

// Matches the document of a second line again. A document has one match, so the second line has none.
bool match_again(Command& command, const Auditor&) {
  const RecordDifference* record = difference_in(command, DifferenceClass::duplicate_at_channel);
  if (record == nullptr) return true;
  const Difference& row = record->difference;
  if (row.kind != StatementKind::trades || !row.line || !row.statement_id) return true;
  RecordMatches match{.merchant_id = row.merchant_id,
                      .channel_account_id = row.channel_account_id,
                      .statement_id = *row.statement_id,
                      .kind = row.kind,
                      .lines = {}};
  match.lines.push_back({ObjectRef(row.document_type, row.document_id), *row.line, row.line_no});
  command = std::move(match);
  return true;
}

// Matches the first two lines of the command with the documents of each other, as if an empty or shorter number agreed.
bool match_each_other(Command& command, const Auditor&) {
  RecordMatches* record = matches_in(command, StatementKind::trades);
  if (record != nullptr && record->lines.size() > 1) std::swap(record->lines[0].document, record->lines[1].document);
  return true;
}

// Returns the merchant's first receipt over another channel account; null without one.
const Receipt* receipt_elsewhere(const Auditor& auditor, MerchantId merchant, ChannelAccountId account) {
  const Receipt* found = nullptr;
  for (const auto& [id, order] : auditor.orders().orders()) {
    if (order.order.merchant_id != merchant) continue;
    for (const Receipt& receipt : order.receipts) {
      const Payment* payment = find_row(order.payments, receipt.payment_id);
      const bool is_elsewhere =
          payment != nullptr && payment->channel_account_id.value != 0 && payment->channel_account_id != account;
      if (is_elsewhere && (found == nullptr || receipt.id.value < found->id.value)) found = &receipt;
    }
  }
  return found;
}

// Looks for the document of a line in the payments of all channels.
bool match_across_channels(Command& command, const Auditor& auditor) {
  RecordMatches* record = matches_in(command, StatementKind::trades);
  if (record == nullptr) return true;
  if (const Receipt* receipt = receipt_elsewhere(auditor, record->merchant_id, record->channel_account_id))
    record->lines.front().document = receipt->id;
  return true;
}

// Matches the second document of the command with the first line. The store refuses the same line twice, so the
// identity differs in one bit.
bool match_two_documents(Command& command, const Auditor&) {
  RecordMatches* record = matches_in(command, StatementKind::funds);
  if (record == nullptr || record->lines.size() < 2) return true;
  const ObjectRef document = record->lines[1].document;
  record->lines[1] = record->lines[0];
  record->lines[1].document = document;
  record->lines[1].line[0] ^= 1;
  return true;
}

// Matches the other entry of the journal with the line too.
bool match_two_entries(Command& command, const Auditor&) {
  RecordMatches* record = matches_in(command, StatementKind::bank);
  if (record == nullptr) return true;
  MatchedLine second = record->lines.front();
  second.document = EntryId{second.document.value + 1};
  second.line[0] ^= 1;
  record->lines.push_back(second);
  return true;
}

bool forget_end(Command& command, const Auditor&) {
  auto* record = std::get_if<RecordDifference>(&command);
  if (record != nullptr && record->event == DifferenceEvent::repair) record->difference.ended_at.reset();
  return true;
}

bool change_balance_twice(Command& command, const Auditor&) {
  auto* record = std::get_if<RecordDifference>(&command);
  if (record != nullptr && record->difference.kind == StatementKind::trades) record->difference.changes_balance = true;
  return true;
}

template <DifferenceClass kClass, StatementKind kKind>
bool ignore_class_of(Command& command, const Auditor&) {
  const RecordDifference* record = difference_in(command, kClass);
  return record == nullptr || record->difference.kind != kKind;
}

constexpr Bug kBugs[] = {
    {.name = "a second line of a payment is overlooked",
     .statement_command = ignore_class<DifferenceClass::duplicate_at_channel>},
    {.name = "another amount of a line is overlooked",
     .statement_command = ignore_class<DifferenceClass::amount_mismatch>},
    {.name = "another fee of a line is overlooked", .statement_command = ignore_class<DifferenceClass::cost_mismatch>},
    {.name = "a withdrawn line is overlooked", .statement_command = ignore_class<DifferenceClass::line_withdrawn>},
    {.name = "a missing payment has the day of its booking", .statement_command = date_by_booking},
    {.name = "a missing payment is reported again", .statement_command = report_missing_again},
    {.name = "a missing payment is reported at once", .statement_command = report_missing_at_once},
    {.name = "a missing payment is taken for refunded", .statement_command = take_back_missing},
    {.name = "a missing payment is reported as surplus", .statement_command = report_missing_as_surplus},
    {.name = "an unknown payment of a statement is not booked", .statement_command = leave_unknown_unbooked},
    {.name = "a difference is closed when it is found", .statement_command = close_when_found},
    {.name = "the sides of a difference are exchanged", .statement_command = exchange_sides},
    {.name = "a surplus is no difference", .statement_command = ignore_surplus},
    {.name = "an amount within one percent agrees", .statement_command = accept_one_percent},
    {.name = "lines are not compared because the sums agree", .statement_line = skip_all},
    {.name = "refunds of a statement are not compared", .statement_line = skip_refunds},
    {.name = "a line is matched by its number without its type", .statement_line = ignore_type},
    {.name = "the columns of a line are shifted", .statement_line = shift_columns},
    {.name = "the amount of a line is net of the fee", .statement_line = subtract_fee},
    {.name = "the amount of a line is a floating-point number", .statement_line = read_as_floating_point},
    {.name = "the numbers of a line have another case", .statement_line = change_case},
    {.name = "a line without a fee ends the comparison", .ends_without_fee = true},
    {.name = "a payment agrees with a second line too", .statement_command = match_again},
    {.name = "a line agrees with a document of another number", .statement_command = match_each_other},
    {.name = "a line agrees with a payment over another channel", .statement_command = match_across_channels},
    {.name = "a second version posts the fees of a funds statement again",
     .forgets_versions = true,
     .needs_funds = true},
    {.name = "a withdrawal is not posted", .statement_command = forget_withdrawals, .needs_funds = true},
    {.name = "a withdrawal is posted as a fee", .statement_command = post_withdrawals_as_fees, .needs_funds = true},
    {.name = "a fee has the wrong sign", .statement_command = exchange_sign_of_fees, .needs_funds = true},
    {.name = "a line of a funds statement has two documents",
     .statement_command = match_two_documents,
     .needs_funds = true},
    {.name = "a line of a bank has two entries", .statement_command = match_two_entries, .needs_funds = true},
    {.name = "an open line is not compared again", .reads_no_other_day = true, .needs_funds = true},
    {.name = "the end of a difference has no time", .statement_command = forget_end, .needs_funds = true},
    {.name = "the differences of both statements change the balance",
     .statement_command = change_balance_twice,
     .needs_funds = true},
    {.name = "a line of a funds statement without a document is overlooked",
     .statement_command = ignore_class_of<DifferenceClass::funds_line_unknown, StatementKind::funds>,
     .needs_funds = true},
    {.name = "a payment that a funds statement lacks is overlooked",
     .statement_command = ignore_class_of<DifferenceClass::trade_without_funds, StatementKind::funds>,
     .needs_funds = true},
    {.name = "a line of a bank without an entry is overlooked",
     .statement_command = ignore_class_of<DifferenceClass::funds_line_unknown, StatementKind::bank>,
     .needs_funds = true},
    {.name = "an entry that a bank does not list is overlooked",
     .statement_command = ignore_class_of<DifferenceClass::trade_without_funds, StatementKind::bank>,
     .needs_funds = true},
};

}  // namespace

std::span<const Bug> statement_bugs() { return kBugs; }

}  // namespace finality::sim
