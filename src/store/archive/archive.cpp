#include "store/archive/archive.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/limits.h"
#include "store/archive/files.h"
#include "store/archive/manifest.h"

namespace finality {
namespace {

namespace fs = std::filesystem;
using store::Archivist;
using store::Manifest;
using store::WholeOrder;

/// An order in the archive: its id and its line of text.
struct Archived {
  OrderId id;
  std::string line;
};

class Archiving {
 public:
  Archiving(Archivist& archivist, const ArchiveRequest& request) : archivist_(archivist), request_(request) {}

  Result<ArchiveReport> run() {
    if (auto fit = look_at_directory(); !fit) return std::unexpected(fit.error());
    if (!has_manifest_) {
      const auto some = export_orders();
      if (!some) return std::unexpected(some.error());
      if (!*some) return ArchiveReport{.waiting = waiting_, .refundable = refundable_};
    }
    auto manifest = store::read_manifest(directory());
    if (!manifest) return std::unexpected(manifest.error());
    if (manifest->before != request_.before)
      return fail(
          fmt::format("{} holds the archive of orders before {}. Finish it with that date, or name another "
                      "directory.",
                      directory().string(), to_rfc3339(manifest->before)));
    if (auto same = check_file(*manifest); !same) return std::unexpected(same.error());
    if (!manifest->done)
      if (auto removed = remove_all(*manifest); !removed) return std::unexpected(removed.error());
    return ArchiveReport{.archive = manifest->archive,
                         .orders = orders_,
                         .waiting = waiting_,
                         .refundable = refundable_,
                         .left = std::move(manifest->left)};
  }

 private:
  const fs::path& directory() const { return request_.directory; }

  // Creates the directory if it does not exist. Otherwise it must be empty or hold only the files of an interrupted
  // archive, because the command must not overwrite other files.
  Result<void> look_at_directory() {
    std::error_code error;
    if (fs::create_directory(directory(), error)) fs::permissions(directory(), fs::perms::owner_all, error);
    for (fs::directory_iterator at(directory(), error), end; !error && at != end; at.increment(error)) {
      const fs::path name = at->path().filename();
      has_manifest_ = has_manifest_ || name == store::kManifestFile;
      const bool is_own =
          std::ranges::any_of(std::initializer_list<const char*>{store::kLinesFile, store::kManifestFile},
                              [&](const char* one) { return name == one || name == store::unfinished(one); });
      if (!is_own)
        return fail(
            fmt::format("{} is not empty: it holds {}. Name a new directory.", directory().string(), name.string()));
    }
    if (error) return fail(fmt::format("cannot use {}: {}", directory().string(), error.message()));
    return {};
  }

  /// Writes the file of lines and the manifest. Returns false if the store has no order to archive.
  Result<bool> export_orders() {
    const fs::path file = directory() / store::kLinesFile;
    auto writer = store::LineWriter::open(file);
    if (!writer) return std::unexpected(writer.error());
    Manifest manifest{.before = request_.before, .made_at = request_.now};
    if (auto written = write_lines(*writer, manifest.totals); !written) return std::unexpected(written.error());
    if (manifest.totals.rows().empty()) {
      std::error_code ignored;
      fs::remove(store::unfinished(file), ignored);
      fs::remove(file, ignored);  // an interrupted archive left this file, and its orders cannot be archived now
      return false;
    }
    auto digest = writer->finish();
    if (!digest) return std::unexpected(digest.error());
    manifest.sha256 = std::move(*digest);
    std::error_code ignored;
    const fs::path name = fs::canonical(directory(), ignored).filename();
    manifest.archive = store::name_of_archive(name.string(), manifest.sha256);
    if (auto written = store::write_manifest(directory(), manifest); !written) return std::unexpected(written.error());
    return true;
  }
  Result<void> write_lines(store::LineWriter& writer, store::Totals& totals) {
    for (OrderId after;;) {
      const auto ids = archivist_.candidates(after, request_.before, limits::kArchivedPerStep);
      if (!ids) return std::unexpected(ids.error());
      if (ids->empty()) return {};
      after = ids->back();
      const auto orders = archivist_.read(*ids);
      if (!orders) return std::unexpected(orders.error());
      // Read after the orders: a payment or refund that is booked later changes its order, which then stays.
      const auto waiting = archivist_.waiting(*ids);
      if (!waiting) return std::unexpected(waiting.error());
      for (const WholeOrder& order : *orders) {
        if (!may_leave(order, *waiting)) continue;
        const std::string line = store::line_of(order);
        if (const auto counted = totals.add(line); !counted) return std::unexpected(counted.error());
        if (auto added = writer.add(line); !added) return added;
      }
    }
  }

