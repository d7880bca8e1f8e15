// An object of the working set as the API shows it.
#pragma once

#include <string>

#include "model/policy.h"
#include "model/working_set.h"

namespace finality {

/// `home` is the order whose aggregate it belongs to, where it belongs to one. Secrets are shown: only whoever made the
/// object asks here. REQUIRES: the object was loaded or made in `rows`.
std::string render(const WorkingSet& rows, ObjectRef object, OrderId home, MerchantId merchant, const Policy& policy);

}  // namespace finality
