// The resources of the API. Each adds its routes; `api` outlives its use.
#pragma once

#include "http/api.h"

namespace finality::http {

void add_orders(Api& api);
void add_payments(Api& api);
void add_refunds(Api& api);
void add_accounts(Api& api);
void add_transfers(Api& api);
void add_holds(Api& api);
void add_prices(Api& api);
void add_fees(Api& api);
void add_cases(Api& api);
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

}  // namespace finality::http
