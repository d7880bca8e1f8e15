// A store whose rows are in memory and gone with the process: for the simulator. No URL names it, so that nobody keeps
// money in it by mistake.
#pragma once

#include <memory>

#include "store/memory/disk.h"
#include "store/memory/tables.h"
#include "store/store.h"

namespace finality::memory {

class MemoryStore final : public Store {
 public:
  /// With a disk, sessions flush apart, and readers see what is flushed.
  explicit MemoryStore(std::shared_ptr<Tables> tables = std::make_shared<Tables>(),
                       std::shared_ptr<Disk> disk = nullptr)
      : tables_(std::move(tables)), disk_(std::move(disk)) {}

  std::size_t lanes() const override { return 1; }
  Result<std::unique_ptr<Session>> open_session() override;
  Result<std::unique_ptr<Reader>> open_reader() override;
  /// Counts the rows, and looks whether every balance is the sum of its entries; the simulator has an auditor of its
  /// own for the rest.
  Result<AuditReport> audit(const AuditProgress& progress) override;
  /// A session under a number that somebody holds, as of a process that believes the holder dead.
  std::unique_ptr<Session> take_over(std::int64_t node);
  /// What was not flushed is gone. REQUIRES: it has a disk, and no session is open.
  void lose_power() { disk_->lose_power(*tables_); }

 private:
  std::shared_ptr<Tables> tables_;
  std::shared_ptr<Disk> disk_;
};

}  // namespace finality::memory
