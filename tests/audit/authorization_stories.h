// The stories of authorizations and captures in the populated store (populated_store.h).
#pragma once

#include "shop.h"

namespace finality::audit {

/// Makes orders with manual capture. Each is named after its outcome.
void hold_amounts(Shop& shop, const UserAccounts& accounts);

}  // namespace finality::audit
