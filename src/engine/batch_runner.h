// Runs the batches of a lane: load → decide → commit → finish. Handles idempotency records, replies that wait for a
// channel, and the parking of orders after an invariant violation. The caller provides the queue and the thread.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <span>
#include <unordered_set>
#include <vector>

#include "engine/engine.h"
#include "engine/expiry.h"
#include "engine/failed_parts.h"
#include "engine/post_commit_work.h"

namespace finality {

/// Executes batches of requests on one store session. Not thread safe: the caller serializes all calls.
class BatchRunner {
 public:
  /// Called after a commit conflict, before the batch is tried again. `tries`: earlier conflicts of the batch.
  using Pause = std::function<void(int tries)>;
  /// Called after each batch with the work to run once its commit is durable.
  using Announce = std::function<void(PostCommitWork)>;

  /// Renews the session's node lease. REQUIRES: the session holds a node lease, unless the store accepts no writes;
  /// `options` and `counts` outlive this object.
  BatchRunner(std::unique_ptr<Session> session, const EngineOptions& options, EngineCounts& counts, Announce announce,
              Pause pause);

  /// Decides and commits the requests as one batch, and announces every reply that is not held. If a part of the store
  /// has failed, commits the commands of each part separately, and refuses those that use a failed part. The accepted
  /// commands of a merchant (Request::merchant_id) are executed in their order; commands of different merchants can
  /// then change places. Returns the requests that park orders on which a decision violated an invariant; the caller
  /// must run them before any other request. Between the separate commits, run() does so itself.
  std::vector<Request> run(std::vector<Request> requests);
  /// Drops held replies whose callers' timers have expired. With `all`, announces and drops all held replies, for the
  /// drain.
  void drop_late_held(bool all);
  /// Announces the held replies that wait for the results of these requests, with Reply::show_object: they were not
  /// sent, so no result will arrive in time.
  void release_unsent(std::span<const UnsentCall> calls);
  /// Renews the session's node lease. Leases another node number if the lease is lost. Must be called every
  /// limits::kStoreProbeEvery while there is a fault(), because it checks whether the store accepts writes again.
  void renew_lease();
  /// Why the store accepts no writes; empty while it does. Thread safe.
  std::optional<StoreFault> fault() const { return fault_; }
  /// Runs one bounded step of the deletion of expired rows, at most once per limits::kExpireEvery (Expiry::step()).
  void expire_some();
  /// The number of lease renewals so far: commits, calls of renew_lease() and new leases.
  std::uint64_t lease_uses() const { return lease_uses_; }

 private:
  /// A command of the current batch and its result.
  struct Decided {
    Request request;
    Reply reply;
    std::string replay;  // RenderedReply::replay
    std::vector<Effect> effects;
    ObjectRef home;                         // root of the aggregate that contains the reply's object
    std::optional<UnsentCall> awaited;      // the request for whose result the reply waits
    std::optional<ObjectRef> evidence_for;  // payment or refund about which the command recorded evidence
    std::optional<OrderId> broken_order;    // order to park after an invariant violation
    std::string finding;
  };
  /// A reply that is held until the channel's result is recorded.
  struct Held {
    Request request;
    Reply reply;  // the body is rendered on release
    ObjectRef home;
    Time until;
    std::string_view call;  // UnsentCall::call of the request for whose result it waits
  };

  /// Why a batch was not committed. Nothing was written.
  struct BatchFailure {
    enum class Scope : std::uint8_t { commands, part, store };  // what failed
    Scope scope;
    RefusalCode code;
    std::string detail;   // for the clients
    std::string message;  // for operators
  };
  /// Commands that use the same parts of the store, or follow a command of their merchant that does. Without parts:
  /// commands that use no part that has failed.
  using Groups = std::map<StoreParts, std::vector<Decided>, FewerParts>;
  enum class Split : std::uint8_t { failed, all };  // the parts whose commands are separated from the others

  std::vector<Decided> as_batch(std::vector<Request> requests);
  std::optional<BatchFailure> attempt(std::vector<Decided>& batch, std::vector<Request>& first);
  void run_by_parts(std::vector<Decided> batch, Split split, const std::string& why, std::vector<Request>& first);
  void run_first(std::vector<Request>& first);
  std::optional<Groups> group(std::vector<Decided>& batch, Split split);
  std::vector<MerchantId> owners_of(const Decided& item) const;
  void record_failed(const StoreParts& parts, const std::string& why);
  void refuse_parts(std::vector<Decided>& batch);
  void refuse_all(std::vector<Decided>& batch, const BatchFailure& why) { refuse_all(batch, why.code, why.detail); }
  bool lease_again(const std::string& why);
  Result<void> load(const std::vector<Decided>& batch);
  void take_time();
  void decide_all(std::vector<Decided>& batch);
  void decide_item(Decided& item);
  bool answer_from_record(Decided& item);
  bool is_reply_held(const IdempotencyRecord& answer) const;
  bool is_reply_pending_elsewhere(const IdempotencyRecord& answer) const;
  void carry_out(Decided& item);
  void undo(Decided& item, std::string finding);
  void keep_answer(Decided& item);
  void find_awaited(Decided& item);
  bool will_be_held(const Decided& item) const;
  CommitOutcome commit(std::string& message);
  void note_write(const CommitResult& result);
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
  FailedParts failed_parts_;
  std::uint64_t lease_uses_ = 0;
  std::atomic<std::optional<StoreFault>> fault_ = std::optional<StoreFault>();
  WorkingSet rows_;
  PostCommitWork work_;  // work of the current batch
  Time now_;
  std::map<ObjectRef, std::vector<Held>> held_;  // keyed by the awaited payment or refund
  std::size_t held_count_ = 0;
  std::unordered_set<Hash16, Hash16Hasher> held_keys_;   // idempotency keys whose first reply is held
  std::unordered_set<Hash16, Hash16Hasher> batch_keys_;  // idempotency keys whose reply the current batch will hold
};

}  // namespace finality
