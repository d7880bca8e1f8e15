#include "sim/scanner.h"

#include <limits>

#include "worker/due_planner.h"

namespace finality::sim {
namespace {

constexpr Time kEver{std::numeric_limits<std::int64_t>::max() / 2};
constexpr std::size_t kRowsPerScan = 64;
constexpr Duration kClaimNeeds{1000};
constexpr Duration kScanEveryMin{20};
constexpr Duration kScanEveryMax{400};

}  // namespace

void Scanner::plan() {
  const auto first = reader_.due(kEver, 1);
  if (!first || first->empty()) return;
  Time at = std::max(stage_.now(), first->front().due_at) + kScanEveryMin;
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

void Scanner::scan() {
  SimEngine& engine = client_.any_engine();
  const auto rows = reader_.due(stage_.now(), kRowsPerScan);
  if (!rows || !engine.alive()) return;
  for (const DueRow& due : *rows) {
    Time& claimed = claimed_[due.row];
    // Now and then two claim one row: they may be two nodes.
    if (stage_.now() - claimed < kClaimNeeds && !stage_.random().chance(50)) continue;
    claimed = stage_.now();
    engine.submit(plan_claim(due));
  }
}

}  // namespace finality::sim
