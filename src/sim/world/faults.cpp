#include "sim/world/faults.h"

#include <algorithm>

namespace finality::sim {
namespace {

// Share of simulation runs in which all active faults have high rates, so that several rare faults coincide.
constexpr int kWildPerMille = 200;

// Returns the maximum rate of a fault, in per mille. Faults with many occasions have low rates: a process that crashes
// at every commit would do no work.
constexpr int rate_max(Fault fault) {
  constexpr std::pair<Fault, int> rows[] = {
      {Fault::commit_lost, 4},           {Fault::crash_before_commit, 4},
      {Fault::crash_after_commit, 4},    {Fault::load_failed, 30},
      {Fault::commit_failed, 40},        {Fault::commit_conflict, 150},
      {Fault::clock_jump, 500},          {Fault::commit_overtaken, 700},
      {Fault::node_taken_over, 500},     {Fault::crash, 300},
      {Fault::server_gone, 50},          {Fault::answer_contradictory, 400},
      {Fault::refund_contradicted, 400}, {Fault::scan_late, 500},
      {Fault::power_lost, 700},          {Fault::load_overtaken, 500},
      {Fault::refund_unannounced, 500},  {Fault::payment_unannounced, 500},
      {Fault::statement_late, 400},      {Fault::statement_empty, 300},
      {Fault::statement_malformed, 300}, {Fault::statement_restated, 700},
      {Fault::hold_late, 400},           {Fault::second_hold, 500},
      {Fault::hold_partial, 400},        {Fault::hold_raised, 400},
      {Fault::hold_lapsed, 400},         {Fault::captured_elsewhere, 500},
      {Fault::released_elsewhere, 400},  {Fault::capture_contradicted, 400},
      {Fault::release_refused, 500},     {Fault::release_again, 400},
      {Fault::clock_spike, 100},         {Fault::part_failed, 10},
      {Fault::hold_currency_wrong, 400},
  };
  for (const auto& [one, most] : rows)
    if (one == fault) return most;
  return 250;
}

int draw_rate(Random& random, Fault fault, bool wild) {
  const int most = rate_max(fault);
  return static_cast<int>(1 + random.below(wild || random.chance(300) ? most : std::max(1, most / 5)));
}

}  // namespace

FaultRates draw_rates(Random& random) {
  FaultRates rates{};
  const bool wild = random.chance(kWildPerMille);
  int awake = 0;
  for (std::size_t i = 0; i < rates.size(); ++i) {
    if (!random.chance(600)) continue;
    rates[i] = draw_rate(random, static_cast<Fault>(i), wild);
    ++awake;
  }
  while (awake < kFaultsAwakeMin) {
    const auto i = static_cast<std::size_t>(random.below(kCount<Fault>));
    if (rates[i] != 0) continue;
    rates[i] = draw_rate(random, static_cast<Fault>(i), wild);
    ++awake;
  }
  return rates;
}

}  // namespace finality::sim
