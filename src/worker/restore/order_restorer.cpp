#include "worker/restore/order_restorer.h"

#include <future>
#include <map>
#include <utility>

#include "base/limits.h"
#include "base/log.h"
#include "model/natural_key.h"
#include "store/archive/find_orders.h"
#include "worker/command_sender.h"

namespace finality {
namespace {

using namespace std::chrono_literals;

constexpr Duration kLookEvery = 1min;  // without wake()
constexpr Duration kBusyPause = 100ms;
constexpr int kTriesMax = 20;  // of a restore while the engine is busy

std::unexpected<RestoreFailure> temporary(std::string_view message) {
  return std::unexpected(RestoreFailure{std::string(message), true});
}

}  // namespace

OrderRestorer::OrderRestorer(Engine& engine, std::filesystem::path archives)
    : engine_(engine), archives_(std::move(archives)) {
  thread_.start("restore", [this] { return work(); }, kLookEvery);
}

OrderRestorer::~OrderRestorer() { stop(); }

void OrderRestorer::restore(ArchivedOrder order, Done done) {
  std::unique_lock lock(mutex_);
  const bool is_full = waiting_.size() >= limits::kRestoresQueuedMax;
  if (is_stopped_ || is_full) {
    lock.unlock();
    return done(temporary(is_full ? "too many archived orders are waiting" : kServerStops));
  }
  waiting_.push_back({std::move(order), std::move(done)});
  lock.unlock();
  thread_.wake();
}

Result<void> OrderRestorer::restore_and_wait(std::span<const ArchivedOrder> orders) {
  std::vector<std::future<Restored>> results;
  for (const ArchivedOrder& order : orders) {
    auto answer = std::make_shared<std::promise<Restored>>();
    results.push_back(answer->get_future());
    restore(order, [answer](Restored result) { answer->set_value(std::move(result)); });
  }
  Result<void> restored;
  for (auto& result : results)
    if (Restored one = result.get(); !one) restored = fail(std::move(one.error().message));
  return restored;
}

void OrderRestorer::stop() {
  thread_.stop();
  std::unique_lock lock(mutex_);
  is_stopped_ = true;
  const std::vector<Waiting> waiting = std::exchange(waiting_, {});
  lock.unlock();
  for (const Waiting& one : waiting) one.done(temporary(kServerStops));
}

bool OrderRestorer::work() {
  std::unique_lock lock(mutex_);
  std::vector<Waiting> waiting = std::exchange(waiting_, {});
  lock.unlock();
  const bool worked = !waiting.empty();
  restore_all(std::move(waiting));
  return worked;
}

// Reads each archive once for all orders that wait for it.
void OrderRestorer::restore_all(std::vector<Waiting> waiting) {
  std::map<std::string, std::vector<Waiting>> by_archive;
  for (Waiting& one : waiting) by_archive[one.order.archive].push_back(std::move(one));
  for (auto& [archive, orders] : by_archive) restore_from(archive, std::move(orders));
}

void OrderRestorer::restore_from(const std::string& archive, std::vector<Waiting> waiting) {
  std::vector<OrderId> ids;
  for (const Waiting& one : waiting) ids.push_back(one.order.id);
  const auto directory = store::directory_of_archive(archives_, archive);
  auto found = directory ? store::find_orders(*directory, ids, {}) : std::unexpected(directory.error());
  if (found && found->archive != archive)
    found = fail(fmt::format("{} has the archive {}, and not {}", directory->string(), found->archive, archive));
  if (found && !found->weak_anchor.empty())
    log::warn("weak anchor of an archive", {{"archive", archive}, {"advice", found->weak_anchor}});
  std::map<OrderId, std::shared_ptr<const WholeOrder>> rows;
  if (found)
    for (auto& [id, order] : found->orders) rows[id] = std::make_shared<const WholeOrder>(std::move(order));
  for (const Waiting& one : waiting)
    finish(one, found ? submit(one.order, rows.at(one.order.id))
                      : Restored(std::unexpected(RestoreFailure{found.error().message})));
}

// Repeats the command while the engine is busy, at most kTriesMax times. Another server that restores the same order
// causes a conflict, after which the command finds the order in the store.
Restored OrderRestorer::submit(const ArchivedOrder& order, std::shared_ptr<const WholeOrder> rows) {
  for (int tries = 1;; ++tries) {
    auto answer = std::make_shared<std::promise<Reply>>();
    Request request;
    request.command = RestoreOrder{order.merchant_id, {rows, order.archive}};
    request.merchant_id = order.merchant_id;
    request.cause = {.kind = CauseKind::notification};
    request.reply = [answer](Reply reply) { answer->set_value(std::move(reply)); };
    engine_.submit(std::move(request));
    const Reply reply = answer->get_future().get();
    const bool is_busy = should_retry(reply);
    if (!is_busy || tries == kTriesMax)
      return reply.refusal ? std::unexpected(RestoreFailure{reply.refusal->detail, is_busy}) : Restored{};
    if (thread_.sleep(kBusyPause)) return temporary(kServerStops);
  }
}

void OrderRestorer::finish(const Waiting& one, const Restored& result) {
  ++(result ? counters_.restored : counters_.failures);
  if (result)
    log::info("archived order restored", {{"order", to_text(one.order.id)}, {"archive", one.order.archive}});
  else
    log::error("archived order not restored",
               {{"order", to_text(one.order.id)}, {"archive", one.order.archive}, {"error", result.error().message}});
  one.done(result);
}

Result<std::optional<ArchivedOrder>> archived_order_of_trade(Reader& reader, MerchantId merchant,
                                                             std::string_view channel,
                                                             std::string_view channel_trade_no) {
  const auto id = reader.named(key_of_receipt(merchant, channel, channel_trade_no));
  if (!id) return std::unexpected(id.error());
  return *id == 0 ? std::optional<ArchivedOrder>() : reader.archived_order(OrderId{*id});
}

}  // namespace finality
