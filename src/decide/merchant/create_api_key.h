// Creates an API key for a merchant or an operator.
#pragma once

#include <optional>
#include <string>

#include "decide/context.h"
#include "model/read_set.h"

namespace finality {

struct CreateApiKey {
  std::optional<MerchantId> merchant_id;  // empty: an operator's key
  Role role = Role::merchant;
  std::string name;
  Hash16 hash{};
};
void add_reads(const CreateApiKey& command, ReadSet& reads);
/// Refuses with `not_found` (the merchant does not exist).
Decision decide(const CreateApiKey& command, Context& context);

}  // namespace finality
