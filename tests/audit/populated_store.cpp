#include "populated_store.h"

#include <future>
#include <optional>
#include <tuple>

#include "base/check.h"
#include "engine/engine.h"
#include "model/out_trade_no.h"
#include "store/archive/archivist.h"
#include "store/store.h"
#include "wire/json_renderer.h"

namespace finality::audit {
namespace {

using namespace std::chrono_literals;

constexpr MinorUnits kAmount = 1000;
constexpr Currency kCurrency{{'C', 'N', 'Y'}};

class TestClock final : public Clock {
 public:
  Time now() const override { return Time{ms_.load()}; }
  void pass(Duration time) { ms_ += time.count(); }

 private:
  std::atomic<std::int64_t> ms_ = 1'790'000'000'000;
};

template <class T>
T must(Result<T> result) {
  FINALITY_CHECK(result.has_value(), result.error().message);
  return std::move(*result);
}

Policy make_policy() {
  Policy policy;
  policy.channels["sandbox"] = {.methods = {"redirect"}};
  return policy;
}

class Shop {
 public:
  explicit Shop(const std::string& url)
      : store_(must(open_store({.url = url}))),
        engine_(must(Engine::start(
            *store_, {.policy = &policy_, .clock = &clock_, .renderer = &wire::json_renderer(), .perform = {}}))),
        reader_(must(store_->open_reader())) {
    merchant_ = MerchantId{run(CreateMerchant{"Shop", Secret("whsec_1"), Secret("link")}).object->value};
    register_channel_accounts();
  }

  Reply run(Command command, std::optional<Idempotency> idempotency = {}) {
    Reply reply = ask(std::move(command), idempotency);
    FINALITY_CHECK(reply.status < 300, reply.body);
    return reply;
  }
  /// As run(), but the command must be refused so.
  void run_refused(Command command, RefusalCode code) {
    const Reply reply = ask(std::move(command), {});
    FINALITY_CHECK(reply.refusal && reply.refusal->code == code, "not refused as it should be: " + reply.body);
  }
  Reply ask(Command command, std::optional<Idempotency> idempotency) {
    clock_.pass(1s);
    std::promise<Reply> promise;
    Request request;
    request.command = std::move(command);
    request.merchant_id = merchant_;
    request.request_id = "req_1";
    request.idempotency = idempotency;
    request.reply = [&promise](Reply reply) { promise.set_value(std::move(reply)); };
    engine_->submit(std::move(request));
    return promise.get_future().get();
  }

  MerchantId merchant() const { return merchant_; }
  /// All is over with that order: it is archived in the end.
  void archive_later(OrderId id) {
    answer_deliveries(id, true);
    to_archive_.push_back(id);
  }
  const std::vector<OrderId>& to_archive() const { return to_archive_; }
  CreateOrder order_called(const std::string& name) const {
    CreateOrder command;
    command.merchant_id = merchant_;
    command.merchant_order_no = name;
    command.fingerprint = sha256_16(name);
    command.amount = kAmount;
    command.currency = kCurrency;
    command.subject = "Tea";
    command.notify_url = "https://shop.example/notify";
    return command;
  }
  OrderId make(const CreateOrder& command) { return OrderId{run(command).object->value}; }
  OrderId make_paid_by(CreateOrder command) {
    command.payment = PaymentFields{.channel = "sandbox", .method = "redirect"};
    return make(command);
  }
  OrderAggregate look_at(OrderId id) { return *must(reader_->order(id)); }

