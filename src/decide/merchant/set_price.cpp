#include "decide/merchant/set_price.h"

#include "decide/record.h"
#include "model/natural_key.h"

namespace finality {
namespace {

void fill(Price& price, const SetPrice& command, Time now) {
  price.amount = command.amount;
  price.currency = command.currency;
  price.note = command.note;
  price.changed_at = now;
}

}  // namespace

void add_reads(const SetPrice& command, ReadSet& reads) {
  reads.keys.push_back({key_of_price(command.merchant_id, command.name), ObjectType::price});
}

Decision decide(const SetPrice& command, Context& context) {
  const Hash16 key = key_of_price(command.merchant_id, command.name);
  if (const Key* named = context.rows.keys.find(key)) {
    Price& price = context.rows.prices.change(PriceId{named->id});
    fill(price, command, context.now);
    price.version += 1;
    record_setting(context, price);
    return CommandResult{.object = price.id};
  }
  Price price;
  price.id = context.next_id<PriceId>();
  price.merchant_id = command.merchant_id;
  price.name = command.name;
  price.created_at = context.now;
  fill(price, command, context.now);
  record_setting(context, price);
  context.rows.keys.insert(key, {key, price.merchant_id, price.id.value});
  return CommandResult{.object = context.rows.prices.insert(price.id, price).id};
}

}  // namespace finality
