// Finds orders in the file of an archive.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/ids.h"
#include "model/whole_order.h"

namespace finality::store {

struct FoundOrders {
  std::string archive;      // the archive's name
  std::string weak_anchor;  // a warning for operators if the name has a weak anchor (manifest.h); otherwise empty
  std::map<OrderId, WholeOrder> orders;
};

/// Returns the requested orders, and the orders of the requested payments. Reads the whole file, and checks it against
/// its manifest and the anchor in the name of the archive. Fails if the archive is not finished or damaged, if it does
/// not have all requested orders and payments, or if this program cannot read a line. Error messages state what to do.
Result<FoundOrders> find_orders(const std::filesystem::path& directory, const std::vector<OrderId>& orders,
                                const std::vector<PaymentId>& payments);

/// The directory of the archive in `parent`, the directory that contains archives. The name of an archive begins with
/// the name of its directory.
Result<std::filesystem::path> directory_of_archive(const std::filesystem::path& parent, const std::string& archive);

}  // namespace finality::store
