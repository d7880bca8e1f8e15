// An object of the working set as the API shows it.
#pragma once

#include <string>

#include "decide/context.h"
#include "model/policy.h"
#include "model/working_set.h"

namespace finality {

struct Showing {
  const Policy& policy;
  Time now;
};

/// What the command that was carried out answers with. Secrets are shown: only whoever made the object asks here.
/// REQUIRES: the object was loaded or made in `rows`.
std::string render(const WorkingSet& rows, const Done& done, MerchantId merchant, const Showing& showing);

}  // namespace finality
