// Moves orders that ended long ago from the store to files. Exports them, reads the file back, compares it with the
// store, and only then removes the orders, in small steps. Ledger entries, natural keys and the archive's name stay in
// the store.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time/time.h"
#include "store/archive/archivist.h"

namespace finality {

/// Which orders to archive, and where.
struct ArchiveRequest {
  Time before;                      // only orders whose last change is earlier
  std::filesystem::path directory;  // new, empty, or left by an interrupted archive
  Time now;
};

/// The result of archive_orders().
struct ArchiveReport {
  std::string archive;        // the archive's name; empty when there was nothing to archive
  std::size_t orders = 0;     // in the archive's file
  std::vector<OrderId> left;  // in the file, but not removed: changed meanwhile, or archived elsewhere
};

/// After an interruption at any point, a call with the same `before` and directory resumes the archive. No order is
/// lost or archived twice. Error messages state what to do.
Result<ArchiveReport> archive_orders(store::Archivist& archivist, const ArchiveRequest& request);

}  // namespace finality