  /// Whether the order is archived. Counts the orders that are over and stay.
  bool may_leave(const WholeOrder& order, const std::vector<OrderId>& waiting) {
    if (!store::is_over(order, request_.before)) return false;
    const bool refundable = store::is_refundable(order, request_.now - request_.refund_window);
    const bool waits = std::ranges::binary_search(waiting, order.rows.order.id);
    refundable_ += refundable ? 1 : 0;
    waiting_ += waits && !refundable ? 1 : 0;
    return !refundable && !waits;
  }

  /// Reads the file of lines and calls take(step) with up to kArchivedPerStep lines at a time. Returns the file's
  /// SHA-256, or the first error. Leaves the file's row totals in totals_ and its number of orders in orders_.
  template <class Take>
  Result<std::string> each_step(Take take) {
    std::vector<Archived> step;
    totals_ = {};
    orders_ = 0;
    auto digest = store::read_lines(directory() / store::kLinesFile, [&](const std::string& line) -> Result<void> {
      const auto id = totals_.add(line);
      if (!id) return fail(fmt::format("{}, line {}: {}", store::kLinesFile, orders_ + 1, id.error().message));
      ++orders_;
      step.push_back({*id, line});
      if (step.size() < limits::kArchivedPerStep) return {};
      auto taken = take(step);
      step.clear();
      return taken;
    });
    if (digest && !step.empty())
      if (auto taken = take(step); !taken) return std::unexpected(taken.error());
    return digest;
  }

  // Checks that the file on the disk matches the manifest, and that the store contains each order or records it as
  // archived. Does not compare the orders' rows: an order may have changed since the export.
  Result<void> check_file(const Manifest& manifest) {
    const auto digest = each_step([&](const std::vector<Archived>& step) { return check_step(step, manifest); });
    if (!digest) return std::unexpected(digest.error());
    const auto same = store::has_totals(directory(), totals_);
    if (!same) return std::unexpected(same.error());
    if (*digest != manifest.sha256 || !*same)
      return fail(
          fmt::format("{} does not match its manifest. No order was removed in this run. Keep the file, and archive "
                      "the orders that are in the store to a new directory.",
                      (directory() / store::kLinesFile).string()));
    return {};
  }
  Result<void> check_step(const std::vector<Archived>& step, const Manifest& manifest) {
    const auto orders = archivist_.read(ids_of(step));
    if (!orders) return std::unexpected(orders.error());
    const auto archived = archivist_.archived(ids_of(step));
    if (!archived) return std::unexpected(archived.error());
    std::map<OrderId, bool> known;
    for (const WholeOrder& order : *orders) known[order.rows.order.id] = true;
    for (const ArchivedOrder& order : *archived) known[order.id] = true;
    for (const Archived& one : step)
      if (!known.contains(one.id))
        return fail(fmt::format("{} is not in this store: {} is an archive of another store.", to_text(one.id),
                                manifest.archive));
    return {};
  }

  Result<void> remove_all(Manifest& manifest) {
    manifest.left.clear();
    const auto digest = each_step([&](const std::vector<Archived>& step) { return remove_step(step, manifest); });
    if (!digest) return std::unexpected(digest.error());
    manifest.totals = totals_;
    manifest.done = true;
    return store::write_manifest(directory(), manifest);
  }
  Result<void> remove_step(const std::vector<Archived>& step, Manifest& manifest) {
    std::map<OrderId, const std::string*> lines;
    for (const Archived& one : step) lines[one.id] = &one.line;
    const auto is_as_archived = [&](const WholeOrder& order) {
      return store::is_over(order, request_.before) && store::line_of(order) == *lines.at(order.rows.order.id);
    };
    const auto removed = archivist_.remove(ids_of(step), manifest.archive, request_.now, is_as_archived);
    if (!removed) return std::unexpected(removed.error());
    const auto archived = archivist_.archived(ids_of(step));
    if (!archived) return std::unexpected(archived.error());
    for (const ArchivedOrder& order : *archived)
      if (order.archive == manifest.archive) lines.erase(order.id);
    for (const auto& [id, line] : lines) manifest.left.push_back(id);
    return {};
  }

  static std::vector<OrderId> ids_of(const std::vector<Archived>& step) {
    std::vector<OrderId> ids;
    for (const Archived& one : step) ids.push_back(one.id);
    return ids;
  }

  Archivist& archivist_;
  const ArchiveRequest& request_;
  bool has_manifest_ = false;
  store::Totals totals_;  // totals of the lines that each_step() has read
  std::size_t orders_ = 0;
  std::size_t waiting_ = 0;
  std::size_t refundable_ = 0;
};

}  // namespace

Result<ArchiveReport> archive_orders(store::Archivist& archivist, const ArchiveRequest& request) {
  return Archiving(archivist, request).run();
}

}  // namespace finality
