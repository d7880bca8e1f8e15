// Statement (对账单): the file in which a channel or a bank lists the movements of one day. Due for each channel
// account and kind, downloaded or uploaded, stored as received, and compared with the books line by line
// (docs/adr/0042-statements-are-evidence.md).
#pragma once

#include <optional>
#include <string>

#include "base/bytes.h"
#include "base/crypto/crypto.h"
#include "base/money.h"
#include "base/time/time.h"
#include "fsm/table.h"
#include "model/ids.h"
#include "model/objects/merchant.h"
#include "model/row.h"

namespace finality {

/// What a statement lists: payments and refunds, every change of our balance at the channel, or a bank account.
enum class StatementKind : std::uint8_t { trades, funds, bank };
BOOST_DESCRIBE_ENUM(StatementKind, trades, funds, bank)

/// What a line reports. Statements of trades contain only the first two; statements of funds and of banks contain all.
enum class LineKind : std::uint8_t {
  payment,
  refund,           // includes reversals: the channel does not distinguish them
  fee,              // kept by the channel
  fee_returned,     // for example for a refund
  refund_returned,  // money of a refund that the payer's side returned (退票)
  withdrawal,       // from our account at the channel to a bank account
  top_up,           // from a bank account to our account at the channel
  adjustment,       // by the channel, for example a penalty
  bank_credit,      // money that a bank account received
  bank_debit,       // money that left a bank account
  other,            // a kind that the adapter does not know
};
BOOST_DESCRIBE_ENUM(LineKind, payment, refund, fee, fee_returned, refund_returned, withdrawal, top_up, adjustment,
                    bank_credit, bank_debit, other)

/// Lines that we fetched over the authenticated interface of the channel are evidence; uploaded lines are claims.
enum class StatementSource : std::uint8_t { fetched, uploaded };
BOOST_DESCRIBE_ENUM(StatementSource, fetched, uploaded)

enum class StatementState : std::uint8_t {
  expected,     // the channel should have the statement, but we have not
  downloading,  // a server is downloading it
  received,     // the file is stored
  matching,     // a server is comparing its lines with the books
  matched,      // each line has a match or a difference
  rejected,     // the server cannot read the file, or its totals are wrong; `failure` states the reason
  empty,        // the channel reports that nothing happened on that day
};
BOOST_DESCRIBE_ENUM(StatementState, expected, downloading, received, matching, matched, rejected, empty)

enum class StatementEvent : std::uint8_t {
  fetch,         // a server starts to download the statement
  not_ready,     // the channel has no statement yet, or the download or the comparison failed
  report_empty,  // the channel reports that nothing happened on that day
  receive,       // the file is stored; a rejected file was received again
  match,         // a server starts to compare the lines
  finish,        // all lines are compared
  reject,        // the file cannot be used
};
BOOST_DESCRIBE_ENUM(StatementEvent, fetch, not_ready, report_empty, receive, match, finish, reject)

/// The effect that a due statement produces.
enum class StatementEffect : std::uint8_t { none, download, match };
BOOST_DESCRIBE_ENUM(StatementEffect, none, download, match)

/// (channel_account_id, kind, funds_account, date, file_version) is unique.
struct Statement {
  StatementId id;
  MerchantId merchant_id = kPlatform;  // owner of the row; always the platform
  ChannelAccountId channel_account_id;
  std::string channel;  // NAME of the channel account
  StatementKind kind = StatementKind::trades;
  std::string funds_account;      // account at the channel that a `funds` statement lists; empty if there is only one
  std::string date;               // YYYY-MM-DD, a day in the time zone of the channel
  std::int64_t file_version = 1;  // counts the different files of one day
  StatementSource source = StatementSource::fetched;
  StatementState state = StatementState::expected;
  std::string sha256;            // hash of the file as received, in hexadecimal; empty without a file
  std::int64_t bytes = 0;        // size of the file as received
  std::int64_t parts = 0;        // number of parts of the file
  std::int64_t index_parts = 0;  // number of parts of the index of its lines; 0: the lines are not indexed yet
  std::int64_t lines = 0;        // number of lines; 0 until they are counted
  // Number of lines by result; set when the statement becomes `matched`.
  std::int64_t matched = 0;
  std::int64_t repaired = 0;
  std::int64_t carried = 0;
  std::int64_t differences = 0;
  std::int64_t recorded = 0;  // number of matches with this statement_id; others were recorded by earlier versions
  std::optional<std::string> failure;  // why the last download or comparison failed
  std::int64_t tries = 0;              // downloads since the statement was expected
  bool is_fetched_again = false;       // an operator asked to fetch it again, to find a newer version
  std::optional<Time> due_at;
  std::optional<Time> received_at;
  Time created_at;
  std::int64_t children = 0;  // bit set of the child types with rows, computed by presence_of()
  std::int64_t version = 1;
};
BOOST_DESCRIBE_STRUCT(Statement, (),
                      (id, merchant_id, channel_account_id, channel, kind, funds_account, date, file_version, source,
                       state, sha256, bytes, parts, index_parts, lines, matched, repaired, carried, differences,
                       recorded, failure, tries, is_fetched_again, due_at, received_at, created_at, children, version))
FINALITY_ROW(Statement, "statements", root, "id",
             "merchant_id channel_account_id channel kind funds_account date file_version created_at",
             .about = "a statement (对账单) of a channel or a bank: the movements of one day")

inline constexpr auto statement_machine = [] {
  using enum StatementState;
  using E = StatementEvent;
  using namespace fsm;
  Table<StatementState, StatementEvent, StatementEffect> t{.name = "statement", .title = "对账单"};
  t.initial(expected);
  t.state(expected, StatementEffect::download);
  t.state(downloading, StatementEffect::download);
  t.state(received, StatementEffect::match);
  t.state(matching, StatementEffect::match);
  t.final_state(matched);
  // clang-format off
  //                    expected              downloading        received           matching           matched  rejected           empty
  t.on(E::fetch,        {move_to(downloading), keep,              keep,              keep,              keep,    keep,              keep});
  t.on(E::not_ready,    {refuse,               move_to(expected), keep,              keep,              keep,    keep,              keep});
  t.on(E::report_empty, {refuse,               move_to(empty),    refuse,            refuse,            refuse,  refuse,            keep});
  t.on(E::receive,      {move_to(received),    move_to(received), refuse,            refuse,            refuse,  move_to(received), move_to(received)});
  t.on(E::match,        {refuse,               refuse,            move_to(matching), keep,              keep,    refuse,            refuse});
  t.on(E::finish,       {refuse,               refuse,            refuse,            move_to(matched),  keep,    refuse,            refuse});
  t.on(E::reject,       {refuse,               refuse,            move_to(rejected), move_to(rejected), refuse,  keep,              refuse});
  // clang-format on
  return t;
}();
constexpr const auto& machine_of(StatementState) { return statement_machine; }

/// Counts and sums of a statement in one currency (StatementSums).
struct StatementTotal {
  StatementTotalId id;
  StatementId statement_id;
  MerchantId merchant_id = kPlatform;
  Currency currency;
  std::int64_t lines = 0;
  std::int64_t payments = 0;
  MinorUnits paid = 0;
  std::int64_t refunds = 0;
  MinorUnits refunded = 0;
  std::int64_t fee_e5 = 0;
  MinorUnits credits = 0;
  MinorUnits debits = 0;
  std::optional<MinorUnits> opening_balance;
  std::optional<MinorUnits> closing_balance;
};
BOOST_DESCRIBE_STRUCT(StatementTotal, (),
                      (id, statement_id, merchant_id, currency, lines, payments, paid, refunds, refunded, fee_e5,
                       credits, debits, opening_balance, closing_balance))
FINALITY_ROW(StatementTotal, "statement_totals", child, "statement_id id",
             "merchant_id currency lines payments paid refunds refunded fee_e5 credits debits opening_balance "
             "closing_balance",
             .about = "counts and sums of a statement in one currency", .parent = "statement_id", .presence = 1)

/// The lines of one kind of a funds or bank statement, by the day on which the books have them. Lines that the books do
/// not have are differences and are not counted here.
struct StatementMovement {
  StatementMovementId id;
  StatementId statement_id;
  MerchantId merchant_id = kPlatform;
  Currency currency;
  LineKind kind = LineKind::payment;
  std::string booked_on;  // YYYY-MM-DD, day of the entries in the time zone of the channel
  std::int64_t lines = 0;
  MinorUnits amount = 0;              // sum of the lines: what they changed the balance by
  std::optional<EntryId> journal_id;  // journal that this statement posted for the lines; empty: booked otherwise
};
BOOST_DESCRIBE_STRUCT(StatementMovement, (),
                      (id, statement_id, merchant_id, currency, kind, booked_on, lines, amount, journal_id))
FINALITY_ROW(StatementMovement, "statement_movements", child, "statement_id id",
             "merchant_id currency kind booked_on lines amount journal_id",
             .about = "lines of one kind of a funds or bank statement that the books have, by the day of their entries",
             .parent = "statement_id", .presence = 2)

/// A part of the file of a statement, as received, or of the index of its lines, compressed and encrypted. Deleted
/// after the retention of files. A commit with part 0 of a statement that had a file before replaces all its parts.
struct StatementPart {
  StatementId statement_id;
  std::int64_t part_no = 0;  // of the file: from 0; of the index: -1, -2, …
  MerchantId merchant_id = kPlatform;
  Bytes content;
};
BOOST_DESCRIBE_STRUCT(StatementPart, (), (statement_id, part_no, merchant_id, content))
FINALITY_ROW(StatementPart, "statement_parts", log, "statement_id part_no", "",
             .about = "a part of the file of a statement, or of the index of its lines, compressed and encrypted")

/// The match of a line of a statement with the object that it reports. Both sides are unique: a document has at most
/// one row, and so has a line.
struct StatementMatch {
  std::int64_t document_id = 0;
  ObjectType document_type = ObjectType::receipt;  // receipt, refund, reversal or unknown_receipt
  MerchantId merchant_id;
  ChannelAccountId channel_account_id;
  StatementId statement_id;  // statement in which the line was matched
  std::int64_t line_no = 0;
  Hash16 line{};  // key_of_line()
  Time created_at;
};
BOOST_DESCRIBE_STRUCT(StatementMatch, (),
                      (document_id, document_type, merchant_id, channel_account_id, statement_id, line_no, line,
                       created_at))
FINALITY_ROW(StatementMatch, "statement_matches", log, "document_id", "",
             .about = "the match of a line of a statement with the object that it reports")

/// The match of a line of a funds or bank statement with what changed the balance in the books. Both sides are unique,
/// as in StatementMatch.
struct FundsMatch {
  std::int64_t document_id = 0;
  /// Funds statements: the receipt, refund, reversal, return or unknown receipt. Bank statements: the entry on the
  /// bank account, because several entries can have the same document.
  ObjectType document_type = ObjectType::receipt;
  MerchantId merchant_id;
  ChannelAccountId channel_account_id;
  StatementId statement_id;  // statement in which the line was matched
  std::int64_t line_no = 0;
  Hash16 line{};          // key_of_line()
  MinorUnits amount = 0;  // change of the balance at the channel or bank
  Time created_at;
};
BOOST_DESCRIBE_STRUCT(FundsMatch, (),
                      (document_id, document_type, merchant_id, channel_account_id, statement_id, line_no, line, amount,
                       created_at))
FINALITY_ROW(FundsMatch, "funds_matches", log, "document_id", "",
             .about = "the match of a line of a funds or bank statement with what changed the balance in the books")

}  // namespace finality
