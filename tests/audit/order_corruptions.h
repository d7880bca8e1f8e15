// Damage to orders, payments, receipts, and what goes back to the payer.
#pragma once

#include <vector>

#include "corruptions.h"

namespace finality::audit {

void damage_orders(std::vector<Corruption>& list);

}  // namespace finality::audit
