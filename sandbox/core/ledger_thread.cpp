#include "sandbox/core/ledger_thread.h"

#include <fmt/format.h>

#include <filesystem>
#include <iterator>

#include "base/check.h"

namespace finality::sandbox {
namespace {

constexpr std::size_t kQueueMax = 32'768;
constexpr std::size_t kBatchMax = 1024;

}  // namespace

Result<std::shared_ptr<LedgerThread>> LedgerThread::open(const std::string& data_directory,
                                                         std::shared_ptr<const Clock> clock, double time_scale) {
  const std::filesystem::path directory(data_directory);
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) return fail(fmt::format("cannot create the directory {}: {}", data_directory, error.message()));
  const std::string path = directory / "sandbox.db";
  try {
    return std::make_shared<LedgerThread>(path, std::move(clock), time_scale);
  } catch (const DatabaseError& failure) {
    return fail(fmt::format("cannot open the sandbox's database {}: {}. Check whether another sandbox uses it.", path,
                            failure.what()));
  }
}

LedgerThread::LedgerThread(const std::string& path, std::shared_ptr<const Clock> clock, double time_scale)
    : clock_(std::move(clock)), ledger_(std::in_place, path, time_scale) {}

LedgerThread::~LedgerThread() { stop(); }

void LedgerThread::start(std::function<void(Due)> on_due) {
  on_due_ = std::move(on_due);
  thread_ = std::thread([this] { run(); });
}

void LedgerThread::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  arrived_.notify_one();
  if (!thread_.joinable()) return;
  FINALITY_CHECK(thread_.get_id() != std::this_thread::get_id(), "stop() runs on the ledger thread");
  thread_.join();
}

void LedgerThread::enqueue(Job job) {
  {
    const std::lock_guard lock(mutex_);
    if (!stopping_ && queue_.size() < kQueueMax) {
      queue_.push_back(std::move(job));
      arrived_.notify_one();
      return;
    }
  }
  const Error error{"the sandbox is overloaded or stopping; try again later"};
  job.finish(&error);
}

void LedgerThread::run() {
  for (std::deque<Job> batch = next_batch(); !batch.empty(); batch = next_batch()) {
    const std::optional<Error> error = carry_out(batch);
    for (const Job& job : batch) job.finish(error ? &*error : nullptr);
    const Due due = ledger_->take_due();
    if (due.trade || due.notification) on_due_(due);
  }
  // Closes the database here and not in the destructor: a late request may keep this object alive, and the file must
  // not stay open that long.
  ledger_.reset();
}

std::deque<LedgerThread::Job> LedgerThread::next_batch() {
  std::unique_lock lock(mutex_);
  arrived_.wait(lock, [&] { return stopping_ || !queue_.empty(); });
  if (queue_.size() <= kBatchMax) return std::exchange(queue_, {});
  const auto end = queue_.begin() + kBatchMax;
  std::deque<Job> batch(std::make_move_iterator(queue_.begin()), std::make_move_iterator(end));
  queue_.erase(queue_.begin(), end);
  return batch;
}

std::optional<Error> LedgerThread::carry_out(const std::deque<Job>& batch) {
  if (broken_) return Error{"the sandbox's database has failed; restart the sandbox"};
  try {
    ledger_->begin(now());
    for (const Job& job : batch) job.work(*ledger_);
    ledger_->commit();
    return std::nullopt;
  } catch (const DatabaseError& failure) {
    broken_ = true;
    fmt::print(stderr, "sandbox: the database has failed, restart the sandbox: {}\n", failure.what());
    try {
      ledger_->roll_back();
    } catch (const DatabaseError&) {
      // Ignores a failed rollback: the transaction is not committed, and the connection is not used again.
    }
    return Error{"the sandbox's database has failed; restart the sandbox"};
  }
}

}  // namespace finality::sandbox
