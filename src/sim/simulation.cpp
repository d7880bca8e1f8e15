#include "sim/simulation.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <map>
#include <mutex>
#include <thread>

#include "base/check.h"
#include "base/log.h"
#include "store/postgres/testing/scratch_database.h"

namespace finality::sim {
namespace {

thread_local std::uint64_t seed_of_thread = 0;

/// Directory or database for the store of one run, deleted on destruction.
class WorldPlace {
 public:
  WorldPlace(const WorldOptions& options, std::uint64_t seed) {
    const std::string name = fmt::format("seed_{}_{}", ::getpid(), seed);
    if (options.store == StoreKind::sqlite) {
      path_ = (std::filesystem::path(options.place) / name).string();
      std::filesystem::create_directories(path_);
    }
    if (options.store == StoreKind::postgres) {
      auto database = postgres::ScratchDatabase::make(options.place, name);
      FINALITY_CHECK(database.has_value(), database.error().message);
      database_ = std::move(*database);
      path_ = database_->url();
    }
  }
  ~WorldPlace() {
    std::error_code ignored;
    if (!path_.empty() && database_ == nullptr) std::filesystem::remove_all(path_, ignored);
  }
  WorldPlace(const WorldPlace&) = delete;
  WorldPlace& operator=(const WorldPlace&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::unique_ptr<postgres::ScratchDatabase> database_;
  std::string path_;
};

WorldResult run_seed(const SimulationOptions& options, std::uint64_t seed) {
  WorldOptions world = options.world;
  world.seed = seed;
  return run_placed(std::move(world));
}

void add(SimulationReport& report, std::uint64_t seed, const WorldResult& result) {
  report.seeds += 1;
  report.payments += result.payments;
  for (std::size_t i = 0; i < report.faults.size(); ++i) report.faults[i] += result.faults[i];
  report.coverage.merge(result.coverage);
  for (std::size_t i = 0; i < result.findings.size(); ++i) report.findings.push_back({seed, i, result.findings[i]});
}

}  // namespace

std::uint64_t seed_under_way() { return seed_of_thread; }

WorldResult run_placed(WorldOptions world) {
  const WorldPlace place(world, world.seed);
  world.place = place.path();
  seed_of_thread = world.seed;
  WorldResult result = run_world(world);
  seed_of_thread = 0;
  return result;
}

SimulationReport simulate(const SimulationOptions& options) {
  log::set_level(log::Level::off);  // faults cause expected engine errors; only findings matter
  SimulationReport report;
  std::map<std::uint64_t, std::uint64_t> hashes;
  std::mutex mutex;
  std::atomic<std::uint64_t> next = options.first_seed;
  const auto work = [&] {
    for (std::uint64_t seed = next++; seed <= options.last_seed; seed = next++) {
      const WorldResult result = run_seed(options, seed);
      const std::lock_guard lock(mutex);
      add(report, seed, result);
      hashes[seed] = result.trace_hash;
      if (options.ended) options.ended(seed, result);
      if (options.progress) options.progress(report.seeds, report.payments);
    }
  };
  {
    std::vector<std::jthread> threads;
    for (int i = 1; i < options.threads; ++i) threads.emplace_back(work);
    work();
  }
  std::ranges::sort(report.findings, {},
                    [](const SeedFinding& finding) { return std::tuple(finding.seed, finding.place); });
  for (const auto& [seed, hash] : hashes) report.trace_hash = (report.trace_hash ^ hash) * 0x100000001B3u;
  return report;
}

}  // namespace finality::sim
