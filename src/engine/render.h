// An object of the working set as the API shows it.
#pragma once

#include <string>

#include "model/policy.h"
#include "model/working_set.h"

namespace finality {

/// REQUIRES: the object was loaded or made in `rows`. Secrets are shown: only whoever made the object asks here.
std::string render(const WorkingSet& rows, ObjectRef object, MerchantId merchant, const Policy& policy);

}  // namespace finality
