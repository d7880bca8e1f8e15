// Fault types of the simulation and their rates. Each seed draws different rates, including high rates and zero, so
// that simulation runs differ in their combination of faults (swarm testing).
#pragma once

#include <array>

#include "base/described.h"
#include "sim/world/random.h"

namespace finality::sim {

enum class Fault : std::uint8_t {
  request_lost,          // the client's request is lost
  reply_lost,            // the request was executed, but the client receives no reply
  request_doubled,       // the request arrives twice, possibly at two engines
  call_lost,             // the request to the channel is lost
  answer_lost,           // the request took effect, but the channel's reply is lost
  answer_late,           // the reply is recorded long after its request
  answer_doubled,        // the reply is recorded again, much later
  answer_contradictory,  // the channel reports a false result
  payment_refused,       // the channel refuses the payment
  amount_wrong,          // the payer pays another amount
  second_trade,          // the channel has two trades for one payment
  late_success,          // the payer pays up to 72 hours later, even a closed trade
  foreign_refund,        // the channel refunds without a request
  refund_unannounced,    // no notification reports that refund, only the statement
  payment_unannounced,   // no notification reports a payment of an unknown number, only the statement
  notification_lost,     // an attempt of a notification, or all attempts, are lost
  notification_doubled,  // the notification is sent twice
  notification_forged,   // a notification that fails verification at the API
  refund_refused,        // the channel refuses a refund permanently
  refund_not_now,        // refused temporarily; the out_refund_no remains valid
  refund_try_again,      // refused temporarily; the next try needs a new out_refund_no
  refund_contradicted,   // the channel reports an executed refund as refused
  refund_stranded,       // an accepted refund is blocked until a person acts
  refund_returned,       // the payer's bank returns all or a part of a refund
  server_down,           // the merchant's server does not respond
  server_gone,           // the merchant's server responds with 410
  effect_dropped,        // the worker drops an effect because its queue is full
  scan_late,             // the scan skips a due row for up to six hours
  clock_jump,            // an engine's clock is set forward or back
  load_failed,           // a load from the store fails
  load_overtaken,        // the other engines commit between two parts of a load
  commit_overtaken,      // other engines commit between load and commit
  commit_conflict,       // the store reports a conflict although no row has changed
  commit_failed,         // the commit writes nothing
  commit_lost,           // the process crashes in the commit, which may be written
  crash_before_commit,   // the process crashes before the write of a commit
  crash_after_commit,    // the process crashes after the write, before any reply
  crash,                 // the process crashes at any other time
  power_lost,            // the crash also loses unflushed commits
  node_taken_over,       // a restarted engine leases the node number of a running engine
  statement_late,        // the channel provides a statement hours or days late
  statement_empty,       // the channel first reports a day with payments as empty
  statement_malformed,   // the first file of a day cannot be parsed: it is malformed, or the parser has to be mended
  statement_restated,    // a second version of a statement changes or withdraws a line
  line_dropped,          // no statement lists a booked payment or refund
  line_postponed,        // the statement of a later day lists it
  line_doubled,          // the statement lists it twice
  line_repeated,         // the statement of a later day lists it again
  line_altered,          // the statement lists another amount
  line_cost_altered,     // the statement lists another fee
  hold_late,             // the payer authorizes up to 72 hours later, even a closed authorization
  second_hold,           // the payer also authorizes other authorizations of the order
  hold_partial,          // the channel approves less than was requested
  hold_raised,           // another system raises the held amount
  hold_lapsed,           // the hold ends before its time
  captured_elsewhere,    // another system captures, below or above the held amount, or after the end of the hold
  released_elsewhere,    // another system releases all or a part of the held amount
  capture_refused,       // the channel refuses a capture permanently
  capture_not_now,       // refused temporarily; the out_trade_no of the capture remains valid
  capture_contradicted,  // the channel reports an executed capture as refused or absent
  release_refused,       // the channel refuses a release
  release_again,         // refused temporarily; the next release needs a new number
  clock_spike,           // an engine's clock is wrong by hours, for at most a few seconds
  hold_currency_wrong,   // the channel holds in another currency than was requested
  part_failed,           // the part of the store with one merchant's rows fails for some seconds
};
// Described in two lists: BOOST_DESCRIBE_ENUM takes at most 52 enumerators.
// clang-format off
BOOST_DESCRIBE_MAYBE_UNUSED BOOST_DESCRIBE_ENUM_BEGIN(Fault)
BOOST_DESCRIBE_PP_FOR_EACH(BOOST_DESCRIBE_ENUM_ENTRY, Fault, request_lost, reply_lost, request_doubled, call_lost,
                           answer_lost, answer_late, answer_doubled, answer_contradictory, payment_refused,
                           amount_wrong, second_trade, late_success, foreign_refund, refund_unannounced,
                           payment_unannounced, notification_lost, notification_doubled, notification_forged,
                           refund_refused, refund_not_now, refund_try_again, refund_contradicted, refund_stranded,
                           refund_returned, server_down, server_gone, effect_dropped, scan_late, clock_jump,
                           load_failed, load_overtaken, commit_overtaken, commit_conflict, commit_failed,
                           commit_lost, crash_before_commit, crash_after_commit, crash, power_lost, node_taken_over)
BOOST_DESCRIBE_PP_FOR_EACH(BOOST_DESCRIBE_ENUM_ENTRY, Fault, statement_late, statement_empty,
                           statement_malformed, statement_restated, line_dropped, line_postponed, line_doubled,
                           line_repeated, line_altered, line_cost_altered, hold_late, second_hold, hold_partial,
                           hold_raised, hold_lapsed, captured_elsewhere, released_elsewhere, capture_refused,
                           capture_not_now, capture_contradicted, release_refused, release_again, clock_spike,
                           hold_currency_wrong, part_failed)
BOOST_DESCRIBE_ENUM_END(Fault)
    // clang-format on

    template <class T>
    using PerFault = std::array<T, kCount<Fault>>;

/// Set of fault types, one bit for each.
__extension__ using FaultMask = unsigned __int128;
static_assert(kCount<Fault> <= 128);
constexpr FaultMask bit_of(Fault fault) { return FaultMask{1} << static_cast<unsigned>(fault); }

/// Rate of each fault type, in per mille of its occasions.
using FaultRates = PerFault<int>;
using FaultCounts = PerFault<std::int64_t>;

/// Maximum error of an engine's clock after a clock_jump. The error of a clock_spike is larger.
inline constexpr Duration kClockErrorMax = std::chrono::minutes(30);

/// Minimum number of fault types that are active in every simulation run.
inline constexpr int kFaultsAwakeMin = 10;

/// Draws the rates of one simulation run.
FaultRates draw_rates(Random& random);

}  // namespace finality::sim
