#include "sim/simulation.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <map>
#include <mutex>
#include <thread>

namespace finality::sim {
namespace {

thread_local std::uint64_t seed_of_thread = 0;

/// A place for the store of one world, when it is on disk.
class WorldDirectory {
 public:
  WorldDirectory(const WorldOptions& options, std::uint64_t seed) : on_disk_(options.store != StoreKind::memory) {
    if (!on_disk_) return;
    path_ = std::filesystem::path(options.directory) / fmt::format("seed-{}", seed);
    std::filesystem::create_directories(path_);
  }
  ~WorldDirectory() {
    std::error_code ignored;
    if (on_disk_) std::filesystem::remove_all(path_, ignored);
  }
  WorldDirectory(const WorldDirectory&) = delete;
  WorldDirectory& operator=(const WorldDirectory&) = delete;
  std::string path() const { return path_.string(); }

 private:
  bool on_disk_;
  std::filesystem::path path_;
};

WorldResult run_seed(const SimulationOptions& options, std::uint64_t seed) {
  const WorldDirectory directory(options.world, seed);
  WorldOptions world = options.world;
  world.seed = seed;
  world.directory = directory.path();
  seed_of_thread = seed;
  WorldResult result = run_world(world);
  seed_of_thread = 0;
  return result;
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

SimulationReport simulate(const SimulationOptions& options) {
  spdlog::set_level(spdlog::level::off);  // engines fail all the time here: the auditor says what matters
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
      if (options.progress) options.progress(report.seeds, report.payments);
    }
  };
  {
    std::vector<std::jthread> threads;
    for (int i = 1; i < options.threads; ++i) threads.emplace_back(work);
    work();
  }
  std::ranges::sort(report.findings, {}, [](const SeedFinding& one) { return std::tuple(one.seed, one.place); });
  for (const auto& [seed, hash] : hashes) report.trace_hash = (report.trace_hash ^ hash) * 0x100000001B3u;
  return report;
}

}  // namespace finality::sim