  /// The channel says so of the order's last payment.
  void tell(OrderId id, EvidenceKind kind, const std::string& trade = "", MinorUnits amount = kAmount,
            MinorUnits refunded = 0) {
    const Payment payment = look_at(id).payments.back();
    Evidence evidence;
    evidence.kind = kind;
    evidence.source = CauseKind::query;
    evidence.asked_at = clock_.now() + 1s;
    if (!trade.empty()) evidence.channel_trade_no = trade;
    evidence.amount = amount;
    evidence.currency = payment.currency;
    evidence.refunded = refunded;
    evidence.paid_at = clock_.now();
    run(RecordEvidence{merchant_, payment.id, "sandbox", payment.out_trade_no, evidence});
  }
  void refund(OrderId id, MinorUnits amount, const std::string& number) {
    const Payment payment = look_at(id).payments.back();
    run(CreateRefund{merchant_, payment.id, amount, number, {}, payment.channel, payment.currency, payment.account_id});
  }
  /// The channel says so of the money that goes back in `row`.
  template <class Row>
  void tell_of(const Row& row, RefundEvidenceKind kind, std::optional<ReportedReturn> returned = {}) {
    const RefundEvidence evidence{
        .kind = kind, .source = CauseKind::query, .asked_at = clock_.now() + 1s, .returned = std::move(returned)};
    run(RecordRefund{merchant_, row.order_id, row.id, row.out_refund_no, "sandbox", row.currency, row.amount,
                     evidence});
  }

  AccountId open_account(const std::string& name, MinorUnits overdraft = 0) {
    return AccountId{run(OpenAccount{merchant_, name, "purse", kCurrency, overdraft}).object->value};
  }
  void change_account(AccountId id, AccountEvent event) { run(ChangeAccount{merchant_, id, event}); }
  /// Answers with the lock's token.
  std::string lock(AccountId id, std::optional<std::string> token = {}) {
    run(LockAccount{merchant_, id, "till", 1h, "nonce", std::move(token)});
    return *must(reader_->account(id))->lock_token;
  }
  PostTransfer transfer_called(const std::string& reference, AccountId from, AccountId to) const {
    PostTransfer command;
    command.merchant_id = merchant_;
    command.debit_account_id = from;
    command.credit_account_id = to;
    command.currency = kCurrency;
    command.source = "api";
    command.reference = reference;
    command.fingerprint = sha256_16(reference);
    return command;
  }
  void transfer(const std::string& reference, AccountId from, AccountId to, MinorUnits amount) {
    PostTransfer command = transfer_called(reference, from, to);
    command.amount = amount;
    run(command);
  }
  void reverse(const std::string& reference) { run(ReverseTransfer{merchant_, "api", reference}); }
  HoldId hold(const std::string& reference, AccountId from, AccountId to, MinorUnits amount, Duration expires_in) {
    CreateHold command;
    command.merchant_id = merchant_;
    command.account_id = from;
    command.credit_account_id = to;
    command.amount = amount;
    command.currency = kCurrency;
    command.source = "api";
    command.reference = reference;
    command.fingerprint = sha256_16(reference);
    command.expires_in = expires_in;
    return HoldId{run(command).object->value};
  }
  /// An order that this account pays, or is too poor to pay.
  OrderId make_paid_from(AccountId account, CreateOrder command) {
    command.payment = PaymentFields{.channel = "wallet", .method = "balance", .account_id = account};
    return make(command);
  }

  void answer_deliveries(OrderId id, bool acknowledged) {
    for (const Delivery& delivery : must(reader_->deliveries(merchant_, id, {.limit = 100})).rows) {
      RecordDelivery attempt{.merchant_id = merchant_, .delivery_id = delivery.id};
      attempt.status = 500;
      run(attempt);  // the first attempt fails in any case
      attempt.acknowledged = acknowledged;
      attempt.gone = !acknowledged;
      attempt.status = acknowledged ? 200 : 410;
      run(attempt);
    }
  }

 private:
  // As a server does at its start. Nothing was ever paid over the third.
  void register_channel_accounts() {
    for (const auto& [channel, funds, state] : {std::tuple("sandbox", Funds::platform, ChannelAccountState::enabled),
                                                std::tuple("wallet", Funds::internal, ChannelAccountState::enabled),
                                                std::tuple("old", Funds::platform, ChannelAccountState::disabled)}) {
      RegisterChannelAccount command;
      command.channel = command.kind = command.identity = channel;
      command.funds = funds;
      command.state = state;
      run(command);
    }
    for (const ChannelAccount& row : must(reader_->channel_accounts())) policy_.accounts[row.channel] = row;
  }

