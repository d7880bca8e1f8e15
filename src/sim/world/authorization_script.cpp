#include "sim/world/authorization_script.h"

#include <algorithm>
#include <utility>

namespace finality::sim {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

// Checks that a capture with the merchant_capture_no of another one, but with other fields, is refused.
void repeat_with_another_body(Shop& shop, CreateCapture capture) {
  capture.is_final = !capture.is_final;
  shop.client.call({capture, shop.merchant}, [&shop, number = capture.merchant_capture_no](const Reply& reply) {
    shop.auditor.findings().require(
        reply.refusal && reply.refusal->code == RefusalCode::merchant_capture_no_conflict, "9 changed requests",
        "capture {}: a different capture under its number got the reply {}, expected merchant_capture_no_conflict",
        number, reply.status);
  });
}

void capture(Shop& shop, const Authorization& authorization) {
  Random& random = shop.scheduler.random();
  CreateCapture capture{.merchant_id = shop.merchant,
                        .order_id = authorization.order_id,
                        .authorization_id = authorization.id,
                        .merchant_capture_no = shop.client.number("capture")};
  if (random.chance(600)) capture.amount = random.between(1, std::max<MinorUnits>(authorization.authorized_amount, 1));
  capture.is_final = random.chance(500);
  shop.client.call({capture, shop.merchant, shop.key(), "body", random.chance(500)},
                   [&shop, capture](const Reply& reply) {
                     if (!reply.object) return;
                     const std::optional<CreateCapture> earlier = std::exchange(shop.captured, capture);
                     if (earlier && shop.scheduler.random().chance(100)) repeat_with_another_body(shop, *earlier);
                   });
}

void release(Shop& shop, const Authorization& authorization) {
  shop.client.call({ReleaseAuthorization{shop.merchant, authorization.order_id, authorization.id}, shop.merchant,
                    shop.key(), "body", shop.scheduler.random().chance(500)},
                   [](const Reply&) {});
}

void query(Shop& shop, const Authorization& authorization) {
  shop.client.call({QueryAuthorization{shop.merchant, authorization.order_id, authorization.id}, shop.merchant},
                   [](const Reply&) {});
}

}  // namespace

void draw_capture_terms(Shop& shop, CreateOrder& order) {
  Random& random = shop.scheduler.random();
  order.capture_method = CaptureMethod::manual;
  if (random.chance(700))
    order.capture_within = std::chrono::duration_cast<seconds>(random.spread(minutes(10), hours(60))).count();
  if (random.chance(500)) order.on_capture_deadline = CaptureDeadlineAction::capture;
}

std::string draw_channel(Shop& shop, CaptureMethod method) {
  Random& random = shop.scheduler.random();
  std::vector<std::string> channels = {"sandbox", "sandbox2"};
  if (method == CaptureMethod::manual && random.chance(980))
    std::erase_if(channels, [&](const std::string& channel) { return shop.policy.terms_of(channel) == nullptr; });
  if (channels.empty() || random.chance(150)) return std::string(kWallet);
  return channels[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(channels.size())))];
}

void act_on_authorizations(Shop& shop, const OrderAggregate& aggregate) {
  Random& random = shop.scheduler.random();
  if (aggregate.authorizations.empty()) return;
  const auto held = std::ranges::find(aggregate.authorizations, AuthorizationState::authorized, &Authorization::state);
  const bool is_held = held != aggregate.authorizations.end();
  const Authorization& authorization = is_held ? *held : aggregate.authorizations.back();
  // Usually one capture at a time. A second one at once must be refused until the first has its result.
  for (std::int64_t count = random.chance(150) ? 2 : 1; count > 0; --count)
    if (random.chance(is_held ? 450 : 50)) capture(shop, authorization);
  if (random.chance(is_held ? 120 : 50)) release(shop, authorization);
  if (random.chance(100)) query(shop, authorization);
}

std::optional<CreateRefund> draw_capture_refund(Shop& shop, const OrderAggregate& aggregate) {
  std::vector<const Capture*> captured;
  for (const Capture& row : aggregate.captures)
    if (row.state == CaptureState::succeeded) captured.push_back(&row);
  if (captured.empty()) return std::nullopt;
  Random& random = shop.scheduler.random();
  const Capture& row = *captured[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(captured.size())))];
  const Authorization& authorization = *find_row(aggregate.authorizations, row.authorization_id);
  const AuthorizationTerms* terms = shop.policy.terms_of(authorization.channel);
  const bool by_authorization = terms != nullptr && terms->refund_by == RefundBy::authorization;
  // A request that names the other object must be refused.
  const bool names_authorization = by_authorization != random.chance(30);
  return CreateRefund{.merchant_id = shop.merchant,
                      .collected = names_authorization ? ObjectRef(authorization.id) : ObjectRef(row.id),
                      .channel = authorization.channel,
                      .currency = authorization.currency,
                      .account_id = authorization.account_id,
                      .order_id = aggregate.order.id};
}

}  // namespace finality::sim
