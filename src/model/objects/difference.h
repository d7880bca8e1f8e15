// Difference (对账差异): something that a statement reports and the books do not, or the reverse. Each line and each
// document has at most one difference about its money. A line can have others: about its fee or discount, and one for
// each further day that lists it. A difference ends when the books are repaired, when a later statement matches, or
// when operators resolve its case.
#pragma once

#include <optional>
#include <string>

#include "base/crypto/crypto.h"
#include "base/money.h"
#include "base/time/time.h"
#include "fsm/table.h"
#include "model/ids.h"
#include "model/objects/statement.h"
#include "model/row.h"

namespace finality {

/// The classes of the contract, in the order in which they are reported if several apply to a line.
enum class DifferenceClass : std::uint8_t {
  unknown_receipt,     // a payment at the channel that the books do not have (长款)
  late_status,         // the channel has a payment as paid that the books do not have as paid
  missing_at_channel,  // a payment or refund in the books that no statement lists (短款)
  amount_mismatch,
  currency_mismatch,
  discount_mismatch,
  cost_mismatch,         // the channel's fee differs from its rate (channel_rates)
  duplicate_at_channel,  // a second line for the same document
  refund_status,         // a refund ended differently in the books
  external_refund,       // a refund at the channel that the books do not have
  day_cut,               // found in the statement of another day
  funds_line_unknown,    // a change of the balance of a kind that cannot be posted
  trade_without_funds,   // a payment or refund without a change of the balance
  balance_break,         // the opening balance is not the closing balance of the day before
  statement_missing,     // the channel has not provided a statement, or it cannot be compared
  identity_conflict,     // the numbers of a line name different documents
  line_withdrawn,        // a line of an earlier version that the newest version does not contain
};
BOOST_DESCRIBE_ENUM(DifferenceClass, unknown_receipt, late_status, missing_at_channel, amount_mismatch,
                    currency_mismatch, discount_mismatch, cost_mismatch, duplicate_at_channel, refund_status,
                    external_refund, day_cut, funds_line_unknown, trade_without_funds, balance_break, statement_missing,
                    identity_conflict, line_withdrawn)

enum class DifferenceState : std::uint8_t {
  open,      // operators must resolve it; it has a case
  carried,   // it can still appear in the statement of a later day
  repaired,  // the books now agree: evidence from the line was booked, or a later line matched
  resolved,  // operators resolved its case
};
BOOST_DESCRIBE_ENUM(DifferenceState, open, carried, repaired, resolved)

enum class DifferenceEvent : std::uint8_t {
  find,     // found; operators must resolve it
  carry,    // found; a later statement can still contain the line
  repair,   // the books agree now
  resolve,  // two operators resolved the case
};
BOOST_DESCRIBE_ENUM(DifferenceEvent, find, carry, repair, resolve)

enum class DifferenceEffect : std::uint8_t { none };
BOOST_DESCRIBE_ENUM(DifferenceEffect, none)

struct Difference {
  DifferenceId id;
  MerchantId merchant_id;  // merchant of the document; the platform if the document is unknown
  ChannelAccountId channel_account_id;
  StatementKind kind = StatementKind::trades;  // of the statement that was compared
  std::string date;                            // day of the statement, or of the missing statement
  DifferenceClass difference_class = DifferenceClass::unknown_receipt;
  std::string also;  // further classes that apply, space separated
  DifferenceState state = DifferenceState::open;
  std::optional<OrderId> order_id;
  ObjectType document_type = ObjectType::receipt;  // of the document; meaningless if document_id is 0
  std::int64_t document_id = 0;             // receipt, refund, reversal, … that differs; 0 if there is no document
  std::optional<StatementId> statement_id;  // statement that contains the line
  std::int64_t line_no = 0;                 // 0 if there is no line
  std::optional<Hash16> line;        // identity of the line in all versions (key_of_line()); empty without a line
  std::optional<MinorUnits> ours;    // amount in the books
  std::optional<MinorUnits> theirs;  // amount of the line
  MinorUnits amount = 0;             // what the channel has more than the books, in minor units
  Currency currency;
  std::string subject;           // numbers and status of the line or document, for operators
  bool changes_balance = false;  // whether the balance at the channel or bank differs from the books by `amount`
  std::int64_t missed = 0;       // `carried`: complete statements since, that did not contain the line
  ObjectType repaired_by_type = ObjectType::receipt;  // of repaired_by_id; meaningless if that is 0
  std::int64_t repaired_by_id = 0;                    // object that repaired the books; 0 if none
  std::optional<Time> ended_at;  // when the books agreed: the time of the entry that made them agree
  Time created_at;
  std::int64_t children = 0;  // bit set of the child types with rows, computed by presence_of()
  std::int64_t version = 1;
};
BOOST_DESCRIBE_STRUCT(Difference, (),
                      (id, merchant_id, channel_account_id, kind, date, difference_class, also, state, order_id,
                       document_type, document_id, statement_id, line_no, line, ours, theirs, amount, currency, subject,
                       changes_balance, missed, repaired_by_type, repaired_by_id, ended_at, created_at, children,
                       version))
FINALITY_ROW(Difference, "differences", root, "id",
             "merchant_id channel_account_id kind date difference_class also order_id document_type document_id "
             "statement_id line_no line ours theirs amount currency subject created_at",
             .about = "something that a statement and the books have differently (对账差异)")

inline constexpr auto difference_machine = [] {
  using enum DifferenceState;
  using E = DifferenceEvent;
  using namespace fsm;
  constexpr auto open_case = Actions::open_case;
  Table<DifferenceState, DifferenceEvent, DifferenceEffect> t{.name = "difference", .title = "对账差异"};
  t.initial(carried);
  t.final_state(repaired);
  t.final_state(resolved);
  // clang-format off
  //                open               carried                   repaired  resolved
  t.on(E::find,    {keep,              move_to(open) + open_case, keep,    keep});
  t.on(E::carry,   {keep,              keep,                     keep,     keep});
  t.on(E::repair,  {move_to(repaired), move_to(repaired),        keep,     keep});
  t.on(E::resolve, {move_to(resolved), refuse,                   refuse,   keep});
  // clang-format on
  return t;
}();
constexpr const auto& machine_of(DifferenceState) { return difference_machine; }

}  // namespace finality
