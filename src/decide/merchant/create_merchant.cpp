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

}  // namespace finality
