#include "http/server/reader_pool.h"

#include <exception>
#include <utility>

#include "base/log.h"
#include "base/thread_name.h"

namespace finality::http {

Result<std::unique_ptr<ReaderPool>> ReaderPool::open(Store& store, std::size_t threads, std::size_t waiting_max) {
  std::unique_ptr<ReaderPool> pool(new ReaderPool(waiting_max));
  for (std::size_t i = 0; i < threads; ++i) {
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

bool ReaderPool::submit(std::function<void(Reader&)> task) {
  {
    const std::lock_guard lock(mutex_);
    if (stopping_ || waiting_.size() >= waiting_max_) return false;
    waiting_.push_back(std::move(task));
  }
  changed_.notify_one();
  return true;
}

void ReaderPool::run(Reader& reader) {
  name_thread("reader");
  for (std::unique_lock lock(mutex_);; lock.lock()) {
    changed_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
    if (stopping_) return;
    const std::function<void(Reader&)> task = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    try {
      task(reader);
    } catch (const std::exception& error) {
      log::error("read failed with an exception", {{"error", error.what()}});
    }
  }
}

}  // namespace finality::http
