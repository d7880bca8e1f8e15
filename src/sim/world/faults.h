// What goes wrong in a simulated world, and how often. Every rate is drawn per seed: some faults rage, others sleep, so
// that no two worlds are hard in the same way (swarm testing). No world is mild: a minimum of kinds is always awake.
#pragma once

#include <array>

#include "base/described.h"
#include "sim/world/random.h"

namespace finality::sim {

enum class Fault : std::uint8_t {
  request_lost,          // the client's request never arrives
  reply_lost,            // it was carried out, and the client does not hear of it
  request_doubled,       // it arrives twice, also at two engines
  call_lost,             // our request to a channel never arrives
  answer_lost,           // it took effect, and we do not hear of it
  answer_late,           // the answer is recorded long after its question
  answer_doubled,        // it is recorded again, much later
  answer_contradictory,  // the channel says what is not so
  payment_refused,       // the channel refuses the payment
  amount_wrong,          // the payer pays another amount
  second_trade,          // two upstream trades for one payment
  late_success,          // paid up to 72 hours later, closed or not
  foreign_refund,        // the channel gives the money back by itself
  notification_lost,     // never sent, or the channel gives up
  notification_doubled,  // sent again although it was acknowledged
  notification_forged,   // does not verify: it ends at the door, and is only counted here
  refund_refused,        // for good
  refund_not_now,        // for the moment; its number stays
  refund_try_again,      // for the moment; its number is dead
  refund_contradicted,   // refused by word, and the money went back
  refund_stranded,       // taken, and the money reaches nobody until somebody acts
  refund_returned,       // it had succeeded, and some or all of it comes back
  server_down,           // the merchant's server does not answer
  server_gone,           // or says 410
  effect_dropped,        // the worker's queue was full
  scan_late,             // what is due is overlooked for a while
  clock_jump,            // an engine's clock is set forward or back
  load_failed,           // the store cannot be read
  load_overtaken,        // the other engines commit between two parts of a load
  commit_overtaken,      // the other engines commit first
  commit_conflict,       // a lost race that nobody can see
  commit_failed,         // nothing was written
  commit_lost,           // the disk fails under the commit: written or not, the process stops
  crash_before_commit,   // decided, and gone
  crash_after_commit,    // written, and gone before anybody was answered
  crash,                 // at any other time: after a reply, between an effect and its result
  power_lost,            // and with the crash what was not flushed
  node_taken_over,       // a restarted engine takes the node number of a living one
};
BOOST_DESCRIBE_ENUM(Fault, request_lost, reply_lost, request_doubled, call_lost, answer_lost, answer_late,
                    answer_doubled, answer_contradictory, payment_refused, amount_wrong, second_trade, late_success,
                    foreign_refund, notification_lost, notification_doubled, notification_forged, refund_refused,
                    refund_not_now, refund_try_again, refund_contradicted, refund_stranded, refund_returned,
                    server_down, server_gone, effect_dropped, scan_late, clock_jump, load_failed, load_overtaken,
                    commit_overtaken, commit_conflict, commit_failed, commit_lost, crash_before_commit,
                    crash_after_commit, crash, power_lost, node_taken_over)

template <class T>
using PerFault = std::array<T, kCount<Fault>>;

/// A set of kinds, as bits.
using FaultMask = std::uint64_t;
static_assert(kCount<Fault> <= 64);
constexpr FaultMask bit_of(Fault fault) { return FaultMask{1} << static_cast<unsigned>(fault); }

/// Per mille of the occasions.
using FaultRates = PerFault<int>;
using FaultCounts = PerFault<std::int64_t>;

/// At least this many kinds are awake in every world.
inline constexpr int kFaultsAwakeMin = 10;

FaultRates draw_rates(Random& random);

}  // namespace finality::sim
