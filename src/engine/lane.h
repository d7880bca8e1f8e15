// One lane: a queue, a thread, a store session, and the loop load → decide → commit over whatever has queued up.
#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <thread>
#include <unordered_set>
#include <vector>

#include "engine/engine.h"

namespace finality {

class Lane {
 public:
  Lane(std::unique_ptr<Session> session, const EngineOptions& options, EngineCounts& counts);
  ~Lane();

  /// False, and nothing taken, when the queue is full or the lane is draining.
  bool submit(Request& request);
  std::size_t queued() const;
  void drain();

 private:
  /// A command in the current batch and what became of it.
  struct Decided {
    Request request;
    Reply reply;
    std::vector<Effect> effects;
    OrderId home;                           // the order whose aggregate the reply's object is in
    std::optional<ObjectRef> awaited;       // the reply waits for the channel's word on this payment or refund
    std::optional<ObjectRef> evidence_for;  // the channel's word on this payment or refund was recorded
    std::optional<OrderId> broken_order;    // to be parked
    std::string finding;
  };
  /// A reply that waits for a channel.
  struct Held {
    Request request;
    Reply reply;
    OrderId home;
    Time until;
  };

  void run();
  std::vector<Request> take_batch();
  void run_batch(std::vector<Request> requests);
  bool lease_again(const std::string& why);
  void keep_lease();
  Result<void> load(const std::vector<Decided>& batch);
  void decide_all(std::vector<Decided>& batch);
  void decide_one(Decided& one);
  bool answer_from_record(Decided& one);
  bool may_still_be_answered(const Answer& answer) const;
  void carry_out(Decided& one);
  void keep_answer(Decided& one);
  void find_awaited(Decided& one);
  CommitOutcome commit(std::string& message);
  void finish(std::vector<Decided>& batch);
  void raise_alerts();
  void refuse_all(std::vector<Decided>& batch, RefusalCode code, const std::string& detail);
  void release_held(ObjectRef object, OrderId home);
  void forget_key(const Held& held);
  void drop_late_held(bool all);
  void park(const Decided& one);

  std::unique_ptr<Session> session_;
  const EngineOptions& options_;
  EngineCounts& counts_;
  IdGenerator ids_;
  std::chrono::steady_clock::time_point lease_used_at_ = std::chrono::steady_clock::now();
  WorkingSet rows_;
  Time now_;
  std::map<ObjectRef, std::vector<Held>> held_;  // by what they wait for
  std::size_t held_count_ = 0;
  std::unordered_set<Hash16, Hash16Hasher> held_keys_;   // idempotency keys whose first answer is held
  std::unordered_set<Hash16, Hash16Hasher> batch_keys_;  // those that the current batch is about to hold

  mutable std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<Request> queue_;
  bool draining_ = false;
  std::thread thread_;
};

}  // namespace finality
