// Random requests of a simulated merchant for one order.
#include <algorithm>
#include <utility>

#include "sim/world/authorization_script.h"
#include "sim/world/shop.h"

namespace finality::sim {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr int kLooksMax = 8;
constexpr MinorUnits kAmountMax = 100'000;

class OrderScript : public std::enable_shared_from_this<OrderScript> {
 public:
  explicit OrderScript(Shop& shop) : shop_(shop) {}

  void begin() {
    number_ = shop_.client.number("order");
    CreateOrder order;
    order.merchant_id = shop_.merchant;
    order.merchant_order_no = number_;
    order.amount = random().between(1, kAmountMax);
    order.currency = shop_.currency;
    order.subject = "tea";
    if (random().chance(shop_.manual_share)) draw_capture_terms(shop_, order);
    method_ = order.capture_method;
    order.expires_in = random().between(minutes(1), hours(1));
    if (random().chance(300)) order.attempts = random().between(1, 3);
    if (random().chance(400)) order.close_policy = ClosePolicy::local;
    if (random().chance(500)) order.notify_url = "https://shop.example/order";
    if (random().chance(200)) order.return_url = "https://shop.example/back";
    if (random().chance(850)) order.payment = payment_fields();
    order.fingerprint = sha256_16(number_);
    const std::string key = shop_.key();
    const bool pays = order.payment.has_value();
    shop_.client.call(
        {order, shop_.merchant, key, "body", pays},
        [self = shared_from_this(), order, key](const Reply& reply) { self->created(order, key, reply); });
  }

 private:
  Random& random() { return shop_.scheduler.random(); }

  PaymentFields payment_fields() {
    PaymentFields fields;
    fields.channel = draw_channel(shop_, method_);
    fields.method = fields.channel == kWallet ? "balance" : "redirect";
    if (fields.channel == kWallet) fields.account_id = shop_.any_user();
    if (random().chance(700)) fields.merchant_payment_no = shop_.client.number("pay");
    return fields;
  }
  template <class Then>
  void later(Duration least, Duration most, Then then) {
    shop_.scheduler.after(random().spread(least, most), [self = shared_from_this(), then] { then(*self); });
  }

  void created(const CreateOrder& order, const std::string& key, const Reply& reply) {
    if (!reply.object || reply.object->type != ObjectType::order) return;
    order_ = OrderId{reply.object->value};
    if (random().chance(30)) repeat_with_another_body(order, key);
    later(Duration(200), minutes(20), [](OrderScript& self) { self.look(); });
  }
  // Sends another order with the same Idempotency-Key or merchant_order_no, and checks that it is refused.
  void repeat_with_another_body(CreateOrder order, const std::string& key) {
    order.amount += 1;
    order.fingerprint = sha256_16("other");
    const bool by_key = !key.empty() && random().chance(500);
    const RefusalCode expected = by_key ? RefusalCode::idempotency_key_reused : RefusalCode::merchant_order_no_conflict;
    const MerchantId merchant = shop_.merchant;
    shop_.client.call({std::move(order), merchant, by_key ? key : std::string(), "other body"},
                      [self = shared_from_this(), expected](const Reply& reply) {
                        self->shop_.auditor.findings().require(reply.refusal && reply.refusal->code == expected,
                                                               "9 changed requests",
                                                               "order {}: a different body got the reply {}, not {}",
                                                               self->number_, reply.status, name_of(expected));
                      });
  }

