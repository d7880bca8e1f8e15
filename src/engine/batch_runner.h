// What a lane does with a batch: load → decide → commit → finish, with the idempotency record, the replies that wait
// for a channel, and the parking of orders whose rules broke. It has no queue and no thread: whoever calls has both.
#pragma once

#include <functional>
#include <map>
#include <unordered_set>
#include <vector>

#include "engine/engine.h"
#include "engine/expiry.h"
#include "engine/post_commit_work.h"

namespace finality {

/// Not thread safe: all calls come from one thread at a time.
class BatchRunner {
 public:
  /// Called between two tries of a batch that lost a race, with the number of tries so far.
  using Pause = std::function<void(int tries)>;
  /// Called after each commit, with what is to be said when the disk has it.
  using Announce = std::function<void(PostCommitWork)>;

  /// REQUIRES: the session holds a lease; `options` and `counts` outlive this object.
  BatchRunner(std::unique_ptr<Session> session, const EngineOptions& options, EngineCounts& counts, Announce announce,
              Pause pause);

  /// Decides and commits the requests together, and announces the answer to each that is not held back. What is
  /// returned is to be run before anything else: the parking of orders on which a decision broke a rule.
  std::vector<Request> run(std::vector<Request> requests);
  /// Forgets held-back replies whose callers' own timers have run out; `all` are announced as they are.
  void drop_late_held(bool all);
  /// Says to the store that the node's lease is still needed; takes another one when it is lost.
  void renew_lease();
  /// Deletes some of what was kept long enough, at most once in limits::kExpireEvery.
  void expire_some();
  /// How often the store has heard of our lease: by commits, and by taking one.
  std::uint64_t lease_uses() const { return lease_uses_; }

 private:
  /// A command in the current batch and what became of it.
  struct Decided {
    Request request;
    Reply reply;
    std::vector<Effect> effects;
    ObjectRef home;                         // the root in whose aggregate the reply's object is
    std::optional<ObjectRef> awaited;       // the reply waits for the channel's word on this payment or refund
    std::optional<ObjectRef> evidence_for;  // the channel's word on this payment or refund was recorded
    std::optional<OrderId> broken_order;    // to be parked
    std::string finding;
  };
  /// A reply that waits for a channel.
  struct Held {
    Request request;
    Reply reply;  // its body is rendered when it is released
    ObjectRef home;
    Time until;
  };

  bool lease_again(const std::string& why);
  Result<void> load(const std::vector<Decided>& batch);
  void take_time();
  void decide_all(std::vector<Decided>& batch);
  void decide_one(Decided& one);
  bool answer_from_record(Decided& one);
  bool may_still_be_answered(const IdempotencyRecord& answer) const;
  void carry_out(Decided& one);
  void undo(Decided& one, std::string finding);
  void keep_answer(Decided& one);
  void find_awaited(Decided& one);
  bool will_be_held(const Decided& one) const;
  CommitOutcome commit(std::string& message);
  std::vector<Request> finish(std::vector<Decided>& batch);
  void answer(Request& request, Reply reply);
  void announce();
  RenderOptions options() const { return {.policy = *options_.policy, .now = now_}; }
  Reply refused(Refusal refusal, const Request& request) const;
  void raise_alerts();
  void refuse_all(std::vector<Decided>& batch, RefusalCode code, const std::string& detail);
  void release_held(ObjectRef object, ObjectRef home);
  void render(Held& held) const;
  void render_all_held();
  void forget_key(const Held& held);

  std::unique_ptr<Session> session_;
  const EngineOptions& options_;
  EngineCounts& counts_;
  Announce announce_;
  Pause pause_;
  IdGenerator ids_;
  Expiry expiry_;
  std::uint64_t lease_uses_ = 0;
  WorkingSet rows_;
  PostCommitWork work_;  // of the current batch
  Time now_;
  std::map<ObjectRef, std::vector<Held>> held_;  // by what they wait for
  std::size_t held_count_ = 0;
  std::unordered_set<Hash16, Hash16Hasher> held_keys_;   // idempotency keys whose first answer is held
  std::unordered_set<Hash16, Hash16Hasher> batch_keys_;  // those that the current batch is about to hold
};

}  // namespace finality
