#include "decide/merchant/create_merchant.h"

#include "decide/record.h"

namespace finality {

void add_reads(const CreateMerchant&, ReadSet&) {}

Decision decide(const CreateMerchant& command, Context& context) {
  Merchant merchant;
  merchant.id = context.next_id<MerchantId>();
  merchant.name = command.name;
  merchant.webhook_secret = command.webhook_secret;
  merchant.link_secret = command.link_secret;
  merchant.created_at = context.now;
  record(context, {merchant.id, merchant.id, merchant.version}, merchant.id, "created", std::nullopt, "active",
         fsm::CellKind::move);
  const MerchantId id = merchant.id;
  context.rows.merchants.insert(id, std::move(merchant));
  return CommandResult{.object = id, .created = true};
}

void add_reads(const CreateApiKey& command, ReadSet& reads) {
  if (command.merchant_id) reads.merchants.push_back(*command.merchant_id);
}

Decision decide(const CreateApiKey& command, Context& context) {
  if (command.merchant_id && context.rows.merchants.find(*command.merchant_id) == nullptr)
    return refuse(RefusalCode::not_found, "There is no such merchant.", "merchant");
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

void add_reads(const RevokeApiKey& command, ReadSet& reads) { reads.api_keys.push_back(command.key_id); }

Decision decide(const RevokeApiKey& command, Context& context) {
  const ApiKey* found = context.rows.api_keys.find(command.key_id);
  if (found == nullptr || found->revoked_at) return refuse(RefusalCode::not_found, "There is no such API key.");
  ApiKey& key = context.rows.api_keys.change(command.key_id);
  key.revoked_at = context.now;
  key.version += 1;
  record(context, {key.id, key.merchant_id.value_or(MerchantId{}), key.version}, key.id, "revoked", "active", "revoked",
         fsm::CellKind::move);
  return CommandResult{.object = command.key_id};
}

}  // namespace finality
