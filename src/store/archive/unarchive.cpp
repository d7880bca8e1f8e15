#include "store/archive/unarchive.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "store/archive/find_orders.h"

namespace finality {
namespace {

using store::Archivist;
using store::WholeOrder;

class Unarchiving {
 public:
  Unarchiving(Archivist& archivist, const UnarchiveRequest& request) : archivist_(archivist), request_(request) {}

  Result<UnarchiveReport> run() {
    auto found = store::find_orders(request_.directory, request_.orders, request_.payments);
    if (!found) return std::unexpected(found.error());
    report_.archive = std::move(found->archive);
    report_.weak_anchor = std::move(found->weak_anchor);
    found_ = std::move(found->orders);
    if (auto done = check_store(); !done) return std::unexpected(done.error());
    for (const auto& [id, order] : found_) {
      if (auto restored = archivist_.restore(order, report_.archive); !restored)
        return fail(fmt::format("{}. {} of {} orders were restored; run the command again.", restored.error().message,
                                report_.restored.size(), found_.size()));
      report_.restored.push_back(id);
    }
    return std::move(report_);
  }

 private:
  // Checks that the store records each found order in this archive. Removes the orders that are already in the store
  // from found_, so that only the orders to restore remain there.
  Result<void> check_store() {
    std::vector<OrderId> ids;
    for (const auto& [id, order] : found_) ids.push_back(id);
    const auto present = archivist_.read(ids);
    if (!present) return std::unexpected(present.error());
    const auto archived = archivist_.archived(ids);
    if (!archived) return std::unexpected(archived.error());
    for (const WholeOrder& order : *present) report_.present.push_back(order.rows.order.id);
    std::map<OrderId, std::string> archives;
    for (const ArchivedOrder& row : *archived) archives[row.id] = row.archive;
    for (const OrderId id : ids)
      if (auto may = check_order(id, archives); !may) return may;
    for (const OrderId id : report_.present) found_.erase(id);
    return {};
  }
  Result<void> check_order(OrderId id, const std::map<OrderId, std::string>& archives) const {
    const auto archived = archives.find(id);
    const bool is_present = std::ranges::find(report_.present, id) != report_.present.end();
    if (is_present && archived != archives.end())
      return fail(fmt::format("{} is in the store, and recorded as archived. Run: finality verify", to_text(id)));
    if (is_present) return {};
    if (archived == archives.end())
      return fail(
          fmt::format("{} was not archived in this store: {} is an archive of another store. Nothing was "
                      "restored.",
                      to_text(id), report_.archive));
    if (archived->second != report_.archive)
      return fail(
          fmt::format("{} is in the archive {}, and this directory holds {}. Nothing was restored. Use the "
                      "directory of {}.",
                      to_text(id), archived->second, report_.archive, archived->second));
    return {};
  }

  Archivist& archivist_;
  const UnarchiveRequest& request_;
  std::map<OrderId, WholeOrder> found_;
  UnarchiveReport report_;
};

}  // namespace

Result<UnarchiveReport> unarchive_orders(store::Archivist& archivist, const UnarchiveRequest& request) {
  return Unarchiving(archivist, request).run();
}

}  // namespace finality
