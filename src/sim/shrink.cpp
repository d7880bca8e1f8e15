#include "sim/shrink.h"

#include "sim/simulation.h"

namespace finality::sim {
namespace {

constexpr int kFew = 5;  // maximum number of payments for which other seeds are tried, because such runs are short
constexpr std::uint64_t kSeedsMax = 100;

class Shrinker {
 public:
  Shrinker(const WorldOptions& failing, const std::string& invariant) : best_(failing), invariant_(invariant) {
    best_.stop_at_first = true;
    best_.trace = TraceWish::hashed;
  }

  Shrunk run() {
    fewer_payments();
    try_with([](WorldOptions& world) { world.engines = 1; });
    for (const Part part :
         {Part::accounts, Part::settings, Part::operators, Part::statements, Part::authorizations, Part::funds})
      try_with([part](WorldOptions& world) { world.left_out.insert(part); });
    for (std::size_t i = 0; i < kCount<Fault>; ++i)
      try_with([i](WorldOptions& world) { world.without |= bit_of(static_cast<Fault>(i)); });
    fewer_payments();
    best_.trace = TraceWish::kept;
    return {best_, run_placed(best_)};
  }

 private:
  bool still_breaks(const WorldOptions& world) const {
    const WorldResult result = run_placed(world);
    return !result.findings.empty() && result.findings.front().invariant == invariant_;
  }
  template <class Change>
  bool try_with(Change change) {
    WorldOptions smaller = best_;
    change(smaller);
    if (!still_breaks(smaller)) return false;
    best_ = smaller;
    return true;
  }
  void fewer_payments() {
    const int most = best_.payments;
    for (int payments = 1; payments < most; payments += std::max(1, payments / 2)) {
      if (try_with([payments](WorldOptions& world) { world.payments = payments; })) return;
      for (std::uint64_t seed = 1; payments <= kFew && seed <= kSeedsMax; ++seed)
        if (try_with([payments, seed](WorldOptions& world) {
              world.payments = payments;
              world.seed = seed;
            }))
          return;
    }
  }

  WorldOptions best_;
  const std::string& invariant_;
};

}  // namespace

Shrunk shrink(const WorldOptions& failing, const std::string& invariant) { return Shrinker(failing, invariant).run(); }

}  // namespace finality::sim
