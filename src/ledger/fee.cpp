#include "ledger/fee.h"

#include <algorithm>

namespace finality::ledger {
namespace {

constexpr std::int64_t kBasis = 10'000;

__extension__ using Wide = __int128;  // the product of two 64-bit amounts needs up to 128 bits

}  // namespace

MinorUnits fee_for(const Fee& fee, MinorUnits amount) {
  const auto share = static_cast<MinorUnits>((Wide{amount} * fee.basis_points + kBasis / 2) / kBasis);
  MinorUnits sum = fee.fixed + share;
  if (fee.minimum) sum = std::max(sum, *fee.minimum);
  if (fee.maximum) sum = std::min(sum, *fee.maximum);
  return std::min(sum, amount);
}

MinorUnits share_of(MinorUnits total, MinorUnits part, MinorUnits whole) {
  return static_cast<MinorUnits>(Wide{total} * part / whole);
}

}  // namespace finality::ledger
