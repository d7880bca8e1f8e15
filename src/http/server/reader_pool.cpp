#include "http/server/reader_pool.h"

#include <array>
#include <exception>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "base/log.h"
#include "base/thread_name.h"
#include "http/server/problem.h"

namespace finality::http {
namespace {

std::array<std::int64_t, 1> members_of(const ReadTask& task) { return {task.client.value()}; }

}  // namespace

ReadClient ReadClient::of_address(std::optional<std::uint64_t> number) {
  // Ids are positive, so that no address has the number of a merchant.
  return ReadClient(static_cast<std::int64_t>(number.value_or(0)) | std::numeric_limits<std::int64_t>::min());
}

Result<std::unique_ptr<ReaderPool>> ReaderPool::open(Store& store, const Options& options) {
  std::unique_ptr<ReaderPool> pool(new ReaderPool(options));
  for (std::size_t i = 0; i < options.threads; ++i) {
    Result<std::unique_ptr<Reader>> reader = store.open_reader();
    if (!reader) return std::unexpected(reader.error());
    pool->readers_.push_back(std::move(*reader));
  }
  for (const std::unique_ptr<Reader>& reader : pool->readers_)
    pool->threads_.emplace_back([raw = pool.get(), &reader = *reader]() noexcept { raw->run(reader); });
  return pool;
}

ReaderPool::~ReaderPool() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  for (std::jthread& thread : threads_) thread.join();
}

std::expected<void, Refusal> ReaderPool::submit(ReadTask task) {
  const std::array members = members_of(task);
  {
    const std::lock_guard lock(mutex_);
    if (is_over_limit(task)) {
      ++counters_.refused_client;
      return std::unexpected(too_many_reads());
    }
    if (stopping_ || !slots_.line_up(members, std::move(task))) {
      ++counters_.refused_server;
      return std::unexpected(busy());
    }
    ++counters_.waiting;
  }
  changed_.notify_one();
  return {};
}

// REQUIRES: mutex_ is held.
bool ReaderPool::is_over_limit(const ReadTask& task) const {
  return task.is_limited && slots_.use(members_of(task)).waiting >= options_.waiting_per_client_max;
}

void ReaderPool::run(Reader& reader) {
  name_thread("reader");
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stopping_ || slots_.can_start(); });
    if (stopping_) return;
    std::optional<ReadTask> task = slots_.next();
    --counters_.waiting;
    // One released slot can let tasks of two clients start; this thread runs only one of them.
    const bool wakes_another = slots_.can_start();
    lock.unlock();
    if (wakes_another) changed_.notify_one();
    perform(*task, reader);
    const std::array members = members_of(*task);
    task.reset();
    lock.lock();
    slots_.release(members);
  }
}

void ReaderPool::perform(const ReadTask& task, Reader& reader) {
  if (task.closed != nullptr && task.closed->load(std::memory_order_relaxed)) {
    ++counters_.dropped;
    return;
  }
  try {
    task.run(reader);
  } catch (const std::exception& error) {
    log::error("read failed with an exception", {{"error", error.what()}});
  }
}

}  // namespace finality::http
