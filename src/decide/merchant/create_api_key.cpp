#include "decide/merchant/create_api_key.h"

#include "decide/record.h"

namespace finality {

void add_reads(const CreateApiKey& command, ReadSet& reads) {
  if (command.merchant_id) reads.merchants.push_back(*command.merchant_id);
}

Decision decide(const CreateApiKey& command, Context& context) {
  if (command.merchant_id && context.rows.merchants.find(*command.merchant_id) == nullptr)
    return refuse(RefusalCode::not_found, "The merchant does not exist.", "merchant");
  if (command.merchant_id == kPlatform)
    return refuse(RefusalCode::invalid_request,
                  "merchant must not be the platform: it has no orders. Create an operator key instead: set role.",
                  "merchant");
  ApiKey key;
  key.id = context.next_id<ApiKeyId>();
  key.merchant_id = command.merchant_id;
  key.role = command.role;
  key.name = command.name;
  key.hash = command.hash;
  key.created_at = context.now;
  record(context, {key.id, key.merchant_id.value_or(MerchantId{}), key.version}, key.id, "created", std::nullopt,
         "active", fsm::CellKind::move);
  const ApiKeyId id = key.id;
  context.rows.api_keys.insert(id, std::move(key));
  return CommandResult{.object = id, .created = true};
}

}  // namespace finality
