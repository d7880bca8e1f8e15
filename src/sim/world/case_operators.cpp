#include "sim/world/case_operators.h"

#include <algorithm>

#include "decide/exception/resolution.h"
#include "decide/payment/collector.h"
#include "decide/refund/external_refund.h"
#include "sim/auditors/collected.h"

namespace finality::sim {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

constexpr std::size_t kCasesMax = 100'000;
constexpr int kCancels = 300;  // per mille of the drawn resolutions `cancel` that the operators propose

const Receipt* receipt_of(const OrderAggregate& order, const Case& row) {
  if (const Reversal* reversal = find_row(order.reversals, ReversalId{row.object_id}))
    return find_row(order.receipts, reversal->receipt_id);
  if (const Refund* refund = find_row(order.refunds, RefundId{row.object_id}))
    return finality::receipt_of(order, *refund);
  const auto at = std::ranges::find_if(
      order.receipts, [&](const Receipt& receipt) { return is_collected_by(receipt, object_of(row)); });
  return at == order.receipts.end() ? nullptr : &*at;
}

struct Roots {
  OrderId order;
  DeliveryId delivery;
};

Roots roots_of(const Case& row) {
  const ObjectRef root = root_of_case(row);
  if (root.type == ObjectType::delivery) return {{}, DeliveryId{root.value}};
  if (root.type == ObjectType::unknown_receipt || root.type == ObjectType::difference) return {};
  return {OrderId{root.value}, {}};
}

}  // namespace

void CaseOperators::work(MerchantId merchant) {
  for (const CaseState state : {CaseState::open, CaseState::proposed}) {
    const auto cases = reader_.cases(merchant, state, {.limit = 50});
    if (!cases) return;
    for (const Case& row : cases->rows) {
      if (scheduler_.random().chance(500)) propose(row);
      // Sends some approvals without waiting for a proposal. Blocked reversals are excluded, because their approval can
      // cause a cash payment, for which the operators check the stored proposal.
      if (row.kind != CaseKind::reversal_blocked && scheduler_.random().chance(20))
        approve(row, std::string(row.resolution.value_or("keep")));
    }
  }
}

// Returns true if operators may propose the resolution. They confirm only what the channel's records show: that it has
// no trade, no hold or no capture of the number, or that it holds nothing any more.
bool CaseOperators::may_resolve(const Case& row, std::string_view resolution, const OrderAggregate* order) {
  if (!resolution.starts_with("confirm_")) return true;
  if (order == nullptr) return false;
  const auto has_trade = [&](const std::string& number) {
    return std::ranges::any_of(upstream_.trades(), [&](const auto& trade) { return trade->out_trade_no == number; });
  };
  if (const Payment* payment = find_row(order->payments, PaymentId{row.object_id}))
    return !has_trade(payment->out_trade_no);
  if (const Capture* capture = find_row(order->captures, CaptureId{row.object_id}))
    return !has_trade(capture->out_trade_no);
  const Authorization* authorization = find_row(order->authorizations, AuthorizationId{row.object_id});
  if (authorization == nullptr) return false;
  const UpstreamHold* hold = upstream_.holds().find(authorization->channel, authorization->out_trade_no);
  return resolution == "confirm_released" ? hold != nullptr && hold->held() == 0 : hold == nullptr;
}

void CaseOperators::propose(const Case& row) {
  const auto difference = row.object_type == ObjectType::difference
                              ? reader_.difference(DifferenceId{row.object_id})
                              : Result<std::optional<DifferenceAggregate>>(std::nullopt);
  if (!difference) return;
  const auto names = resolutions_of(row, *difference ? &(*difference)->difference : nullptr);
  if (names.empty()) return;
  const auto [order, delivery] = roots_of(row);
  const auto found = order ? reader_.order(order) : Result<std::optional<OrderAggregate>>(std::nullopt);
  const std::string resolution(
      names[static_cast<std::size_t>(scheduler_.random().below(static_cast<std::int64_t>(names.size())))]);
  if (!found || !may_resolve(row, resolution, *found ? &**found : nullptr)) return;
  if (resolution == "cancel" && !scheduler_.random().chance(kCancels)) return;
  ProposeResolution propose{row.merchant_id, root_of_case(row), row.id, resolution, "seen at the channel", "key_1"};
  if (resolution == "assign")
    propose.assign_to =
        merchants_[static_cast<std::size_t>(scheduler_.random().below(static_cast<std::int64_t>(merchants_.size())))];
  client_.call({propose, row.merchant_id}, [this, row, resolution](const Reply& reply) {
    if (reply.refusal || scheduler_.random().chance(200)) return;
    // Most operators review the case when they approve it. Some approve later what they reviewed now.
    const auto reviewed = scheduler_.random().chance(200) ? reader_.find_case(row.id) : std::nullopt;
    scheduler_.after(scheduler_.random().spread(seconds(1), hours(3)), [this, row, resolution, reviewed] {
      const auto now = reviewed ? reviewed : reader_.find_case(row.id);
      if (now && *now) approve(**now, resolution);
    });
  });
}

