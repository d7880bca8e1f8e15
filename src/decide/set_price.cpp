#include "decide/set_price.h"

#include "decide/record.h"
#include "model/natural_key.h"

namespace finality {
namespace {

constexpr std::string_view kActive = "active";  // a price has no other state

void trace(Context& context, const Price& price, std::string_view event) {
  const bool is_new = price.version == 1;
  record(context, {price.id, price.merchant_id, price.version}, price.id, event,
         is_new ? std::nullopt : std::optional(std::string(kActive)), kActive,
         is_new ? fsm::CellKind::move : fsm::CellKind::keep);
}

void fill(Price& price, const SetPrice& command, Time now) {
  price.amount = command.amount;
  price.currency = command.currency;
  price.note = command.note;
  price.changed_at = now;
}

}  // namespace

void add_needs(const SetPrice& command, Needs& needs) {
  needs.price_keys.push_back(key_of_price(command.merchant_id, command.name));
}

Decision decide(const SetPrice& command, Context& context) {
  const Hash16 key = key_of_price(command.merchant_id, command.name);
  if (const Key* named = context.rows.keys.find(key)) {
    Price& price = context.rows.prices.change(PriceId{named->id});
    fill(price, command, context.now);
    price.version += 1;
    trace(context, price, "changed");
    return Done{price.id};
  }
  Price price;
  price.id = context.next_id<PriceId>();
  price.merchant_id = command.merchant_id;
  price.name = command.name;
  price.created_at = context.now;
  fill(price, command, context.now);
  trace(context, price, "created");
  context.rows.keys.insert(key, {key, price.merchant_id, price.id.value});
  return Done{context.rows.prices.insert(price.id, price).id};
}

}  // namespace finality
