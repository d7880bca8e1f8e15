// Random requests of a simulated merchant about the authorizations of one order with manual capture.
#pragma once

#include "sim/world/shop.h"

namespace finality::sim {

/// Draws the fields of the order that only manual capture has.
void draw_capture_terms(Shop& shop, CreateOrder& order);

/// Returns a random channel of a payment or authorization; for an authorization usually one that has them.
std::string draw_channel(Shop& shop, CaptureMethod method);

/// Sends random captures, releases and queries about the order's authorizations. The order may have ended: the requests
/// are then refused.
void act_on_authorizations(Shop& shop, const OrderAggregate& aggregate);

/// Returns a refund of money that the order's captures collected; empty if nothing was captured. The caller sets the
/// amount and the merchant_refund_no.
std::optional<CreateRefund> draw_capture_refund(Shop& shop, const OrderAggregate& aggregate);

}  // namespace finality::sim
