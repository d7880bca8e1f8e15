// POST /v1/orders: creates an order, with its first payment when the request contains one.
#pragma once

#include <optional>
#include <string>

#include "decide/context.h"
#include "decide/payment/start_payment.h"
#include "model/read_set.h"

namespace finality {

struct CreateOrder {
  MerchantId merchant_id;
  std::string merchant_order_no;
  Hash16 fingerprint{};  // of all fields below, as canonical text
  MinorUnits amount = 0;
  Currency currency;
  std::string subject;
  Duration expires_in = std::chrono::seconds(limits::kExpiresInDefaultSeconds);
  std::optional<std::int64_t> attempts;
  ClosePolicy close_policy = ClosePolicy::ask;
  CaptureMethod capture_method = CaptureMethod::automatic;
  std::optional<std::string> notify_url;
  std::optional<std::string> return_url;
  std::string metadata;  // JSON object, or empty
  std::optional<PaymentFields> payment;
};

void add_reads(const CreateOrder& command, ReadSet& reads);

/// The same merchant_order_no with the same body returns the same order. Refuses: archived, merchant_order_no_conflict;
/// with a payment invalid_request; over the wallet also not_found, currency_mismatch, account_locked.
Decision decide(const CreateOrder& command, Context& context);

}  // namespace finality
