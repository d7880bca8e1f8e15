// Pages of objects as JSON lists: `{object: "list", url, has_more, data}`, newest first except for the timeline.
//
// Every function runs on a reader's thread. All of them refuse with `storage_read_error`, and with `not_found` or
// `archived` where they name the object that the page is about.
#pragma once

#include "model/objects/hold.h"
#include "model/policy.h"
#include "query/show.h"
#include "store/store.h"

namespace finality::query {

/// A merchant order number that belongs to an archived order is refused with `archived`: it must not look free.
Shown list_orders(Reader& reader, const Policy& policy, MerchantId merchant, const OrderFilter& filter,
                  const Page& page);

/// At most `limit` items, oldest first.
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
Shown list_refunds(Reader& reader, MerchantId merchant, const RefundFilter& filter, const Page& page);
Shown list_returns(Reader& reader, MerchantId merchant, RefundId refund, const Page& page);

Shown list_cases(Reader& reader, MerchantId merchant, std::optional<CaseState> state, const Page& page);
/// The events of one object.
Shown list_events(Reader& reader, MerchantId merchant, ObjectRef object, const Page& page);
/// Whether objects of that type have events that list_events() can find.
bool has_events(ObjectType type);

/// Accounts as of `now`, on which their locks depend.
Shown list_accounts(Reader& reader, Time now, MerchantId merchant, const Page& page);
/// Ledger entries of the account, each with source and reference of the document it was posted for.
Shown list_entries(Reader& reader, MerchantId merchant, AccountId account, const EntryFilter& filter, const Page& page);

/// The merchant's name for a transfer or a hold, unique among the merchant's transfers, and among its holds.
struct Origin {
  std::string source;
  std::string reference;
};
/// At most one transfer (流水检查): the origin is unique.
Shown list_transfers(Reader& reader, MerchantId merchant, const Origin& origin, const Page& page);

/// REQUIRES: `account` or `origin`.
struct HoldFilter {
  std::optional<AccountId> account;
  std::optional<HoldState> state;
  std::optional<Origin> origin;
};
Shown list_holds(Reader& reader, MerchantId merchant, const HoldFilter& filter, const Page& page);

Shown list_prices(Reader& reader, MerchantId merchant, const Page& page);
Shown list_fees(Reader& reader, MerchantId merchant, const Page& page);
/// The deliveries of one order, or all of the merchant.
Shown list_deliveries(Reader& reader, MerchantId merchant, std::optional<OrderId> order, const Page& page);
/// Without their secrets, and without deleted ones.
Shown list_webhook_endpoints(Reader& reader, MerchantId merchant, const Page& page);
/// All channel accounts for an operator (no `merchant`), with their settings; otherwise those that serve the merchant.
Shown list_channel_accounts(Reader& reader, std::optional<MerchantId> merchant, const Page& page);

}  // namespace finality::query
