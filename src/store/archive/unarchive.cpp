#include "store/archive/unarchive.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "store/archive/files.h"
#include "store/archive/manifest.h"
#include "store/archive/parse_line.h"

namespace finality {
namespace {

using store::Archivist;
using store::Manifest;
using store::WholeOrder;

class Unarchiving {
 public:
  Unarchiving(Archivist& archivist, const UnarchiveRequest& request)
      : archivist_(archivist),
        request_(request),
        orders_(request.orders.begin(), request.orders.end()),
        payments_(request.payments.begin(), request.payments.end()) {}

  Result<UnarchiveReport> run() {
    const auto manifest = store::read_manifest(request_.directory);
    if (!manifest) return std::unexpected(manifest.error());
    if (!manifest->done)
      return fail(
          fmt::format("the archive {} is not finished. First run finality archive again, with the same --before and "
                      "--to.",
                      manifest->archive));
    report_.archive = manifest->archive;
    if (auto done = read_file(*manifest); !done) return std::unexpected(done.error());
    if (auto done = parse_lines(); !done) return std::unexpected(done.error());
    if (auto done = check_found(); !done) return std::unexpected(done.error());
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
  // Collects the lines that may hold requested orders, and checks the file against its manifest. Also checks the digest
  // against the archive's name, which ends with the first 8 digits: the store records that name for each order.
  Result<void> read_file(const Manifest& manifest) {
    store::Totals totals;
    std::size_t number = 0;
    const auto digest =
        store::read_lines(request_.directory / store::kLinesFile, [&](const std::string& line) -> Result<void> {
          ++number;
          const auto id = totals.add(line);
          if (!id) return damaged(fmt::format("line {}: {}", number, id.error().message));
          if (may_be_requested(*id, line)) lines_.emplace(*id, line);
          return {};
        });
    if (!digest) return std::unexpected(digest.error());
    const auto same = store::has_totals(request_.directory, totals);
    if (!same) return std::unexpected(same.error());
    if (*digest != manifest.sha256 || !*same || !manifest.archive.ends_with("-" + digest->substr(0, 8)))
      return damaged("SHA-256 or totals differ");
    return {};
  }
  std::unexpected<Error> damaged(const std::string& how) const {
    return fail(
        fmt::format("{} is not the file that its manifest describes ({}). Nothing was restored. Use a copy "
                    "that is not damaged.",
                    (request_.directory / store::kLinesFile).string(), how));
  }
  bool may_be_requested(OrderId id, const std::string& line) const {
    return orders_.contains(id) || std::ranges::any_of(payments_, [&line](PaymentId payment) {
             return line.contains(std::to_string(payment.value));
           });
  }

  Result<void> parse_lines() {
    for (const auto& [id, line] : lines_) {
      auto order = store::parse_line(line);
      if (!order)
        return fail(
            fmt::format("{} cannot be restored by this program: {}. Nothing was restored. Use the version that wrote "
                        "the archive, or a later one.",
                        to_text(id), order.error().message));
      bool is_requested = orders_.erase(id) > 0;
      for (const Payment& payment : order->rows.payments)
        is_requested = payments_.erase(payment.id) > 0 || is_requested;
      if (is_requested) found_.emplace(id, std::move(*order));
    }
    return {};
  }

  Result<void> check_found() const {
    std::string missing;
    for (const OrderId id : orders_) missing += " " + to_text(id);
    for (const PaymentId id : payments_) missing += " " + to_text(id);
    if (missing.empty()) return {};
    return fail(fmt::format("the archive {} does not have{}. Nothing was restored.", report_.archive, missing));
  }

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
  std::set<OrderId> orders_;              // requested orders that no line has contained so far
  std::set<PaymentId> payments_;          // requested payments that no line has contained so far
  std::map<OrderId, std::string> lines_;  // lines that may contain a requested order or payment
  std::map<OrderId, WholeOrder> found_;
  UnarchiveReport report_;
};

}  // namespace

Result<UnarchiveReport> unarchive_orders(store::Archivist& archivist, const UnarchiveRequest& request) {
  return Unarchiving(archivist, request).run();
}

}  // namespace finality
