// Renders the objects of the API as JSON. Each object has an explicit mapping from its row, so that the schema of the
// store can change without a change of the API. Objects have all fields; audience.h removes those that are only for
// operators. Pure. Field names and their order are those of openapi.yaml.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "decide/exception/preview_resolution.h"
#include "ledger/balance.h"
#include "model/aggregate.h"
#include "model/objects/account.h"
#include "model/objects/adjustment.h"
#include "model/objects/api_key.h"
#include "model/objects/channel_account.h"
#include "model/objects/channel_rate.h"
#include "model/objects/entry.h"
#include "model/objects/event.h"
#include "model/objects/fee.h"
#include "model/objects/hold.h"
#include "model/objects/merchant.h"
#include "model/objects/price.h"
#include "model/objects/transfer.h"
#include "model/refusal.h"

namespace finality::wire {

/// Renders an order with its payments, without their receipts. An order with manual capture also has its authorizations
/// (authorization_wire.h). `checkout_url` is PUBLIC_URL/checkout/{token}.
std::string order_json(const OrderAggregate& aggregate, std::string_view checkout_url);
/// Renders a payment; with its order, includes `channel_settlement` and optionally its receipts.
std::string payment_json(const Payment& payment);
std::string payment_json(const Payment& payment, const OrderAggregate& aggregate, bool with_receipts);
/// Renders a refund; with its order, includes `channel_settlement`.
std::string refund_json(const Refund& refund);
std::string refund_json(const Refund& refund, const OrderAggregate& aggregate);
/// Renders a reversal. `authorization`: that of the capture which collected its receipt; empty for a payment.
std::string reversal_json(const Reversal& reversal, std::optional<AuthorizationId> authorization);
/// As above, with `channel_settlement`. REQUIRES: the reversal is of this order.
std::string reversal_json(const Reversal& reversal, const OrderAggregate& aggregate);
std::string return_json(const Return& row);
/// Renders an exception case, with its order if it belongs to one, and with the resolutions that operators can propose.
/// `difference`: the difference that the case is about; null for a case about another object.
std::string case_json(const Case& row, const Difference* difference);
/// As above, with a preview of each resolution.
std::string case_json(const Case& row, const Difference* difference, std::span<const ResolutionPreview> previews);
std::string unknown_receipt_json(const UnknownReceipt& receipt);
std::string event_json(const Event& event);
/// Renders an account. Includes its lock if the lock is valid at `now`, but not the lock token.
std::string account_json(const Account& account, Time now);
/// Renders the lock of the account with its token, for the client that acquired the lock. REQUIRES: the account has a
/// lock.
std::string account_lock_json(const Account& account);
std::string transfer_json(const Transfer& transfer);
std::string hold_json(const Hold& hold);
/// Renders a ledger entry with the source and reference of the transfer or hold that caused it. Both are null if the
/// entry was caused by another object, such as a receipt.
std::string entry_json(const Entry& entry, const Transfer* transfer, const Hold* hold);
std::string price_json(const Price& price);
std::string fee_json(const Fee& fee);
std::string adjustment_json(const Adjustment& adjustment);
std::string balance_json(const ledger::Balance& balance);
std::string delivery_json(const Delivery& delivery);
/// Renders a webhook endpoint. Pass `with_secret` only for the responses to creation and rotation of the secret.
std::string webhook_endpoint_json(const WebhookEndpoint& endpoint, bool with_secret);

/// Renders a merchant. Pass `with_secret`, which includes `webhook_secret`, only for the response to its creation.
std::string merchant_json(const Merchant& merchant, bool with_secret);
/// Renders the properties of an API key. The key itself is not included, because the store contains only its hash.
std::string api_key_json(const ApiKey& key);

/// Renders a channel account with the merchants that it serves, which are absent if it serves all merchants.
std::string channel_account_json(const ChannelAccount& account);
std::string channel_rate_json(const ChannelRate& rate);

/// Renders a refusal as application/problem+json (RFC 9457).
std::string problem_json(const Refusal& refusal, std::string_view request_id);
/// Renders `{object: "list", url, has_more, data}`. REQUIRES: each item is JSON text.
std::string list_json(std::string_view url, bool has_more, std::span<const std::string> items);
/// Renders `{type, timestamp, data}`, the body of a webhook. REQUIRES: `data_json` is JSON text.
std::string notification_json(std::string_view type, Time at, std::string_view data_json);

}  // namespace finality::wire
