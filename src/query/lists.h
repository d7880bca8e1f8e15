// Renders pages of objects as JSON lists `{object: "list", url, has_more, data}`. Objects are sorted from newest to
// oldest; the timeline is sorted from oldest to newest.
//
// All functions block while they read from the store. They refuse with `storage_read_error` if the store cannot be
// read. Functions with the id of a parent object also refuse with `not_found` (the parent does not exist or belongs to
// another merchant) and `archived` (its order was archived).
#pragma once

#include "model/objects/hold.h"
#include "model/policy.h"
#include "query/show.h"
#include "query/timeline.h"
#include "store/store.h"

namespace finality::query {

/// Lists the merchant's orders that match the filter. Refuses with `archived` if the filter has the merchant_order_no
/// of an archived order, because an empty list would suggest that this merchant_order_no is unused.
Shown list_orders(Reader& reader, const Policy& policy, MerchantId merchant, const OrderFilter& filter,
                  const Page& page);

/// Lists items of the order's timeline, oldest first.
Shown list_timeline(Reader& reader, MerchantId merchant, OrderId order, const TimelinePage& page);

/// The field `kind` of the API object `refund`, which represents both refunds and reversals.
enum class RefundKind : std::uint8_t { refund, reversal };
BOOST_DESCRIBE_ENUM(RefundKind, refund, reversal)

/// Selects the refunds of a payment, capture or authorization, or of an order. A refund of the trade of all captures is
/// one of each of these captures. REQUIRES: `collected` or `order` is set.
struct RefundFilter {
  std::optional<ObjectRef> collected;  // the payment, capture or authorization
  std::optional<OrderId> order;
  std::optional<RefundKind> kind;
};
/// Lists the refunds and reversals that the filter selects.
Shown list_refunds(Reader& reader, MerchantId merchant, const RefundFilter& filter, const Page& page);
/// Lists the returns (退票) of the refund.
Shown list_returns(Reader& reader, MerchantId merchant, RefundId refund, const Page& page);

/// Lists the unknown receipts, which are in the books of the platform; with `state`, only those in that state.
Shown list_unknown_receipts(Reader& reader, std::optional<UnknownReceiptState> state, const Page& page);
/// Lists the events of the object. REQUIRES: has_events(object.type).
Shown list_events(Reader& reader, MerchantId merchant, ObjectRef object, const Page& page);
/// Returns whether list_events() supports objects of that type.
bool has_events(ObjectType type);

/// Lists the accounts of the merchant. An account includes its lock if the lock is valid at `now`.
Shown list_accounts(Reader& reader, Time now, MerchantId merchant, const Page& page);
/// Lists the ledger entries of the account. Each entry includes source and reference of the transfer or hold that
/// caused the entry.
Shown list_entries(Reader& reader, MerchantId merchant, AccountId account, const EntryFilter& filter, const Page& page);

/// Identifier that the merchant assigned to a transfer or hold. Unique among the merchant's transfers, and unique among
/// the merchant's holds.
struct Origin {
  std::string source;
  std::string reference;
};
/// Lists the transfer with that origin; the list is empty if no transfer has it (流水检查).
Shown list_transfers(Reader& reader, MerchantId merchant, const Origin& origin, const Page& page);

/// Selects the holds of an account, or the hold with an origin. REQUIRES: `account` or `origin` is set.
struct HoldFilter {
  std::optional<AccountId> account;
  std::optional<HoldState> state;
  std::optional<Origin> origin;
};
/// Lists the holds of the account, or the hold with that origin.
Shown list_holds(Reader& reader, MerchantId merchant, const HoldFilter& filter, const Page& page);

/// Lists the prices of the merchant.
Shown list_prices(Reader& reader, MerchantId merchant, const Page& page);
/// Lists the adjustments of the merchant; with `state`, only the adjustments in that state.
Shown list_adjustments(Reader& reader, MerchantId merchant, std::optional<AdjustmentState> state, const Page& page);
/// Lists the balances of the merchant at the platform, one per currency, sorted by currency.
Shown list_balances(Reader& reader, MerchantId merchant);
/// Lists the fees of the merchant: at most one per channel or kind of channels.
Shown list_fees(Reader& reader, MerchantId merchant, const Page& page);
/// Lists the deliveries of the order; without `order`, all deliveries of the merchant.
Shown list_deliveries(Reader& reader, MerchantId merchant, std::optional<OrderId> order, const Page& page);
/// Lists the webhook endpoints of the merchant without their secrets. Omits deleted endpoints.
Shown list_webhook_endpoints(Reader& reader, MerchantId merchant, const Page& page);
/// Lists the channel accounts that serve the merchant. Without `merchant`, for operators, lists all channel accounts
/// with their settings.
Shown list_channel_accounts(Reader& reader, std::optional<MerchantId> merchant, const Page& page);

/// Selects channel rates. `date`: only the rates that apply on that day (YYYY-MM-DD), one per channel account, method
/// and currency.
struct ChannelRateFilter {
  std::optional<ChannelAccountId> channel_account;
  std::optional<std::string> date;
};
Shown list_channel_rates(Reader& reader, const ChannelRateFilter& filter, const Page& page);

}  // namespace finality::query
