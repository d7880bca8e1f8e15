// The archive: orders that ended long ago leave the store for files. They are exported, read back, compared with the
// store, and only then removed, in small steps. What stays: their entries, their natural keys, and where they went.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time/time.h"
#include "store/archive/archivist.h"

namespace finality {

struct ArchiveRequest {
  Time before;                      // orders whose last change is before it
  std::filesystem::path directory;  // new or empty, or what an archive left that was interrupted
  Time now;
};

struct ArchiveReport {
  std::string archive;        // its name; empty when there was nothing to archive
  std::size_t orders = 0;     // in its file
  std::vector<OrderId> left;  // of these, not its own: changed before they could be removed, or archived elsewhere
};

/// Interrupted at any point it can be called again with the same `before` and directory: it goes on where it was, loses
/// nothing and archives nothing twice. An error says what to do.
Result<ArchiveReport> archive_orders(store::Archivist& archivist, const ArchiveRequest& request);

}  // namespace finality
