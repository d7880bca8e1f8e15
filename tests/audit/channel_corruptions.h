// Damage to channel accounts, bank accounts, channel rates and unknown receipts.
#pragma once

#include <vector>

#include "corruptions.h"

namespace finality::audit {

void damage_channels(std::vector<Corruption>& list);

}  // namespace finality::audit
