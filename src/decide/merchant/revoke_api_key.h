// Revokes an API key.
#pragma once

#include "decide/context.h"
#include "model/read_set.h"

namespace finality {

struct RevokeApiKey {
  ApiKeyId key_id;
};
void add_reads(const RevokeApiKey& command, ReadSet& reads);
/// Refuses with `not_found` (the key does not exist or is already revoked).
Decision decide(const RevokeApiKey& command, Context& context);

}  // namespace finality
