#include "sim/world/failed_part.h"

#include <algorithm>

namespace finality::sim {
namespace {

constexpr Duration kFailsMin = std::chrono::milliseconds(100);
constexpr Duration kFailsMax = std::chrono::minutes(1);

}  // namespace

std::vector<MerchantId> FailedPart::failed_of(const std::vector<MerchantId>& merchants) {
  if (scheduler_.now() >= until_ && !merchants.empty() && scheduler_.happens(Fault::part_failed)) {
    merchant_ =
        merchants[static_cast<std::size_t>(scheduler_.random().below(static_cast<std::int64_t>(merchants.size())))];
    until_ = scheduler_.now() + scheduler_.random().spread(kFailsMin, kFailsMax);
  }
  std::vector<MerchantId> failed;
  std::ranges::copy_if(merchants, std::back_inserter(failed), [this](MerchantId one) { return has_failed(one); });
  return failed;
}

}  // namespace finality::sim
