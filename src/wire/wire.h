// JSON text of the API's objects: one explicit mapping per object, separate from the rows, so that the schema can
// change without the API. Pure. Field names and their order are those of openapi.yaml.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "model/aggregate.h"
#include "model/objects/account.h"
#include "model/objects/api_key.h"
#include "model/objects/channel_account.h"
#include "model/objects/entry.h"
#include "model/objects/event.h"
#include "model/objects/fee.h"
#include "model/objects/hold.h"
#include "model/objects/merchant.h"
#include "model/objects/price.h"
#include "model/objects/transfer.h"
#include "model/refusal.h"

namespace finality::wire {

/// An order with its payments (without receipts). `checkout_url` is PUBLIC_URL/checkout/{token}.
std::string order_json(const OrderAggregate& aggregate, std::string_view checkout_url);
/// A payment, with its receipts if `receipts` is given.
std::string payment_json(const Payment& payment);
std::string payment_json(const Payment& payment, std::span<const Receipt> receipts);
std::string refund_json(const Refund& refund);
std::string return_json(const Return& row);
std::string reversal_json(const Reversal& reversal);
/// A case, with the resolutions that it allows.
std::string case_json(const Case& row);
std::string event_json(const Event& event);
/// An account. Its lock is included only if it is valid at `now`.
std::string account_json(const Account& account, Time now);
/// The lock with its token, for the client that acquired it. REQUIRES: the account is locked.
std::string account_lock_json(const Account& account);
std::string transfer_json(const Transfer& transfer);
std::string hold_json(const Hold& hold);
/// `transfer` or `hold` is the document for which the entry was posted and provides its source and reference; both are
/// null for an entry of the ledger itself.
std::string entry_json(const Entry& entry, const Transfer* transfer, const Hold* hold);
std::string price_json(const Price& price);
std::string fee_json(const Fee& fee);
std::string delivery_json(const Delivery& delivery);
/// The secret is included only if `with_secret`, which the contract allows for create and rotate.
std::string webhook_endpoint_json(const WebhookEndpoint& endpoint, bool with_secret);

/// `webhook_secret` is included only in the reply to the merchant's creation: pass `with_secret`.
std::string merchant_json(const Merchant& merchant, bool with_secret);
/// The object does not contain the key itself, because only its hash is stored.
std::string api_key_json(const ApiKey& key);

/// `with_merchants` includes the served merchants, for operators only. The field is absent if the account serves all.
std::string channel_account_json(const ChannelAccount& account, bool with_merchants);

/// application/problem+json (RFC 9457).
std::string problem_json(const Refusal& refusal, std::string_view request_id);
/// `{object:"list", url, has_more, data}` around items that are already JSON.
std::string list_json(std::string_view url, bool has_more, std::span<const std::string> items);
/// `{type, timestamp, data}`, the body of an outgoing notification.
std::string notification_json(std::string_view type, Time at, std::string_view data_json);

}  // namespace finality::wire
