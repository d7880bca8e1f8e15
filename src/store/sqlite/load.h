// Reading whole aggregates: shared by the lanes' sessions and the API's readers.
#pragma once

#include "model/aggregate.h"
#include "model/fee.h"
#include "store/sqlite/database.h"

namespace finality::sqlite {

Result<std::optional<OrderAggregate>> load_order(Database& database, OrderId id);
Result<std::optional<DeliveryAggregate>> load_delivery(Database& database, DeliveryId id);
Result<std::optional<OrderId>> load_order_of_payment(Database& database, PaymentId id);
Result<std::vector<Fee>> load_fees(Database& database, MerchantId merchant);
/// Those that are not deleted, oldest first.
Result<std::vector<WebhookEndpoint>> load_webhook_endpoints(Database& database, MerchantId merchant);

}  // namespace finality::sqlite
