#include "decide/payment/trade.h"

#include <algorithm>

namespace finality {
namespace {

// Returns the sum of the trade's receipts for which `counts` returns true.
template <class Counts>
MinorUnits sum_of_trade(const OrderAggregate& aggregate, const Receipt& receipt, Counts counts) {
  MinorUnits sum = 0;
  for (const Receipt& one : aggregate.receipts)
    if (is_same_trade(aggregate, one, receipt) && counts(one)) sum += one.amount;
  return sum;
}

bool is_accepted(const Receipt& receipt) { return receipt.state == ReceiptState::accepted; }

}  // namespace

const std::string& trade_no_of(const OrderAggregate& aggregate, const Receipt& receipt) {
  const Capture* capture = receipt.capture_id ? find_row(aggregate.captures, *receipt.capture_id) : nullptr;
  const bool is_external = capture != nullptr && capture->origin == CaptureOrigin::channel;
  return is_external && capture->channel_trade_no ? *capture->channel_trade_no : receipt.channel_trade_no;
}

bool is_same_trade(const OrderAggregate& aggregate, const Receipt& one, const Receipt& other) {
  if (one.id == other.id) return true;
  const bool may_share = one.ordinal != 0 && other.ordinal != 0 && one.channel == other.channel;
  return may_share && one.currency == other.currency && trade_no_of(aggregate, one) == trade_no_of(aggregate, other);
}

const Receipt& first_of_trade(const OrderAggregate& aggregate, const Receipt& receipt) {
  const auto at = std::ranges::find_if(aggregate.receipts,
                                       [&](const Receipt& one) { return is_same_trade(aggregate, one, receipt); });
  return at == aggregate.receipts.end() ? receipt : *at;
}

const Receipt* head_of_trade(const OrderAggregate& aggregate, const Receipt& receipt) {
  const auto at = std::ranges::find_if(aggregate.receipts, [&](const Receipt& one) {
    return is_accepted(one) && is_same_trade(aggregate, one, receipt);
  });
  return at == aggregate.receipts.end() ? nullptr : &*at;
}

MinorUnits collected_of_trade(const OrderAggregate& aggregate, const Receipt& receipt) {
  return sum_of_trade(aggregate, receipt, [](const Receipt&) { return true; });
}

MinorUnits accepted_of_trade(const OrderAggregate& aggregate, const Receipt& receipt) {
  return sum_of_trade(aggregate, receipt, is_accepted);
}

MinorUnits allocated_to(const OrderAggregate& aggregate, const Receipt& receipt, MinorUnits refunded) {
  const auto is_earlier = [&](const Receipt& one) { return is_accepted(one) && one.id < receipt.id; };
  const auto is_later = [&](const Receipt& one) { return is_accepted(one) && receipt.id < one.id; };
  const MinorUnits rest = std::max<MinorUnits>(refunded - sum_of_trade(aggregate, receipt, is_earlier), 0);
  const bool is_last = sum_of_trade(aggregate, receipt, is_later) == 0;
  return is_last ? rest : std::min(rest, receipt.amount);
}

}  // namespace finality