  Policy policy_ = make_policy();
  TestClock clock_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<Reader> reader_;
  MerchantId merchant_;
  std::vector<OrderId> to_archive_;
};

void let_orders_end(Shop& shop) {
  const OrderId succeeded = shop.make_paid_by(shop.order_called("succeeded"));
  shop.tell(succeeded, EvidenceKind::waiting);
  shop.tell(succeeded, EvidenceKind::paid, "T-succeeded");
  shop.answer_deliveries(succeeded, true);

  CreateOrder one_try = shop.order_called("failed");
  one_try.attempts = 1;
  const OrderId failed = shop.make_paid_by(one_try);
  shop.tell(failed, EvidenceKind::failed);
  shop.answer_deliveries(failed, false);

  shop.run(CloseOrder{shop.merchant(), shop.make(shop.order_called("closed"))});
}

void let_orders_wait(Shop& shop) {
  shop.make(shop.order_called("pending"));
  shop.tell(shop.make_paid_by(shop.order_called("waiting")), EvidenceKind::waiting);
  shop.make_paid_by(shop.order_called("processing"));
  shop.run(CloseOrder{shop.merchant(), shop.make_paid_by(shop.order_called("closing"))});
  shop.run(ParkOrder{shop.merchant(), shop.make_paid_by(shop.order_called("parked")), "for the audit"});

  const Idempotency idempotency{sha256_16("key"), sha256_16("body")};
  for (int i = 0; i < 2; ++i) shop.run(shop.order_called("idempotent"), idempotency);
}

// Paid when nobody wants the money any more.
OrderId pay_in_vain(Shop& shop, const std::string& name) {
  CreateOrder command = shop.order_called(name);
  command.close_policy = ClosePolicy::local;
  const OrderId id = shop.make_paid_by(command);
  shop.tell(id, EvidenceKind::waiting);
  shop.run(CloseOrder{shop.merchant(), id});
  shop.tell(id, EvidenceKind::paid, "T-" + name);
  return id;
}

void let_money_go_back(Shop& shop) {
  pay_in_vain(shop, "in_vain");
  const OrderId returned = pay_in_vain(shop, "returned");
  shop.tell_of(shop.look_at(returned).reversals.back(), RefundEvidenceKind::refunded);
  const OrderId blocked = pay_in_vain(shop, "blocked");
  shop.tell_of(shop.look_at(blocked).reversals.back(), RefundEvidenceKind::refused);

  const OrderId refunded = shop.make_paid_by(shop.order_called("refunded"));
  shop.tell(refunded, EvidenceKind::paid, "T-refunded");
  shop.refund(refunded, 300, "R-succeeded");
  shop.tell_of(shop.look_at(refunded).refunds.back(), RefundEvidenceKind::refunded);
  shop.refund(refunded, 200, "R-failed");
  shop.tell_of(shop.look_at(refunded).refunds.back(), RefundEvidenceKind::refused);
  shop.refund(refunded, 100, "R-processing");
}

void let_channels_contradict_themselves(Shop& shop) {
  shop.tell(shop.make_paid_by(shop.order_called("wrong")), EvidenceKind::paid, "T-wrong", kAmount - 1);
  const OrderId after_failure = shop.make_paid_by(shop.order_called("after_failure"));
  shop.tell(after_failure, EvidenceKind::failed);
  shop.tell(after_failure, EvidenceKind::paid, "T-after");
  const OrderId external = shop.make_paid_by(shop.order_called("external"));
  shop.tell(external, EvidenceKind::paid, "T-external", kAmount, 300);
  shop.refund(external, 200, "R-external");
  shop.tell_of(shop.look_at(external).refunds.back(), RefundEvidenceKind::refused);
  shop.tell_of(shop.look_at(external).refunds.back(), RefundEvidenceKind::refunded);  // after all
  shop.tell(external, EvidenceKind::paid, "T-external", kAmount, 500);
  shop.tell(external, EvidenceKind::paid, "T-external-again", kAmount, 400);  // a duplicate, refunded in part
  const OrderId contradicted = shop.make_paid_by(shop.order_called("contradicted"));
  shop.tell(contradicted, EvidenceKind::paid, "T-contradicted");
  shop.tell(contradicted, EvidenceKind::failed);
}

/// Accounts, called by what has become of them.
struct Purses {
  AccountId bank;  // where the others' money comes from
  AccountId rich;
  AccountId poor;
};

Purses open_accounts(Shop& shop) {
  const Purses purses{shop.open_account("bank", 1'000'000), shop.open_account("rich"), shop.open_account("poor")};
  shop.transfer("T-posted", purses.bank, purses.rich, 9'000);

  const AccountId frozen = shop.open_account("frozen");
  shop.transfer("T-frozen", purses.bank, frozen, 50);
  shop.change_account(frozen, AccountEvent::freeze);
  shop.transfer("T-into-frozen", purses.bank, frozen, 70);
  shop.change_account(frozen, AccountEvent::unfreeze);
  shop.transfer("T-thawed", frozen, purses.bank, 20);
  shop.change_account(frozen, AccountEvent::freeze);

  const std::string token = shop.lock(shop.open_account("locked"));
  FINALITY_CHECK(token.starts_with("1-"), "the first lock of an account has the number 1");
  const AccountId unlocked = shop.open_account("unlocked");
  shop.run(UnlockAccount{shop.merchant(), unlocked, shop.lock(unlocked, shop.lock(unlocked))});
  return purses;
}

void move_money(Shop& shop, const Purses& purses) {
  const auto price_tea = [&](MinorUnits amount) { shop.run(SetPrice{shop.merchant(), "tea", amount, kCurrency, {}}); };
  price_tea(40);
  price_tea(45);
  PostTransfer tea = shop.transfer_called("T-priced", purses.rich, purses.poor);
  tea.price = "tea";
  tea.quantity = 3;
  shop.run(tea);
  PostTransfer coffee = shop.transfer_called("T-unpriced", purses.rich, purses.poor);
  coffee.price = "coffee";
  shop.run_refused(coffee, RefusalCode::price_not_found);
  PostTransfer refused = shop.transfer_called("T-refused", purses.poor, purses.rich);
  refused.amount = 1'000;
  shop.run_refused(refused, RefusalCode::insufficient_balance);

  shop.transfer("T-reversed", purses.bank, purses.poor, 700);
  shop.reverse("T-reversed");
  shop.reverse("T-tombstone");
  PostTransfer late = shop.transfer_called("T-tombstone", purses.bank, purses.poor);
  late.amount = 1;
  shop.run_refused(late, RefusalCode::already_reversed);
}

void hold_money(Shop& shop, const Purses& purses) {
  shop.hold("H-held", purses.rich, purses.poor, 600, 24h);
  shop.run(PostHold{shop.merchant(), shop.hold("H-posted", purses.rich, purses.poor, 500, 24h), 300, {}});
  shop.run(VoidHold{shop.merchant(), shop.hold("H-voided", purses.rich, purses.poor, 200, 24h)});
  shop.run(ExpireHold{shop.merchant(), shop.hold("H-expired", purses.rich, purses.poor, 100, 1s)});
}

void pay_from_accounts(Shop& shop, const Purses& purses) {
  shop.refund(shop.make_paid_from(purses.rich, shop.order_called("by_wallet")), 400, "R-wallet");
  CreateOrder one_try = shop.order_called("too_poor");
  one_try.attempts = 1;
  shop.make_paid_from(purses.poor, one_try);

  const AccountId closed = shop.open_account("closed");
  shop.transfer("T-closed", purses.bank, closed, kAmount);
  const OrderId paid = shop.make_paid_from(closed, shop.order_called("by_closed"));
  shop.change_account(closed, AccountEvent::close);
  shop.refund(paid, 100, "R-closed");
}

// Amounts whose products do not fit 64 bits.
void let_orders_be_archived(Shop& shop, const Purses& purses) {
  const OrderId refunded = shop.make_paid_by(shop.order_called("old_refunded"));
  shop.tell(refunded, EvidenceKind::paid, "T-old-refunded");
  shop.refund(refunded, 300, "R-old");
  shop.tell_of(shop.look_at(refunded).refunds.back(), RefundEvidenceKind::refunded);
  shop.archive_later(refunded);
  const OrderId returned = pay_in_vain(shop, "old_returned");
  shop.tell_of(shop.look_at(returned).reversals.back(), RefundEvidenceKind::refunded);
  shop.archive_later(returned);
  const OrderId closed = shop.make(shop.order_called("old_closed"));
  shop.run(CloseOrder{shop.merchant(), closed});
  shop.archive_later(closed);

  const OrderId by_wallet = shop.make_paid_from(purses.rich, shop.order_called("old_wallet"));
  shop.refund(by_wallet, 200, "R-old-wallet");
  shop.archive_later(by_wallet);
  CreateOrder one_try = shop.order_called("old_poor");
  one_try.attempts = 1;
  shop.archive_later(shop.make_paid_from(purses.poor, one_try));
}

void charge_fees(Shop& shop, const Purses& purses) {
  const auto set_fee = [&](const std::string& channel, std::int64_t basis_points, bool refundable) {
    SetFee command{.merchant_id = shop.merchant(), .channel = channel, .basis_points = basis_points, .fixed = 7};
    command.refundable = refundable;
    shop.run(command);
  };
  set_fee("sandbox", 60, false);
  set_fee("sandbox", 9'999, true);
  set_fee("wallet", 100, false);
  CreateOrder large = shop.order_called("charged");
  large.amount = limits::kAmountMax - 1;
  const OrderId charged = shop.make_paid_by(large);
  shop.tell(charged, EvidenceKind::paid, "T-charged", large.amount);
  const std::pair<const char*, MinorUnits> refunds[] = {{"R-share", 333'333'333'333'333}, {"R-least", 1}};
  for (const auto& [number, amount] : refunds) {
    shop.refund(charged, amount, number);
    shop.tell_of(shop.look_at(charged).refunds.back(), RefundEvidenceKind::refunded);
  }
  const OrderId returned = shop.make_paid_by(shop.order_called("refund_returned"));
  shop.tell(returned, EvidenceKind::paid, "T-refund-returned");
  shop.refund(returned, 700, "R-returned");
  for (const ReportedReturn& one : {ReportedReturn{"B1", 200}, ReportedReturn{"B2", 300}})
    shop.tell_of(shop.look_at(returned).refunds.back(), RefundEvidenceKind::refunded, one);
  shop.refund(shop.make_paid_from(purses.rich, shop.order_called("charged_wallet")), 500, "R-unshared");
}

void set_up(Shop& shop) {
  const auto key = shop.run(CreateApiKey{shop.merchant(), Role::merchant, "till", sha256_16("till")});
  shop.run(CreateApiKey{{}, Role::admin, "admin", sha256_16("admin")});
  shop.run(RevokeApiKey{ApiKeyId{key.object->value}});
  const auto make_endpoint = [&](const std::string& types) {
    return WebhookEndpointId{shop.run(CreateWebhookEndpoint{shop.merchant(), "https://shop.example/hook", types,
                                                            Acknowledge::status, Secret("whsec_2")})
                                 .object->value};
  };
  make_endpoint("");
  shop.run(DeleteWebhookEndpoint{shop.merchant(), make_endpoint("order.closed")});
}

std::vector<OrderId> live(const std::string& url) {
  Shop shop(url);
  set_up(shop);
  let_orders_end(shop);
  let_orders_wait(shop);
  let_money_go_back(shop);
  let_channels_contradict_themselves(shop);
  const Purses purses = open_accounts(shop);
  move_money(shop, purses);
  hold_money(shop, purses);
  pay_from_accounts(shop, purses);
  let_orders_be_archived(shop, purses);
  charge_fees(shop, purses);
  return shop.to_archive();
}

}  // namespace

void write_populated_store(const std::string& url) {
  const std::vector<OrderId> over = live(url);
  const auto archivist = must(store::open_archivist(url));
  const Time later{1'990'000'000'000};
  const auto removed = must(archivist->remove(
      over, "old-1", later, [later](const store::WholeOrder& order) { return store::is_over(order, later); }));
  FINALITY_CHECK(removed == over, "an order that is over was not archived");
}

}  // namespace finality::audit
