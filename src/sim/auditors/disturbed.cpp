#include "sim/auditors/disturbed.h"

#include <algorithm>

#include "model/out_trade_no.h"
#include "sim/auditors/collected.h"

namespace finality::sim {

const std::string& name_of_trade(const std::string& trade_no, const std::string& out_trade_no) {
  return parse_out_capture_no(out_trade_no) ? out_trade_no : trade_no;
}

bool has_disturbed_refunds(const Trade& trade, const Upstream& upstream, const OrderAuditor& orders) {
  if (trade.denied_refunds > 0 || trade.cash_refunds > 0 || trade.is_external) return true;
  const auto is_refunded_with = [&](const auto& other) {
    return other->channel == trade.channel && other->trade_no == trade.trade_no &&
           other->requested_refunds + other->accepted_refunds + other->external_refunds > 0;
  };
  if (trade.shares_trade_no && std::ranges::any_of(upstream.trades(), is_refunded_with)) return true;
  if (trade.external_refunds == 0) return false;
  const OrderAggregate* order = orders.order_named(trade.out_trade_no);
  if (order == nullptr) return true;
  const bool has_receipt = std::ranges::any_of(
      order->receipts, [&](const Receipt& receipt) { return trade_of(upstream, *order, receipt) == &trade; });
  const auto pieces = std::ranges::count_if(order->refunds, [&](const Refund& refund) {
    const Receipt* receipt = refunded_receipt(*order, refund);
    return refund.origin == RefundOrigin::channel && receipt != nullptr &&
           trade_of(upstream, *order, *receipt) == &trade;
  });
  return trade.requested_refunds > 0 || trade.accepted_refunds > 0 || !has_receipt || pieces != 1;
}

}  // namespace finality::sim