  void look() {
    const auto found = shop_.reader.order(order_);
    shop_.auditor.findings().require(found && *found, "9 one reply per key",
                                     "{} was returned in a reply, but is not stored", to_text(order_));
    if (!found || !*found) return;
    const OrderAggregate& aggregate = **found;
    shop_.client.recorder().shown(aggregate);
    if (order_machine.is_final(aggregate.order.state)) return end(aggregate);
    act(aggregate);
    if (++looks_ >= kLooksMax) return;
    const Duration pause_max = method_ == CaptureMethod::manual ? hours(12) : hours(2);
    later(seconds(5), pause_max, [](OrderScript& self) { self.look(); });
  }
  void act(const OrderAggregate& aggregate) {
    const auto is_open = [](const auto& row) { return !machine_of(row.state).is_final(row.state); };
    const bool open =
        std::ranges::any_of(aggregate.payments, is_open) || std::ranges::any_of(aggregate.authorizations, is_open);
    if (random().chance(aggregate.order.state == OrderState::authorized ? 60 : 200)) close();
    if (random().chance(open ? 250 : 700)) pay();
    if (random().chance(100)) query(aggregate);
    act_on_authorizations(shop_, aggregate);
    if (random().chance(200)) refund(aggregate);
  }
  // Sends requests for an order that has ended. Most of them must be refused; refunds of a paid order may succeed.
  void end(const OrderAggregate& aggregate) {
    if (random().chance(150)) pay();
    if (random().chance(150)) close();
    if (random().chance(150)) query(aggregate);
    act_on_authorizations(shop_, aggregate);
    refund(aggregate);
  }
  void query(const OrderAggregate& aggregate) {
    if (aggregate.payments.empty()) return;
    shop_.client.call({QueryPayment{shop_.merchant, aggregate.payments.back().id}, shop_.merchant},
                      [](const Reply&) {});
  }
  void close() {
    shop_.client.call({CloseOrder{shop_.merchant, order_}, shop_.merchant, shop_.key()}, [](const Reply&) {});
  }
  // Starts a payment or an authorization. Rarely one that the order's capture method does not have, which is refused.
  void pay() {
    const bool authorizes = (method_ == CaptureMethod::manual) != random().chance(20);
    Command start = authorizes ? Command(StartAuthorization{shop_.merchant, order_, payment_fields(), shop_.currency})
                               : Command(StartPayment{shop_.merchant, order_, payment_fields(), shop_.currency});
    shop_.client.call({std::move(start), shop_.merchant, shop_.key(), "body", true}, [](const Reply&) {});
  }
  std::optional<CreateRefund> draw_refund(const OrderAggregate& aggregate) {
    if (method_ == CaptureMethod::manual) return draw_capture_refund(shop_, aggregate);
    const auto paid = std::ranges::find(aggregate.payments, PaymentState::succeeded, &Payment::state);
    if (paid == aggregate.payments.end()) return std::nullopt;
    return CreateRefund{.merchant_id = shop_.merchant,
                        .collected = paid->id,
                        .channel = paid->channel,
                        .currency = paid->currency,
                        .account_id = paid->account_id};
  }
  void refund(const OrderAggregate& aggregate) {
    if (!random().chance(500)) return;
    for (std::int64_t count = random().between(1, 3); count > 0; --count) {
      std::optional<CreateRefund> refund = draw_refund(aggregate);
      if (!refund) return;
      refund->merchant_refund_no = shop_.client.number("refund");
      if (random().chance(700)) refund->amount = random().between(1, aggregate.order.amount);
      later(Duration(1), hours(5), [refund = *refund](OrderScript& self) {
        self.shop_.client.call({refund, self.shop_.merchant, self.shop_.key(), "body", self.random().chance(500)},
                               [shared = self.shared_from_this(), refund](const Reply& reply) {
                                 if (reply.object) shared->refunded(refund);
                               });
      });
    }
  }
  // Sends another refund with the merchant_refund_no of an earlier refund, and checks that it is refused.
  void refunded(CreateRefund refund) {
    const std::optional<CreateRefund> earlier = std::exchange(shop_.refunded, refund);
    if (!earlier || !random().chance(100)) return;
    refund.merchant_refund_no = earlier->merchant_refund_no;
    refund.reason = "another";
    const MerchantId merchant = shop_.merchant;
    shop_.client.call(
        {refund, merchant}, [self = shared_from_this(), number = refund.merchant_refund_no](const Reply& reply) {
          self->shop_.auditor.findings().require(
              reply.refusal && reply.refusal->code == RefusalCode::merchant_refund_no_conflict, "9 changed requests",
              "refund {}: a different refund under its number got the reply {}", number, reply.status);
        });
  }

  Shop& shop_;
  std::string number_;
  OrderId order_;
  CaptureMethod method_ = CaptureMethod::automatic;
  int looks_ = 0;
};

}  // namespace

void begin_order(Shop& shop) { std::make_shared<OrderScript>(shop)->begin(); }

}  // namespace finality::sim
