#include "sim/world/scanner.h"

#include <limits>

#include "worker/due_planner.h"

namespace finality::sim {
namespace {

constexpr Time kEver{std::numeric_limits<std::int64_t>::max() / 2};
constexpr std::size_t kRowsPerScan = 64;
constexpr Duration kClaimNeeds{1000};
constexpr Duration kScanEveryMin{20};
constexpr Duration kScanEveryMax{400};
constexpr Duration kOverdueMax = std::chrono::minutes(1);
constexpr Duration kQueueWaitMax = std::chrono::minutes(10);
constexpr Duration kScanLateMax = std::chrono::hours(1);

}  // namespace

void Scanner::plan() {
  const auto first = reader_.due(kEver, 1, {});
  if (!first || first->empty()) return;
  // What is overdue was claimed in vain, or is overlooked: there is no hurry.
  const Duration overdue = std::clamp(stage_.now() - first->front().due_at, Duration{0}, kOverdueMax);
  Time at = std::max(stage_.now(), first->front().due_at) + std::max(kScanEveryMin, overdue);
  if (planned_ && *planned_ <= at) return;
  planned_ = at;
  at = at + stage_.random().between(Duration{0}, kScanEveryMax);
  stage_.after(at - stage_.now(), [this, number = ++plan_number_] {
    if (number != plan_number_) return;
    planned_.reset();
    scan();
    plan();
  });
}

// Mostly a little, now and then for hours.
Duration Scanner::lateness() {
  Random& random = stage_.random();
  return random.chance(300) ? random.between(Duration{1000}, 6 * kScanLateMax)
                            : random.spread(Duration{1000}, kScanLateMax);
}

void Scanner::scan() {
  SimEngine& engine = client_.any_engine();
  const auto rows = reader_.due(stage_.now(), kRowsPerScan, {});
  if (!rows || !engine.alive()) return;
  for (const DueRow& due : *rows) {
    Time& claimed = claimed_[due.row];
    if (claimed > stage_.now() && !stage_.faults_stopped()) continue;
    if (stage_.now() - claimed < kClaimNeeds && !stage_.random().chance(50)) continue;
    claimed = stage_.now();
    if (stage_.happens(Fault::scan_late)) {  // it is overlooked
      claimed = claimed + lateness();
      continue;
    }
    if (stage_.random().chance(300))  // it waits in a queue
      stage_.after(stage_.random().between(Duration{1}, kQueueWaitMax),
                   [&engine, due] { engine.submit(plan_claim(due)); });
    else
      engine.submit(plan_claim(due));
    if (stage_.random().chance(50)) client_.any_engine().submit(plan_claim(due));  // every node scans
  }
}

}  // namespace finality::sim
