#include "store/archive/find_orders.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "model/payer_data.h"
#include "store/archive/files.h"
#include "store/archive/manifest.h"
#include "store/archive/parse_line.h"

namespace finality::store {
namespace {

class Search {
 public:
  Search(const std::filesystem::path& directory, const std::vector<OrderId>& orders,
         const std::vector<PaymentId>& payments)
      : directory_(directory), orders_(orders.begin(), orders.end()), payments_(payments.begin(), payments.end()) {}

  Result<FoundOrders> run() {
    const auto manifest = read_manifest(directory_);
    if (!manifest) return std::unexpected(manifest.error());
    if (!manifest->done)
      return fail(
          fmt::format("the archive {} is not finished. First run finality archive again, with the same --before and "
                      "--to.",
                      manifest->archive));
    found_.archive = manifest->archive;
    if (auto done = read_file(*manifest); !done) return std::unexpected(done.error());
    if (auto done = parse_lines(); !done) return std::unexpected(done.error());
    if (auto done = check_found(); !done) return std::unexpected(done.error());
    return std::move(found_);
  }

 private:
  // Collects the lines that may hold requested orders, and checks the file against its manifest. Also checks the digest
  // against the anchor in the archive's name: the store records that name for each order.
  Result<void> read_file(const Manifest& manifest) {
    Totals totals;
    std::size_t number = 0;
    const auto digest = read_lines(directory_ / kLinesFile, [&](const std::string& line) -> Result<void> {
      ++number;
      const auto id = totals.add(line);
      if (!id) return damaged(fmt::format("line {}: {}", number, id.error().message));
      if (may_be_requested(*id, line)) lines_.emplace(*id, line);
      return {};
    });
    if (!digest) return std::unexpected(digest.error());
    const auto same = has_totals(directory_, totals);
    if (!same) return std::unexpected(same.error());
    const auto name = parse_archive_name(manifest.archive);
    if (*digest != manifest.sha256 || !*same || !name || !digest->starts_with(name->anchor))
      return damaged("SHA-256 or totals differ");
    if (name->is_weak()) found_.weak_anchor = warning_of(manifest);
    return {};
  }
  static std::string warning_of(const Manifest& manifest) {
    return fmt::format(
        "the store identifies the archive {} by only {} bits of its SHA-256, because an earlier version made it: this "
        "does not exclude another file. Compare {} with a record of the SHA-256 that was kept apart from the archive",
        manifest.archive, kWeakAnchorDigits * 4, manifest.sha256);
  }
  std::unexpected<Error> damaged(const std::string& how) const {
    return fail(
        fmt::format("{} is not the file that its manifest describes ({}). Nothing was restored. Use a copy "
                    "that is not damaged.",
                    (directory_ / kLinesFile).string(), how));
  }
  bool may_be_requested(OrderId id, const std::string& line) const {
    return orders_.contains(id) || std::ranges::any_of(payments_, [&line](PaymentId payment) {
             return line.contains(std::to_string(payment.value));
           });
  }

  Result<void> parse_lines() {
    for (const auto& [id, line] : lines_) {
      auto order = parse_line(line);
      if (!order)
        return fail(
            fmt::format("{} cannot be restored by this program: {}. Nothing was restored. Use the version that wrote "
                        "the archive, or a later one.",
                        to_text(id), order.error().message));
      bool is_requested = orders_.erase(id) > 0;
      for (const Payment& payment : order->rows.payments)
        is_requested = payments_.erase(payment.id) > 0 || is_requested;
      if (!is_requested) continue;
      erase_unneeded_payers(order->rows);
      found_.orders.emplace(id, std::move(*order));
    }
    return {};
  }

  Result<void> check_found() const {
    std::string missing;
    for (const OrderId id : orders_) missing += " " + to_text(id);
    for (const PaymentId id : payments_) missing += " " + to_text(id);
    if (missing.empty()) return {};
    return fail(fmt::format("the archive {} does not have{}. Nothing was restored.", found_.archive, missing));
  }

  const std::filesystem::path& directory_;
  std::set<OrderId> orders_;              // requested orders that no line has contained so far
  std::set<PaymentId> payments_;          // requested payments that no line has contained so far
  std::map<OrderId, std::string> lines_;  // lines that may contain a requested order or payment
  FoundOrders found_;
};

}  // namespace

Result<FoundOrders> find_orders(const std::filesystem::path& directory, const std::vector<OrderId>& orders,
                                const std::vector<PaymentId>& payments) {
  return Search(directory, orders, payments).run();
}

Result<std::filesystem::path> directory_of_archive(const std::filesystem::path& parent, const std::string& archive) {
  const auto name = parse_archive_name(archive);
  if (!name) return fail(fmt::format("'{}' is not the name of an archive", archive));
  return parent / name->directory;
}

}  // namespace finality::store
