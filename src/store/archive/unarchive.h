// Restores archived orders: reads their lines from an archive's files and puts every row back into the store.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/archive/archivist.h"

namespace finality {

/// Parameters of unarchive_orders().
struct UnarchiveRequest {
  std::filesystem::path directory;  // the directory of a finished archive
  std::vector<OrderId> orders;
  std::vector<PaymentId> payments;  // the orders of these payments are restored
};

/// The result of unarchive_orders().
struct UnarchiveReport {
  std::string archive;            // the archive's name
  std::string weak_anchor;        // a warning if its anchor has fewer than 128 bits; otherwise empty
  std::vector<OrderId> restored;  // orders that this call restored
  std::vector<OrderId> present;   // requested orders that were in the store before the call
};

/// Restores the requested orders. Checks the archive's file and all orders before it writes anything, then restores one
/// order per transaction. Does not change the files. After an interruption at any point, a call with the same request
/// restores the remaining orders. Error messages state what to do.
Result<UnarchiveReport> unarchive_orders(store::Archivist& archivist, const UnarchiveRequest& request);

}  // namespace finality
