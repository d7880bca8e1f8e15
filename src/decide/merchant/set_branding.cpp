#include "decide/merchant/set_branding.h"

#include "decide/record.h"

namespace finality {
namespace {

template <class T>
void apply(std::optional<T>& field, const FieldChange<T>& change) {
  if (change) field = *change;
}

}  // namespace

void add_reads(const SetBranding& command, ReadSet& reads) { reads.merchants.push_back(command.merchant_id); }

Decision decide(const SetBranding& command, Context& context) {
  const Merchant* found = context.rows.merchants.find(command.merchant_id);
  if (found == nullptr) return refuse(RefusalCode::not_found, "The merchant does not exist.");
  Merchant merchant = *found;
  apply(merchant.brand_name, command.name);
  apply(merchant.brand_support, command.support);
  apply(merchant.brand_color, command.color);
  apply(merchant.brand_logo, command.logo);
  const bool is_same = merchant.brand_name == found->brand_name && merchant.brand_support == found->brand_support &&
                       merchant.brand_color == found->brand_color && merchant.brand_logo == found->brand_logo;
  if (is_same) return CommandResult{.object = command.merchant_id};
  merchant.version += 1;
  record(context, {merchant.id, merchant.id, merchant.version}, merchant.id, "branding_changed", "active", "active",
         fsm::CellKind::keep);
  context.rows.merchants.change(command.merchant_id) = std::move(merchant);
  return CommandResult{.object = command.merchant_id};
}

}  // namespace finality
