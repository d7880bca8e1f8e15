// POST /v1/orders: creates an order. If the request contains a payment, also starts the first payment, or the first
// authorization of an order with manual capture.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "decide/context.h"
#include "decide/payment/start_payment.h"
#include "model/checkout_method.h"
#include "model/read_set.h"

namespace finality {

struct CreateOrder {
  MerchantId merchant_id;
  std::string merchant_order_no;
  Hash16 fingerprint{};  // hash of the canonical text of all fields below
  MinorUnits amount = 0;
  Currency currency;
  std::string subject;
  Duration expires_in = std::chrono::seconds(limits::kExpiresInDefaultSeconds);
  std::optional<std::int64_t> attempts;
  ClosePolicy close_policy = ClosePolicy::ask;
  CaptureMethod capture_method = CaptureMethod::automatic;
  std::optional<std::int64_t> capture_within;  // seconds; only with manual capture
  CaptureDeadlineAction on_capture_deadline = CaptureDeadlineAction::release;
  std::optional<std::string> notify_url;
  std::optional<std::string> return_url;
  std::string metadata;                 // JSON object, or empty
  std::vector<CheckoutMethod> methods;  // that the checkout page offers; empty: all
  std::optional<PaymentFields> payment;
};

void add_reads(const CreateOrder& command, ReadSet& reads);

/// A repeated request (same merchant_order_no and fields) returns the existing order. Refuses with `archived` (the
/// order is archived), `merchant_order_no_conflict` (an order with other fields has this merchant_order_no). A request
/// with a payment is also refused as by check_fields() (order_refusal.h), and with `invalid_request` if the channel
/// does not hold an amount for `capture_within`. Each of the `methods` is refused as by check_fields().
Decision decide(const CreateOrder& command, Context& context);

}  // namespace finality