void CaseOperators::approve(const Case& row, const std::string& resolution) {
  const auto [order, delivery] = roots_of(row);
  // Some operators try to approve their own proposal.
  ApproveResolution approve{row.merchant_id,
                            root_of_case(row),
                            row.id,
                            scheduler_.random().chance(50) ? "key_1" : "key_2",
                            resolution,
                            {},
                            {}};
  approve.version = row.version;
  if (order) {
    const auto found = reader_.order(order);
    if (!found || !*found) return;
    if (const Receipt* receipt = receipt_of(**found, row)) {
      approve.channel = receipt->channel;
      approve.currency = receipt->currency;
    }
  }
  if (row.kind == CaseKind::unknown_receipt && !name_unknown_receipt(row, approve)) return;
  if (row.kind == CaseKind::difference && !name_difference(row, approve)) return;
  if (delivery && scheduler_.random().chance(700)) {
    help_oneself(row, delivery);
    if (scheduler_.random().chance(500)) return;
  }
  client_.call({approve, row.merchant_id}, [this, row, approve](const Reply&) {
    record_cash_refund(row);
    if (scheduler_.random().chance(100))
      client_.call({approve, row.merchant_id}, [](const Reply&) {});  // the operator clicks twice
    if (scheduler_.random().chance(100))                              // another operator has outdated data
      client_.call({ProposeResolution{row.merchant_id, approve.root, row.id, *approve.resolution, "late", "key_3"},
                    row.merchant_id},
                   [](const Reply&) {});
  });
}

bool CaseOperators::name_unknown_receipt(const Case& row, ApproveResolution& approve) {
  const auto now = reader_.find_case(row.id);
  const auto receipt = reader_.unknown_receipt(UnknownReceiptId{row.object_id});
  if (!now || !*now || !receipt || !*receipt) return false;
  approve.assign_to = (*now)->assign_to;
  approve.reviewed_merchant = (*now)->assign_to;
  approve.channel = (*receipt)->channel;
  approve.currency = (*receipt)->currency;
  return true;
}

bool CaseOperators::name_difference(const Case& row, ApproveResolution& approve) {
  const auto found = reader_.difference(DifferenceId{row.object_id});
  if (!found || !*found) return false;
  const Difference& difference = (*found)->difference;
  if (difference.amount == 0) return true;  // nothing to post
  for (const auto& [channel, account] : policy_.accounts)
    if (account.id == difference.channel_account_id) approve.channel = channel;
  approve.currency = difference.currency;
  return true;
}

// Simulates requests of the merchant while operators handle the case: redeliveries, and sometimes a new endpoint URL.
void CaseOperators::help_oneself(const Case& row, DeliveryId delivery) {
  for (std::int64_t i = scheduler_.random().between(1, 3); i > 0; --i)
    scheduler_.after(scheduler_.random().between(seconds(0), seconds(5)), [this, row, delivery] {
      client_.call({ResendDelivery{row.merchant_id, delivery}, row.merchant_id}, [](const Reply&) {});
    });
  const auto found = reader_.delivery(delivery);
  if (!found || !*found || !(*found)->endpoint_id || !scheduler_.random().chance(500)) return;
  scheduler_.after(scheduler_.random().between(seconds(0), seconds(10)), [this, row, old = **found] {
    client_.call({DeleteWebhookEndpoint{row.merchant_id, *old.endpoint_id}, row.merchant_id}, [](const Reply&) {});
    const CreateWebhookEndpoint moved{row.merchant_id, old.url + "/moved", "", old.acknowledge,
                                      Secret("whsec_c2ltdWxhdGVk")};
    client_.call({moved, row.merchant_id}, [](const Reply&) {});
  });
}

void CaseOperators::record_cash_refund(MerchantId merchant) {
  const auto cases = reader_.cases(merchant, CaseState::resolved, {.limit = kCasesMax});
  if (!cases) return;
  for (const Case& row : cases->rows) record_cash_refund(row);
}

void CaseOperators::record_cash_refund(const Case& row) {
  if (row.kind != CaseKind::reversal_blocked) return;
  // Operators pay if the stored case is resolved as settled_offline, whatever the current state of the reversal is.
  const auto now = reader_.find_case(row.id);
  if (!now || !*now || (*now)->state != CaseState::resolved || (*now)->resolution != "settled_offline") return;
  const auto found = reader_.order(OrderId{row.root_id});
  if (!found || !*found) return;
  const Receipt* receipt = receipt_of(**found, row);
  if (receipt == nullptr) return;
  const Trade* trade = trade_of(**found, *receipt);
  if (trade == nullptr) return;  // the payer has not paid
  // The refunds of captures that share a trade number are those of the first: only the reversal shows the amount due.
  const Reversal* reversal = find_row((*found)->reversals, ReversalId{row.object_id});
  const MinorUnits outstanding =
      trade->shares_trade_no && reversal != nullptr
          ? reversal->amount - trade->cash_refunds
          : trade->paid - trade->requested_refunds - trade->external_refunds - trade->cash_refunds;
  if (outstanding > 0) upstream_.record_cash_refund(*trade, outstanding);
}

// Returns the trade of a receipt that is returned; null if there is none. The receipt of a captured total names no
// trade: the operators find a capture of the hold with its amount that was not paid back.
const Trade* CaseOperators::trade_of(const OrderAggregate& order, const Receipt& receipt) const {
  if (const Trade* trade = sim::trade_of(upstream_, order, receipt)) return trade;
  const auto at = std::ranges::find_if(upstream_.trades(), [&](const auto& trade) {
    return trade->is_external && trade->channel == receipt.channel && trade->cash_refunds == 0 &&
           trade->paid == receipt.amount &&
           std::ranges::count(order.authorizations, trade->out_authorization_no, &Authorization::out_trade_no) > 0;
  });
  return at == upstream_.trades().end() ? nullptr : at->get();
}

}  // namespace finality::sim
