#include "store/memory/session.h"

#include "store/memory/commit.h"
#include "store/memory/expire.h"
#include "store/memory/load.h"

namespace finality::memory {
namespace {

class MemoryFlusher final : public Flusher {
 public:
  explicit MemoryFlusher(std::shared_ptr<Disk> disk) : disk_(std::move(disk)) {}
  Result<void> flush() override {
    disk_->flush();
    return {};
  }

 private:
  std::shared_ptr<Disk> disk_;
};

class MemorySession final : public Session {
 public:
  MemorySession(std::shared_ptr<Tables> tables, std::shared_ptr<Disk> disk, std::optional<std::int64_t> node)
      : tables_(std::move(tables)), disk_(std::move(disk)) {
    take(node);
  }
  ~MemorySession() override {
    const std::lock_guard lock(tables_->mutex);
    if (holds_lease()) tables_->nodes[node_].leased = false;
  }

  Result<void> load(const ReadSet& reads, WorkingSet& rows) override {
    const std::shared_lock lock(tables_->mutex);
    load_needs(*tables_, reads, rows);
    return {};
  }
  CommitResult commit(const WorkingSet& rows, const IdGenerator& ids) override {
    const std::lock_guard lock(tables_->mutex);
    if (!holds_lease()) return {CommitOutcome::fenced, "another session has taken over this node"};
    if (std::string conflict = find_conflict(*tables_, rows); !conflict.empty())
      return {CommitOutcome::conflict, std::move(conflict)};
    const auto write_all = [node = node_, until = ids.reserved_until()](Tables& tables, const WorkingSet& all) {
      write(tables, all);
      tables.nodes[node].ids_until = until;
    };
    write_all(*tables_, rows);
    if (disk_) written([write_all, rows](Tables& tables) { write_all(tables, rows); });
    return {};
  }
  void discard() override {}  // load() leaves nothing locked
  Result<std::unique_ptr<Flusher>> flush_apart() override {
    if (!disk_) return nullptr;
    apart_ = true;
    return std::make_unique<MemoryFlusher>(disk_);
  }
  Result<void> lease() override {
    take({});
    return {};
  }
  CommitResult renew() override {
    const std::shared_lock lock(tables_->mutex);
    if (holds_lease()) return {};
    return {CommitOutcome::fenced, "another session has taken over this node"};
  }
  Expired expire(const ExpireStep& step) override {
    const std::lock_guard lock(tables_->mutex);
    if (!holds_lease()) return {.result = {CommitOutcome::fenced, "another session has taken over this node"}};
    if (disk_) written([step](Tables& tables) { memory::expire(tables, step); });
    return memory::expire(*tables_, step);
  }
  std::int64_t node() const override { return node_; }
  Time ids_not_before() const override { return ids_until_; }

 private:
  void written(Disk::Write write) {
    disk_->keep(std::move(write));
    if (!apart_) disk_->flush();
  }
  bool holds_lease() const {
    const Node* node = find_in(tables_->nodes, node_);
    return node != nullptr && node->token == token_;
  }
  void take(std::optional<std::int64_t> wanted) {
    const std::lock_guard lock(tables_->mutex);
    node_ = wanted.value_or(0);
    while (!wanted && tables_->nodes[node_].leased) ++node_;
    Node& node = tables_->nodes[node_];
    node.leased = true;
    token_ = ++node.token;
    ids_until_ = node.ids_until;
  }

  std::shared_ptr<Tables> tables_;
  std::shared_ptr<Disk> disk_;
  bool apart_ = false;  // true after flush_apart(): writes stay unflushed until the flusher runs
  std::int64_t node_ = 0;
  std::int64_t token_ = 0;
  Time ids_until_;
};

}  // namespace

std::unique_ptr<Session> make_session(std::shared_ptr<Tables> tables, std::shared_ptr<Disk> disk,
                                      std::optional<std::int64_t> node) {
  return std::make_unique<MemorySession>(std::move(tables), std::move(disk), node);
}

}  // namespace finality::memory
