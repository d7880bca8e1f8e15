// Restores archived orders: reads their lines from an archive's files and puts every row back into the store.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/archive/archivist.h"

namespace finality {

struct UnarchiveRequest {
  std::filesystem::path directory;  // of a finished archive
  std::vector<OrderId> orders;
  std::vector<PaymentId> payments;  // their orders are restored
};

struct UnarchiveReport {
  std::string archive;            // its name
  std::vector<OrderId> restored;  // by this call
  std::vector<OrderId> present;   // were in the store already
};

/// Checks the archive's file and all orders before it writes anything, and then restores one order per transaction. The
/// files are not changed. Interrupted at any point, it can be called again with the same request. An error says what to
/// do.
Result<UnarchiveReport> unarchive_orders(store::Archivist& archivist, const UnarchiveRequest& request);

}  // namespace finality
