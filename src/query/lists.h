// Pages of objects as JSON lists: `{object: "list", url, has_more, data}`, newest first except for the timeline.
//
// All functions run on a reader thread and refuse with `storage_read_error`. Functions with the id of a parent object
// also refuse with `not_found` or `archived`.
#pragma once

#include "model/objects/hold.h"
#include "model/policy.h"
#include "query/show.h"
#include "store/store.h"

namespace finality::query {

/// Refuses with `archived` if the filter has the merchant order number of an archived order: an empty list would
/// suggest that the merchant order number is unused.
Shown list_orders(Reader& reader, const Policy& policy, MerchantId merchant, const OrderFilter& filter,
                  const Page& page);

/// The order's timeline: at most `limit` items, oldest first.
Shown list_timeline(Reader& reader, MerchantId merchant, OrderId order, std::size_t limit);

/// A refund and a reversal are one object of the API; `kind` distinguishes them.
enum class RefundKind : std::uint8_t { refund, reversal };
BOOST_DESCRIBE_ENUM(RefundKind, refund, reversal)

/// REQUIRES: `payment` or `order`.
struct RefundFilter {
  std::optional<PaymentId> payment;
  std::optional<OrderId> order;
  std::optional<RefundKind> kind;
};
/// Refunds and reversals of the payment or order.
Shown list_refunds(Reader& reader, MerchantId merchant, const RefundFilter& filter, const Page& page);
/// Returns of the refund.
Shown list_returns(Reader& reader, MerchantId merchant, RefundId refund, const Page& page);

/// Cases of the merchant, optionally only those in `state`.
Shown list_cases(Reader& reader, MerchantId merchant, std::optional<CaseState> state, const Page& page);
/// Events of the object.
Shown list_events(Reader& reader, MerchantId merchant, ObjectRef object, const Page& page);
/// Whether objects of that type have events that list_events() can find.
bool has_events(ObjectType type);

/// Accounts of the merchant, with the lock that is held at `now`.
Shown list_accounts(Reader& reader, Time now, MerchantId merchant, const Page& page);
/// Ledger entries of the account, each with source and reference of its document.
Shown list_entries(Reader& reader, MerchantId merchant, AccountId account, const EntryFilter& filter, const Page& page);

/// The merchant's identifier of a transfer or hold. Unique among the merchant's transfers, and among its holds.
struct Origin {
  std::string source;
  std::string reference;
};
/// The transfer with that origin, or an empty list (流水检查). The origin is unique.
Shown list_transfers(Reader& reader, MerchantId merchant, const Origin& origin, const Page& page);

/// REQUIRES: `account` or `origin`.
struct HoldFilter {
  std::optional<AccountId> account;
  std::optional<HoldState> state;
  std::optional<Origin> origin;
};
/// Holds of the account, or the hold with that origin.
Shown list_holds(Reader& reader, MerchantId merchant, const HoldFilter& filter, const Page& page);

/// Price list of the merchant.
Shown list_prices(Reader& reader, MerchantId merchant, const Page& page);
/// Fees of the merchant, one per channel or kind.
Shown list_fees(Reader& reader, MerchantId merchant, const Page& page);
/// Deliveries of the order; without `order`, all deliveries of the merchant.
Shown list_deliveries(Reader& reader, MerchantId merchant, std::optional<OrderId> order, const Page& page);
/// Webhook endpoints of the merchant that are not deleted, without their secrets.
Shown list_webhook_endpoints(Reader& reader, MerchantId merchant, const Page& page);
/// All channel accounts for an operator (no `merchant`), with their settings; otherwise the
/// accounts that serve the merchant.
Shown list_channel_accounts(Reader& reader, std::optional<MerchantId> merchant, const Page& page);

}  // namespace finality::query
