// Damage to accounts, transfers, holds, the wallet, prices and fees.
#pragma once

#include <vector>

#include "corruptions.h"

namespace finality::audit {

void damage_accounts(std::vector<Corruption>& list);

}  // namespace finality::audit
