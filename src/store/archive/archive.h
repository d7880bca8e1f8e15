// Moves final orders from the store to an archive, a directory of files. Exports the orders, reads the file back,
// compares it with the store, and only then removes the orders, in small transactions. The store keeps their ledger
// entries and natural keys, and the name of the archive that holds each order.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time/time.h"
#include "store/archive/archivist.h"

namespace finality {

/// Parameters of archive_orders().
struct ArchiveRequest {
  Time before;                      // archives only orders whose last event is earlier than this
  std::filesystem::path directory;  // of the archive: new, empty, or left by an interrupted call
  Time now;
  Duration refund_window{};  // an order stays in the store until all its payments are older than this
};

/// The result of archive_orders().
struct ArchiveReport {
  std::string archive;         // the archive's name; empty if the store had no order to archive
  std::size_t orders = 0;      // number of orders in the archive's file
  std::size_t waiting = 0;     // number of orders that stay because a payment or refund waits for its statement
  std::size_t refundable = 0;  // number of orders that stay because of the refund window
  std::vector<OrderId> left;   // in the file, but not removed: changed since the export, or in another archive
};

/// Archives the orders that `request` selects. After an interruption at any point, a call with the same `before` and
/// directory resumes the archive; no order is lost or archived twice. Error messages state what to do.
Result<ArchiveReport> archive_orders(store::Archivist& archivist, const ArchiveRequest& request);

}  // namespace finality
