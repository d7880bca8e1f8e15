// Creates a merchant.
#pragma once

#include <string>

#include "base/secret.h"
#include "decide/context.h"
#include "model/read_set.h"

namespace finality {

struct CreateMerchant {
  std::string name;
  Secret webhook_secret;  // drawn by the caller, as all secrets here
  Secret link_secret;
};
void add_reads(const CreateMerchant& command, ReadSet& reads);
Decision decide(const CreateMerchant& command, Context& context);

}  // namespace finality
