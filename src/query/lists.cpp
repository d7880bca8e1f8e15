#include "query/lists.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "ledger/balance.h"
#include "model/natural_key.h"
#include "model/payer_link.h"
#include "query/refusals.h"
#include "query/short_list.h"
#include "wire/wire.h"

namespace finality::query {
namespace {

// Renders rows as a JSON list of the API.
template <class Row, class Render>
std::string list_of(std::string_view url, bool has_more, const std::vector<Row>& rows, Render render) {
  std::vector<std::string> items;
  items.reserve(rows.size());
  for (const Row& row : rows) items.push_back(render(row));
  return wire::list_json(url, has_more, items);
}

// Renders a page that the store has already limited to `page.limit`. Refuses with `storage_read_error` if the read
// failed.
template <class Row, class Render>
Shown list_page(std::string_view url, const Result<Listed<Row>>& listed, Render render) {
  if (!listed) return std::unexpected(unreadable(listed.error()));
  return list_of(url, listed->has_more, listed->rows, render);
}

// Cuts one page out of `rows`, which are all rows that match, and renders it.
template <class Row, class Render>
std::string list_short(std::string_view url, std::vector<Row> rows, const Page& page, Render render) {
  const bool has_more = cut_to_page(rows, page);
  return list_of(url, has_more, rows, render);
}

// As above. Refuses with `storage_read_error` if the read failed.
template <class Row, class Render>
Shown list_short(std::string_view url, Result<std::vector<Row>> rows, const Page& page, Render render) {
  if (!rows) return std::unexpected(unreadable(rows.error()));
  return list_short(url, std::move(*rows), page, render);
}

// Returns the object with that id as a list of one, or an empty list if `id` is 0. Refuses if the read failed.
template <class Id, class Row>
std::expected<std::vector<Row>, Refusal> find_named(Reader& reader, MerchantId merchant, const Result<std::int64_t>& id,
                                                    std::expected<Row, Refusal> (*find)(Reader&, MerchantId, Id)) {
  if (!id) return std::unexpected(unreadable(id.error()));
  if (*id == 0) return std::vector<Row>{};
  std::expected<Row, Refusal> found = find(reader, merchant, Id{*id});
  if (!found) return std::unexpected(std::move(found.error()));
  return std::vector<Row>{std::move(*found)};
}

// Renders an entry with the source and reference of its transfer or hold.
Shown show_entry(Reader& reader, const Entry& entry) {
  if (entry.document_type == ObjectType::transfer) {
    const Result<std::optional<Transfer>> transfer = reader.transfer(TransferId{entry.document_id});
    if (!transfer) return std::unexpected(unreadable(transfer.error()));
    if (*transfer) return wire::entry_json(entry, &**transfer, nullptr);
  } else if (entry.document_type == ObjectType::hold) {
    const Result<std::optional<Hold>> hold = reader.hold(HoldId{entry.document_id});
    if (!hold) return std::unexpected(unreadable(hold.error()));
    if (*hold) return wire::entry_json(entry, nullptr, &**hold);
  }
  return wire::entry_json(entry, nullptr, nullptr);
}

// Removes the rates that do not apply on the day: those that begin later, and those that a later rate replaced.
void keep_rates_on(std::vector<ChannelRate>& rates, const std::string& date) {
  const auto key = [](const ChannelRate& rate) {
    return std::tuple(rate.channel_account_id, rate.method, rate.currency);
  };
  std::erase_if(rates, [&](const ChannelRate& rate) { return rate.from_date > date; });
  std::map<std::tuple<ChannelAccountId, std::optional<std::string>, std::optional<Currency>>, std::string> latest;
  for (const ChannelRate& rate : rates) {
    std::string& from = latest[key(rate)];
    from = std::max(from, rate.from_date);
  }
  std::erase_if(rates, [&](const ChannelRate& rate) { return rate.from_date != latest[key(rate)]; });
}

}  // namespace

Shown list_orders(Reader& reader, const Policy& policy, MerchantId merchant, const OrderFilter& filter,
                  const Page& page) {
  constexpr std::string_view kUrl = "/v1/orders";
  const Result<Listed<OrderAggregate>> listed = reader.orders(merchant, filter, page);
  if (!listed) return std::unexpected(unreadable(listed.error()));
  if (listed->rows.empty() && filter.merchant_order_no) {
    const Result<std::int64_t> id = reader.named(key_of_order_no(merchant, *filter.merchant_order_no));
    if (!id) return std::unexpected(unreadable(id.error()));
    if (auto archived = find_archived(reader, merchant, OrderId{*id})) return std::unexpected(std::move(*archived));
  }
  if (listed->rows.empty()) return wire::list_json(kUrl, listed->has_more, {});
  const auto owner = find_merchant(reader, merchant);
  if (!owner) return std::unexpected(owner.error());
  return list_of(kUrl, listed->has_more, listed->rows, [&](const OrderAggregate& row) {
    return wire::order_json(row, checkout_url(policy.public_url, *owner, row.order.id));
  });
}

Shown list_timeline(Reader& reader, MerchantId merchant, OrderId order, const TimelinePage& page) {
  const auto listed = read_timeline(reader, merchant, order, page);
  if (!listed) return std::unexpected(listed.error());
  return list_of("/v1/orders/" + to_text(order) + "/timeline", listed->has_more, listed->rows,
                 [](const TimelineItem& item) { return item.json; });
}

Shown list_returns(Reader& reader, MerchantId merchant, RefundId refund, const Page& page) {
  auto found = find_order_of(reader, merchant, refund);
  if (!found) return std::unexpected(found.error());
  std::vector<Return> rows = std::move(found->returns);
  std::erase_if(rows, [&](const Return& row) { return row.refund_id != refund; });
  return list_short("/v1/refunds/" + to_text(refund) + "/returns", std::move(rows), page, wire::return_json);
}

Shown list_unknown_receipts(Reader& reader, std::optional<UnknownReceiptState> state, const Page& page) {
  return list_page("/v1/unknown_receipts", reader.unknown_receipts(state, page), wire::unknown_receipt_json);
}

Shown list_accounts(Reader& reader, Time now, MerchantId merchant, const Page& page) {
  return list_page("/v1/accounts", reader.accounts(merchant, page),
                   [now](const Account& row) { return wire::account_json(row, now); });
}

Shown list_entries(Reader& reader, MerchantId merchant, AccountId id, const EntryFilter& filter, const Page& page) {
  const auto account = find_account(reader, merchant, id);
  if (!account) return std::unexpected(account.error());
  const Result<Listed<Entry>> listed = reader.entries(*account, filter, page);
  if (!listed) return std::unexpected(unreadable(listed.error()));
  std::vector<std::string> items;
  for (const Entry& entry : listed->rows) {
    Shown shown = show_entry(reader, entry);
    if (!shown) return std::unexpected(std::move(shown.error()));
    items.push_back(std::move(*shown));
  }
  return wire::list_json("/v1/accounts/" + to_text(id) + "/entries", listed->has_more, items);
}

Shown list_transfers(Reader& reader, MerchantId merchant, const Origin& origin, const Page& page) {
  const auto named = reader.named(key_of_transfer(merchant, origin.source, origin.reference));
  auto rows = find_named(reader, merchant, named, find_transfer);
  if (!rows) return std::unexpected(rows.error());
  return list_short("/v1/transfers", std::move(*rows), page, wire::transfer_json);
}

Shown list_holds(Reader& reader, MerchantId merchant, const HoldFilter& filter, const Page& page) {
  constexpr std::string_view kUrl = "/v1/holds";
  if (!filter.origin) {
    const auto account = find_account(reader, merchant, *filter.account);
    if (!account) return std::unexpected(account.error());
    return list_page(kUrl, reader.holds(account->id, filter.state, page), wire::hold_json);
  }
  const auto named = reader.named(key_of_hold(merchant, filter.origin->source, filter.origin->reference));
  auto rows = find_named(reader, merchant, named, find_hold);
  if (!rows) return std::unexpected(rows.error());
  std::erase_if(*rows, [&](const Hold& row) {
    return (filter.account && row.account_id != *filter.account) || (filter.state && row.state != *filter.state);
  });
  return list_short(kUrl, std::move(*rows), page, wire::hold_json);
}

Shown list_prices(Reader& reader, MerchantId merchant, const Page& page) {
  return list_page("/v1/prices", reader.prices(merchant, page), wire::price_json);
}

Shown list_adjustments(Reader& reader, MerchantId merchant, std::optional<AdjustmentState> state, const Page& page) {
  return list_page("/v1/adjustments", reader.adjustments(merchant, state, page), wire::adjustment_json);
}

Shown list_balances(Reader& reader, MerchantId merchant) {
  const Result<std::vector<Account>> accounts = reader.ledger_accounts(merchant);
  if (!accounts) return std::unexpected(unreadable(accounts.error()));
  return list_of("/v1/balance", false, ledger::balances_of(*accounts), wire::balance_json);
}

Shown list_fees(Reader& reader, MerchantId merchant, const Page& page) {
  return list_short("/v1/fees", reader.fees(merchant), page, wire::fee_json);
}

Shown list_deliveries(Reader& reader, MerchantId merchant, std::optional<OrderId> order, const Page& page) {
  if (order) {
    const auto found = find_order(reader, merchant, *order);
    if (!found) return std::unexpected(found.error());
  }
  return list_page("/v1/webhook_deliveries", reader.deliveries(merchant, order, page), wire::delivery_json);
}

Shown list_webhook_endpoints(Reader& reader, MerchantId merchant, const Page& page) {
  Result<std::vector<WebhookEndpoint>> rows = reader.webhook_endpoints(merchant);
  if (rows) std::erase_if(*rows, [](const WebhookEndpoint& row) { return row.state == EndpointState::deleted; });
  return list_short("/v1/webhook_endpoints", std::move(rows), page,
                    [](const WebhookEndpoint& row) { return wire::webhook_endpoint_json(row, false); });
}

Shown list_channel_accounts(Reader& reader, std::optional<MerchantId> merchant, const Page& page) {
  Result<std::vector<ChannelAccount>> rows = reader.channel_accounts();
  if (rows && merchant) std::erase_if(*rows, [&](const ChannelAccount& row) { return !row.serves(*merchant); });
  return list_short("/v1/channel_accounts", std::move(rows), page, wire::channel_account_json);
}

Shown list_channel_rates(Reader& reader, const ChannelRateFilter& filter, const Page& page) {
  Result<std::vector<ChannelRate>> rows = reader.channel_rates();
  if (rows && filter.channel_account)
    std::erase_if(*rows, [&](const ChannelRate& row) { return row.channel_account_id != *filter.channel_account; });
  if (rows && filter.date) keep_rates_on(*rows, *filter.date);
  return list_short("/v1/channel_rates", std::move(rows), page, wire::channel_rate_json);
}

}  // namespace finality::query
