// Damage to authorizations, captures and the holds of wallet authorizations.
#pragma once

#include <vector>

#include "corruptions.h"

namespace finality::audit {

void damage_authorizations(std::vector<Corruption>& list);

}  // namespace finality::audit
