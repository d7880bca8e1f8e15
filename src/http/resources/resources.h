// Resources of the API. Each function adds the routes of one resource to `api.router`. `api` must outlive the routes.
#pragma once

#include "http/server/api.h"

namespace finality::http {

void add_orders(Api& api);
void add_payments(Api& api);
void add_authorizations(Api& api);
void add_captures(Api& api);
void add_refunds(Api& api);
void add_accounts(Api& api);
void add_transfers(Api& api);
void add_holds(Api& api);
void add_prices(Api& api);
void add_fees(Api& api);
void add_balance(Api& api);
void add_channel_accounts(Api& api);
void add_channel_rates(Api& api);
void add_cases(Api& api);
void add_unknown_receipts(Api& api);
void add_timeline(Api& api);
void add_events(Api& api);
void add_webhook_endpoints(Api& api);
void add_webhook_deliveries(Api& api);
void add_merchants(Api& api);
void add_api_keys(Api& api);
void add_notify(Api& api);
void add_checkout(Api& api);
void add_payer_return(Api& api);
void add_health(Api& api);
void add_adjustments(Api& api);
void add_statements(Api& api);
void add_differences(Api& api);
void add_reconciliation(Api& api);

using AddResource = void (*)(Api& api);
/// All functions that add routes, one per resource.
inline constexpr AddResource kResources[] = {
    add_orders,
    add_payments,
    add_authorizations,
    add_captures,
    add_refunds,
    add_accounts,
    add_transfers,
    add_holds,
    add_prices,
    add_fees,
    add_balance,
    add_channel_accounts,
    add_channel_rates,
    add_cases,
    add_timeline,
    add_events,
    add_webhook_endpoints,
    add_webhook_deliveries,
    add_merchants,
    add_api_keys,
    add_notify,
    add_checkout,
    add_payer_return,
    add_health,
    add_unknown_receipts,
    add_adjustments,
    add_statements,
    add_differences,
    add_reconciliation,
};

}  // namespace finality::http
