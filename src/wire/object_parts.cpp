#include "wire/object_parts.h"

#include "decide/payment/book_channel_settlement.h"
#include "decide/payment/collector.h"

namespace finality::wire {
namespace {

namespace json = boost::json;

json::object settlement_object(const ChannelSettlement& row) {
  json::object out{{"amount", row.settled_amount},
                   {"currency", row.settled_currency.text()},
                   {"fee", row.fee},
                   {"net", row.settled_amount - row.fee},
                   {"exchange_rate", row.exchange_rate},
                   {"transaction_no", row.transaction_no}};
  add_optional(out, "available_on", row.available_on);
  return out;
}

}  // namespace

void add_failure(json::object& out, const std::optional<std::string>& code, const std::optional<std::string>& message) {
  if (code) out["failure"] = json::object{{"code", *code}, {"message", message.value_or("")}};
}

void add_settlement(json::object& out, const OrderAggregate& aggregate, ObjectRef document) {
  if (const ChannelSettlement* row = settlement_of(aggregate, document))
    out["channel_settlement"] = settlement_object(*row);
}

void add_settlement_of_collector(json::object& out, const OrderAggregate& aggregate, ObjectRef collector) {
  if (aggregate.channel_settlements.empty()) return;
  if (const Receipt* receipt = accepted_receipt_of(aggregate, collector)) add_settlement(out, aggregate, receipt->id);
}

}  // namespace finality::wire
