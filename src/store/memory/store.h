// In-memory store for the simulator. Its rows are lost with the process. No store URL opens it, so that it cannot be
// used in production by mistake.
#pragma once

#include <memory>

#include "store/memory/disk.h"
#include "store/memory/tables.h"
#include "store/store.h"

namespace finality::memory {

class MemoryStore final : public Store {
 public:
  /// With a disk, sessions can flush asynchronously (flush_apart()), and readers see flushed rows only. `disk` may be
  /// null.
  explicit MemoryStore(std::shared_ptr<Tables> tables = std::make_shared<Tables>(),
                       std::shared_ptr<Disk> disk = nullptr)
      : tables_(std::move(tables)), disk_(std::move(disk)) {}

  std::size_t lanes() const override { return 1; }
  Result<std::unique_ptr<Session>> open_session() override;
  Result<std::unique_ptr<Reader>> open_reader() override;
  /// Counts the rows and checks that every account's balance is the sum of its entries. Checks no other invariants: the
  /// simulator has auditors for them.
  Result<AuditReport> audit(const AuditProgress& progress) override;
  /// Opens a session that takes over a node number that another session still holds, as if its lease had expired.
  std::unique_ptr<Session> take_over(std::int64_t node);
  /// Simulates a loss of power: discards all unflushed writes. REQUIRES: the store has a disk, and no session is open.
  void lose_power() { disk_->lose_power(*tables_); }

 private:
  std::shared_ptr<Tables> tables_;
  std::shared_ptr<Disk> disk_;
};

}  // namespace finality::memory
