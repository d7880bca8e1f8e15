#include "sim/mutation/state_invariants.h"

#include <algorithm>
#include <array>

namespace finality::sim {
namespace {

struct Meaning {
  std::string_view machine;
  std::string_view state;
  std::array<std::string_view, 4> events;
};

constexpr Meaning kMeanings[] = {
    {"order", "pending", {"result_received"}},
    {"order", "processing", {"payment_started", "result_outstanding"}},
    {"order", "authorized", {"authorized"}},
    {"order", "succeeded", {"paid"}},
    {"order", "failed", {"attempts_used_up"}},
    {"order", "closed", {"closed"}},
    {"payment", "created", {"not_found"}},
    {"payment", "processing", {"send", "unknown"}},
    {"payment", "pending", {"waiting"}},
    {"payment", "succeeded", {"paid", "mismatch_accepted"}},
    {"payment", "under_review", {"paid_mismatch"}},
    {"payment", "failed", {"failed", "mismatch_rejected", "close_locally"}},
    {"payment", "closed", {"closed", "not_found_while_closing", "close_locally", "paid_unexpectedly"}},
    {"authorization", "created", {"not_found"}},
    {"authorization", "processing", {"send", "unknown"}},
    {"authorization", "pending", {"waiting"}},
    {"authorization", "authorized", {"authorized"}},
    {"authorization", "releasing", {"release", "authorized_unexpectedly"}},
    {"authorization", "captured", {"captured"}},
    {"authorization", "released", {"released", "close_locally"}},
    {"authorization", "failed", {"failed", "authorized_mismatch"}},
    {"authorization", "closed", {"closed", "not_found_while_closing", "close_locally"}},
    {"capture", "pending", {"not_found", "not_now"}},
    {"capture", "processing", {"send", "accepted", "unknown"}},
    {"capture", "succeeded", {"captured"}},
    {"capture", "failed", {"refused", "captured_unexpectedly", "captured_mismatch"}},
    {"refund", "pending", {"try_again", "not_found", "not_now"}},
    {"refund", "processing", {"send", "accepted", "unknown"}},
    {"refund", "succeeded", {"refunded"}},
    {"refund", "failed", {"refused"}},
    {"reversal", "pending", {"try_again", "not_found", "retry", "not_now"}},
    {"reversal", "processing", {"send", "accepted", "unknown"}},
    {"reversal", "blocked", {"refused"}},
    {"reversal", "succeeded", {"refunded", "nothing_left"}},
    {"reversal", "settled_offline", {"settled_offline"}},
    {"delivery", "pending", {"resend"}},
    {"delivery", "delivered", {"acknowledged"}},
    {"delivery", "exhausted", {"attempts_used_up"}},
    {"delivery", "given_up", {"give_up", "unwanted"}},
    {"case", "proposed", {"propose"}},
    {"case", "resolved", {"approve", "settled"}},
    {"account", "open", {"unfreeze"}},
    {"account", "frozen", {"freeze"}},
    {"account", "closed", {"close"}},
    {"transfer", "reversed", {"reverse"}},
    {"hold", "posted", {"post"}},
    {"hold", "voided", {"release"}},
    {"hold", "expired", {"expire"}},
    {"unknown_receipt", "assigned", {"assign"}},
    {"unknown_receipt", "cancelled", {"cancel"}},
    {"adjustment", "posted", {"approve"}},
    {"adjustment", "rejected", {"reject"}},
    {"statement", "expected", {"not_ready"}},
    {"statement", "downloading", {"fetch"}},
    {"statement", "received", {"receive"}},
    {"statement", "matching", {"match"}},
    {"statement", "matched", {"finish"}},
    {"statement", "rejected", {"reject"}},
    {"statement", "empty", {"report_empty"}},
    {"difference", "open", {"find"}},
    {"difference", "repaired", {"repair"}},
    {"difference", "resolved", {"resolve"}},
};

}  // namespace

bool accounts_for(std::string_view machine, std::string_view event, std::string_view state) {
  return std::ranges::any_of(kMeanings, [&](const Meaning& meaning) {
    return meaning.machine == machine && meaning.state == state &&
           std::ranges::find(meaning.events, event) != meaning.events.end();
  });
}

}  // namespace finality::sim
