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
  // Waits as long as the first row is overdue, up to kOverdueMax: the row was already claimed without effect, or a
  // fault lets the scan skip it.
  const Duration overdue = std::clamp(scheduler_.now() - first->front().due_at, Duration{0}, kOverdueMax);
  Time at = std::max(scheduler_.now(), first->front().due_at) + std::max(kScanEveryMin, overdue);
  if (planned_ && *planned_ <= at) return;
  planned_ = at;
  at = at + scheduler_.random().between(Duration{0}, kScanEveryMax);
  scheduler_.after(at - scheduler_.now(), [this, number = ++plan_number_] {
    if (number != plan_number_) return;
    planned_.reset();
    scan();
    plan();
  });
}

// Returns how long the scan skips a row: usually less than kScanLateMax, sometimes up to six times as long.
Duration Scanner::lateness() {
  Random& random = scheduler_.random();
  return random.chance(300) ? random.between(Duration{1000}, 6 * kScanLateMax)
                            : random.spread(Duration{1000}, kScanLateMax);
}

void Scanner::scan() {
  SimEngine& engine = client_.any_engine();
  const auto rows = reader_.due(scheduler_.now(), kRowsPerScan, {});
  if (!rows || !engine.is_running()) return;
  for (const DueRow& due : *rows) {
    Time& claimed = claimed_[due.row];
    if (claimed > scheduler_.now() && !scheduler_.faults_stopped()) continue;
    if (scheduler_.now() - claimed < kClaimNeeds && !scheduler_.random().chance(50)) continue;
    claimed = scheduler_.now();
    if (scheduler_.happens(Fault::scan_late)) {  // the scan skips this row
      claimed = claimed + lateness();
      continue;
    }
    if (scheduler_.random().chance(300))  // the claim waits in the worker's queue
      scheduler_.after(scheduler_.random().between(Duration{1}, kQueueWaitMax),
                       [&engine, due] { engine.submit(plan_claim(due)); });
    else
      engine.submit(plan_claim(due));
    if (scheduler_.random().chance(50)) client_.any_engine().submit(plan_claim(due));  // another node also scans
  }
}

}  // namespace finality::sim
