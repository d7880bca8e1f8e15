#include "sim/world/faulty_session.h"

namespace finality::sim {
namespace {

/// A commit that is not flushed yet, so that a power loss would undo it.
struct Unflushed {
  WorkingSet rows;
  std::int64_t node;
  std::vector<TransitionObserver::Lookup> lookups;
};

// Reports a durable commit and its cell lookups to the auditor.
void report(const SessionHooks& hooks, const WorkingSet& rows, std::int64_t node,
            const std::vector<TransitionObserver::Lookup>& lookups) {
  hooks.watch->count(lookups);
  hooks.committed(rows, node);
}

// Returns the reads that are executed before other engines commit (Fault::load_overtaken): owners and natural keys
// without their rows, as the PostgreSQL store reads them before it waits for a row lock. Keys of holds are excluded, as
// in that store. Keys of transfers are included, because decisions about transfers must be correct in both orders.
ReadSet names_of(const ReadSet& reads) {
  ReadSet names;
  names.owners = reads.owners;
  for (const KeyRead& read : reads.keys)
    if (read.follow != ObjectType::hold) names.keys.push_back({read.hash});  // without their rows
  return names;
}

/// Flusher that reports the flushed commits to the auditor.
class ReportingFlusher final : public Flusher {
 public:
  ReportingFlusher(std::unique_ptr<Flusher> inner, std::shared_ptr<std::vector<Unflushed>> unflushed,
                   const SessionHooks& hooks)
      : inner_(std::move(inner)), unflushed_(std::move(unflushed)), hooks_(hooks) {}

  Result<void> flush() override {
    if (auto flushed = inner_->flush(); !flushed) return flushed;
    for (const Unflushed& commit : std::exchange(*unflushed_, {}))
      report(hooks_, commit.rows, commit.node, commit.lookups);
    return {};
  }

 private:
  std::unique_ptr<Flusher> inner_;
  std::shared_ptr<std::vector<Unflushed>> unflushed_;
  const SessionHooks& hooks_;
};

class FaultySession final : public Session {
 public:
  FaultySession(std::unique_ptr<Session> inner, SimScheduler& scheduler, const SessionHooks& hooks)
      : inner_(std::move(inner)), scheduler_(scheduler), hooks_(hooks) {}

  Result<void> load(const ReadSet& reads, WorkingSet& rows) override {
    hooks_.watch->begin();
    merchants_ = reads.owners;
    has_failed_in_part_ = false;
    if (scheduler_.happens(Fault::load_failed)) {
      hooks_.failed(std::nullopt);
      return fail("the simulated disk cannot be read");
    }
    if (fails_in_part()) return fail("the simulated part of the store cannot be read");
    if (scheduler_.happens(Fault::load_overtaken)) {
      if (auto loaded = inner_->load(names_of(reads), rows); !loaded) return loaded;
      hooks_.commit_other_engines();
      hooks_.watch->begin();
    }
    return inner_->load(reads, rows);
  }
  CommitResult commit(const WorkingSet& decided, const IdGenerator& ids) override {
    std::vector<TransitionObserver::Lookup> lookups = hooks_.watch->take();
    WorkingSet wrong;
    if (hooks_.decision != nullptr) {
      wrong = decided;
      hooks_.decision(wrong);
      wrong.accept();
    }
    const WorkingSet& rows = hooks_.decision != nullptr ? wrong : decided;
    if (scheduler_.happens(Fault::commit_overtaken)) hooks_.commit_other_engines();
    if (scheduler_.happens(Fault::commit_conflict)) return {CommitOutcome::conflict, "a simulated race"};
    if (scheduler_.happens(Fault::commit_failed)) {
      hooks_.failed(std::nullopt);
      return {CommitOutcome::failed, "the simulated disk is full", StoreFault::disk_full};
    }
    if (fails_in_part()) return {CommitOutcome::failed, "the simulated part of the store cannot be written"};
    if (scheduler_.happens(Fault::crash_before_commit)) throw Crash{"before commit"};
    const bool lost = scheduler_.happens(Fault::commit_lost);
    if (lost && scheduler_.random().chance(500)) throw Crash{"in a commit that was not written"};
    CommitResult result = hooks_.bug != nullptr ? hooks_.bug->commit(*inner_, rows, ids) : inner_->commit(rows, ids);
    if (result.outcome == CommitOutcome::ok) {
      if (unflushed_)
        unflushed_->push_back({rows, inner_->node(), std::move(lookups)});
      else
        report(hooks_, rows, inner_->node(), lookups);
    }
    if (lost) throw Crash{"in a commit that was written"};
    if (scheduler_.happens(Fault::crash_after_commit)) throw Crash{"after commit"};
    return result;
  }
  void discard() override {
    hooks_.watch->count(hooks_.watch->take());
    inner_->discard();
  }
  Result<std::unique_ptr<Flusher>> flush_apart() override {
    auto flusher = inner_->flush_apart();
    if (!flusher || !*flusher) return flusher;
    unflushed_ = std::make_shared<std::vector<Unflushed>>();
    return std::make_unique<ReportingFlusher>(std::move(*flusher), unflushed_, hooks_);
  }
  bool has_failed_in_part() const override { return has_failed_in_part_ && !hooks_.hides_failed_part; }
  // Each merchant has its own part. Real stores have fewer parts than merchants.
  Result<std::vector<StorePart>> parts_of(const std::vector<MerchantId>& merchants) override {
    inner_->discard();
    std::vector<StorePart> parts;
    for (const MerchantId merchant : merchants) parts.push_back(merchant.value);
    return parts;
  }
  Result<void> lease() override { return inner_->lease(); }
  CommitResult renew() override { return inner_->renew(); }
  Expired expire(const ExpireStep& step) override { return inner_->expire(step); }
  std::int64_t node() const override { return inner_->node(); }
  Time ids_not_before() const override { return inner_->ids_not_before(); }

 private:
  // Whether the part of a merchant of the batch fails.
  bool fails_in_part() {
    const std::vector<MerchantId> failed = hooks_.failed_part->failed_of(merchants_);
    for (const MerchantId merchant : failed) hooks_.failed(merchant);
    has_failed_in_part_ = !failed.empty();
    return has_failed_in_part_;
  }

  std::unique_ptr<Session> inner_;
  SimScheduler& scheduler_;
  const SessionHooks& hooks_;
  std::vector<MerchantId> merchants_;  // whose rows the batch uses
  bool has_failed_in_part_ = false;
  std::shared_ptr<std::vector<Unflushed>> unflushed_;  // null if commit() is durable when it returns
};

}  // namespace

std::unique_ptr<Session> make_faulty_session(std::unique_ptr<Session> inner, SimScheduler& scheduler,
                                             const SessionHooks& hooks) {
  return std::make_unique<FaultySession>(std::move(inner), scheduler, hooks);
}

}  // namespace finality::sim
