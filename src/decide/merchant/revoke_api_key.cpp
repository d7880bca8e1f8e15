#include "decide/merchant/revoke_api_key.h"

#include "decide/record.h"

namespace finality {

void add_reads(const RevokeApiKey& command, ReadSet& reads) { reads.api_keys.push_back(command.key_id); }

Decision decide(const RevokeApiKey& command, Context& context) {
  const ApiKey* found = context.rows.api_keys.find(command.key_id);
  if (found == nullptr || found->revoked_at)
    return refuse(RefusalCode::not_found, "The API key does not exist or is revoked.");
  ApiKey& key = context.rows.api_keys.change(command.key_id);
  key.revoked_at = context.now;
  key.version += 1;
  record(context, {key.id, key.merchant_id.value_or(MerchantId{}), key.version}, key.id, "revoked", "active", "revoked",
         fsm::CellKind::move);
  return CommandResult{.object = command.key_id};
}

}  // namespace finality
