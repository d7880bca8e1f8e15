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
constexpr const char* kTreasury = "treasury";  // name of the bank account

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
  /// Runs a command in the books of the platform.
  Reply run_at_platform(Command command) {
    Reply reply = ask(std::move(command), {}, kPlatform);
    FINALITY_CHECK(reply.status < 300, reply.body);
    return reply;
  }
  /// Runs a command that must be refused with `code`.
  void run_refused(Command command, RefusalCode code) {
    const Reply reply = ask(std::move(command), {});
    FINALITY_CHECK(reply.refusal && reply.refusal->code == code, "wrong refusal: " + reply.body);
  }
  Reply ask(Command command, std::optional<Idempotency> idempotency) {
    return ask(std::move(command), idempotency, merchant_);
  }
  Reply ask(Command command, std::optional<Idempotency> idempotency, MerchantId merchant) {
    clock_.pass(1s);
    std::promise<Reply> promise;
    Request request;
    request.command = std::move(command);
    request.merchant_id = merchant;
    request.request_id = "req_1";
    request.idempotency = idempotency;
    request.reply = [&promise](Reply reply) { promise.set_value(std::move(reply)); };
    engine_->submit(std::move(request));
    return promise.get_future().get();
  }

  MerchantId merchant() const { return merchant_; }
  /// Records a payment of a number that the store does not have. Returns its case.
  Case receive_unknown(const std::string& trade, MinorUnits refunded = 0) {
    Evidence evidence{.kind = EvidenceKind::paid, .source = CauseKind::notification, .asked_at = clock_.now()};
    evidence.channel_trade_no = trade;
    evidence.amount = kAmount;
    evidence.currency = kCurrency;
    evidence.refunded = refunded;
    evidence.paid_at = clock_.now();
    run_at_platform(RecordUnknownReceipt{"sandbox", "till-" + trade, evidence});
    return must(reader_->cases(kPlatform, CaseState::open, {.limit = 1})).rows.front();
  }
  /// Ends the work on a final order: its deliveries are acknowledged, and it is archived at the end.
  void archive_later(OrderId id) {
    answer_deliveries(id, true);
    to_archive_.push_back(id);
  }
  const std::vector<OrderId>& to_archive() const { return to_archive_; }
  ChannelAccountId account_of(const std::string& channel) const { return policy_.account_of(channel); }
  CaseId newest_case() { return must(reader_->cases(merchant_, CaseState::open, {.limit = 1})).rows.front().id; }
  /// Lines that agree with the receipts of the merchant's newest orders over the sandbox.
  std::vector<MatchedLine> lines_of_receipts() {
    std::vector<MatchedLine> lines;
    for (const OrderAggregate& order : must(reader_->orders(merchant_, {}, {.limit = 100})).rows)
      for (const Receipt& receipt : order.receipts) {
        if (receipt.channel != "sandbox" || lines.size() == 3) continue;
        const auto number = static_cast<std::int64_t>(lines.size() + 1);
        lines.push_back({receipt.id, sha256_16(to_text(receipt.id)), number, receipt.amount});
      }
    return lines;
  }
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
  OrderAggregate read_order(OrderId id) { return *must(reader_->order(id)); }

  /// Records evidence from the channel about the order's last payment.
  void report(OrderId id, EvidenceKind kind, const std::string& trade = "", MinorUnits amount = kAmount,
              MinorUnits refunded = 0) {
    const Payment payment = read_order(id).payments.back();
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
  AdjustmentId propose(AdjustmentType type, AccountKind account, MinorUnits amount, const std::string& note) {
    ProposeAdjustment command{merchant_, type, account, "", kCurrency, amount, note, "key_1"};
    if (account == AccountKind::channel_receivable) command.channel = "sandbox";
    if (account == AccountKind::bank && !policy_.bank_accounts.empty()) command.channel = kTreasury;
    return AdjustmentId{run(command).object->value};
  }
  /// From now on, adjustments of `bank` name the bank account.
  void configure_bank_account() { policy_.bank_accounts[kTreasury] = kCurrency; }
  void decide(AdjustmentId id, AdjustmentEvent event) {
    const Adjustment adjustment = *must(reader_->adjustment(id));
    run(decision_about(&adjustment, merchant_, event, "key_2"));
  }
  void refund(OrderId id, MinorUnits amount, const std::string& number) {
    const Payment payment = read_order(id).payments.back();
    run(CreateRefund{merchant_, payment.id, amount, number, {}, payment.channel, payment.currency, payment.account_id});
  }
  /// Records evidence from the channel about a refund or a reversal.
  template <class Row>
  void report_refund(const Row& row, RefundEvidenceKind kind, std::optional<ReportedReturn> returned = {}) {
    const RefundEvidence evidence{
        .kind = kind, .source = CauseKind::query, .asked_at = clock_.now() + 1s, .returned = std::move(returned)};
    run(RecordRefund{merchant_, row.order_id, row.id, row.out_refund_no, "sandbox", row.currency, row.amount,
                     evidence});
  }
  /// Records the settlement of the order's paid trade, and of its last refund.
  void settle(OrderId id, const std::string& trade) {
    const OrderAggregate order = read_order(id);
    const Payment& payment = order.payments.back();
    const Refund& refund = order.refunds.back();
    const Currency dollars = *parse_currency("USD");
    Evidence paid{.kind = EvidenceKind::paid, .source = CauseKind::notification, .asked_at = clock_.now()};
    paid.channel_trade_no = trade;
    paid.amount = payment.amount;
    paid.currency = payment.currency;
    paid.settlement = ReportedSettlement{"B-1", 139, dollars, 5, "0.139", {}};
    run(RecordEvidence{merchant_, payment.id, "sandbox", payment.out_trade_no, paid});
    RefundEvidence refunded{.kind = RefundEvidenceKind::refunded, .source = CauseKind::notification};
    refunded.settlement = ReportedSettlement{"B-2", 43, dollars, -1, "0.1433", {}};
    run(RecordRefund{merchant_, id, refund.id, refund.out_refund_no, "sandbox", refund.currency, refund.amount,
                     refunded});
  }

  AccountId open_account(const std::string& name, MinorUnits overdraft = 0) {
    return AccountId{run(OpenAccount{merchant_, name, "customer", kCurrency, overdraft}).object->value};
  }
  void change_account(AccountId id, AccountEvent event) { run(ChangeAccount{merchant_, id, event}); }
  /// Returns the lock's token.
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
  /// Makes an order that this account pays, or fails to pay for lack of balance.
  OrderId make_paid_from(AccountId account, CreateOrder command) {
    command.payment = PaymentFields{.channel = "wallet", .method = "balance", .account_id = account};
    return make(command);
  }

  void answer_deliveries(OrderId id, bool acknowledged) {
    for (const Delivery& delivery : must(reader_->deliveries(merchant_, id, {.limit = 100})).rows) {
      RecordDelivery attempt{.merchant_id = merchant_, .delivery_id = delivery.id};
      attempt.status = 500;
      run(attempt);  // the first attempt always fails
      attempt.acknowledged = acknowledged;
      attempt.gone = !acknowledged;
      attempt.status = acknowledged ? 200 : 410;
      run(attempt);
    }
  }

 private:
  // A server does this when it starts. No payment uses the third account.
  void register_channel_accounts() {
    for (const auto& [channel, funds, state] : {std::tuple("sandbox", Funds::platform, ChannelAccountState::enabled),
                                                std::tuple("wallet", Funds::internal, ChannelAccountState::enabled),
                                                std::tuple("old", Funds::platform, ChannelAccountState::disabled)}) {
      RegisterChannelAccount command;
      command.channel = command.kind = command.identity = channel;
      command.funds = funds;
      command.state = state;
      command.merchant_currency = MerchantCurrency::settlement;
      run(command);
    }
    run(RegisterChannelAccount{
        .channel = kTreasury, .kind = std::string(kBankKind), .identity = "number=6222000000001234 currency=CNY"});
    for (const ChannelAccount& row : must(reader_->channel_accounts())) policy_.accounts[row.channel] = row;
    for (const auto& [from_date, basis_points] : {std::pair("2026-01-01", 60), {"2026-07-01", 55}, {"2026-07-01", 50}})
      run(SetChannelRate{
          .channel_account_id = policy_.account_of("sandbox"), .basis_points = basis_points, .from_date = from_date});
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
  shop.report(succeeded, EvidenceKind::waiting);
  shop.report(succeeded, EvidenceKind::paid, "T-succeeded");
  shop.answer_deliveries(succeeded, true);

  CreateOrder one_try = shop.order_called("failed");
  one_try.attempts = 1;
  const OrderId failed = shop.make_paid_by(one_try);
  shop.report(failed, EvidenceKind::failed);
  shop.answer_deliveries(failed, false);

  shop.run(CloseOrder{shop.merchant(), shop.make(shop.order_called("closed"))});
}

void let_orders_wait(Shop& shop) {
  shop.make(shop.order_called("pending"));
  shop.report(shop.make_paid_by(shop.order_called("waiting")), EvidenceKind::waiting);
  shop.make_paid_by(shop.order_called("processing"));
  shop.run(CloseOrder{shop.merchant(), shop.make_paid_by(shop.order_called("closing"))});
  shop.run(ParkOrder{shop.merchant(), shop.make_paid_by(shop.order_called("parked")), "for the audit"});

  const Idempotency idempotency{sha256_16("key"), sha256_16("body")};
  for (int i = 0; i < 2; ++i) shop.run(shop.order_called("idempotent"), idempotency);
}

// Pays an order after it was closed.
OrderId pay_after_close(Shop& shop, const std::string& name) {
  CreateOrder command = shop.order_called(name);
  command.close_policy = ClosePolicy::local;
  const OrderId id = shop.make_paid_by(command);
  shop.report(id, EvidenceKind::waiting);
  shop.run(CloseOrder{shop.merchant(), id});
  shop.report(id, EvidenceKind::paid, "T-" + name);
  return id;
}

void return_money(Shop& shop) {
  pay_after_close(shop, "paid_late");
  const OrderId returned = pay_after_close(shop, "returned");
  shop.report_refund(shop.read_order(returned).reversals.back(), RefundEvidenceKind::refunded);
  const OrderId blocked = pay_after_close(shop, "blocked");
  shop.report_refund(shop.read_order(blocked).reversals.back(), RefundEvidenceKind::refused);

  const OrderId refunded = shop.make_paid_by(shop.order_called("refunded"));
  shop.report(refunded, EvidenceKind::paid, "T-refunded");
  shop.refund(refunded, 300, "R-succeeded");
  shop.report_refund(shop.read_order(refunded).refunds.back(), RefundEvidenceKind::refunded);
  shop.refund(refunded, 200, "R-failed");
  shop.report_refund(shop.read_order(refunded).refunds.back(), RefundEvidenceKind::refused);
  shop.refund(refunded, 100, "R-processing");
}

void convert_amounts(Shop& shop) {
  const OrderId settled = shop.make_paid_by(shop.order_called("settled"));
  shop.report(settled, EvidenceKind::paid, "T-settled");
  shop.refund(settled, 300, "R-settled");
  shop.report_refund(shop.read_order(settled).refunds.back(), RefundEvidenceKind::refunded);
  shop.settle(settled, "T-settled");
}

void contradict_results(Shop& shop) {
  shop.report(shop.make_paid_by(shop.order_called("wrong")), EvidenceKind::paid, "T-wrong", kAmount - 1);
  const OrderId after_failure = shop.make_paid_by(shop.order_called("after_failure"));
  shop.report(after_failure, EvidenceKind::failed);
  shop.report(after_failure, EvidenceKind::paid, "T-after");
  const OrderId external = shop.make_paid_by(shop.order_called("external"));
  shop.report(external, EvidenceKind::paid, "T-external", kAmount, 300);
  shop.refund(external, 200, "R-external");
  shop.report_refund(shop.read_order(external).refunds.back(), RefundEvidenceKind::refused);
  shop.report_refund(shop.read_order(external).refunds.back(),
                     RefundEvidenceKind::refunded);  // the channel corrects itself
  shop.report(external, EvidenceKind::paid, "T-external", kAmount, 500);
  shop.report(external, EvidenceKind::paid, "T-external-again", kAmount, 400);  // a duplicate, refunded in part
  const OrderId contradicted = shop.make_paid_by(shop.order_called("contradicted"));
  shop.report(contradicted, EvidenceKind::paid, "T-contradicted");
  shop.report(contradicted, EvidenceKind::failed);
}

/// Accounts, named after their role.
struct UserAccounts {
  AccountId bank;  // funds the others
  AccountId rich;
  AccountId poor;
};

UserAccounts open_accounts(Shop& shop) {
  const UserAccounts accounts{shop.open_account("bank", 1'000'000), shop.open_account("rich"),
                              shop.open_account("poor")};
  shop.transfer("T-posted", accounts.bank, accounts.rich, 9'000);

  const AccountId frozen = shop.open_account("frozen");
  shop.transfer("T-frozen", accounts.bank, frozen, 50);
  shop.change_account(frozen, AccountEvent::freeze);
  shop.transfer("T-into-frozen", accounts.bank, frozen, 70);
  shop.change_account(frozen, AccountEvent::unfreeze);
  shop.transfer("T-thawed", frozen, accounts.bank, 20);
  shop.change_account(frozen, AccountEvent::freeze);

  const std::string token = shop.lock(shop.open_account("locked"));
  FINALITY_CHECK(token.starts_with("1-"), "the first lock of an account has the number 1");
  const AccountId unlocked = shop.open_account("unlocked");
  shop.run(UnlockAccount{shop.merchant(), unlocked, shop.lock(unlocked, shop.lock(unlocked))});
  return accounts;
}

void move_money(Shop& shop, const UserAccounts& accounts) {
  const auto price_tea = [&](MinorUnits amount) { shop.run(SetPrice{shop.merchant(), "tea", amount, kCurrency, {}}); };
  price_tea(40);
  price_tea(45);
  PostTransfer tea = shop.transfer_called("T-priced", accounts.rich, accounts.poor);
  tea.price = "tea";
  tea.quantity = 3;
  shop.run(tea);
  PostTransfer coffee = shop.transfer_called("T-unpriced", accounts.rich, accounts.poor);
  coffee.price = "coffee";
  shop.run_refused(coffee, RefusalCode::price_not_found);
  PostTransfer refused = shop.transfer_called("T-refused", accounts.poor, accounts.rich);
  refused.amount = 1'000;
  shop.run_refused(refused, RefusalCode::insufficient_balance);

  shop.transfer("T-reversed", accounts.bank, accounts.poor, 700);
  shop.reverse("T-reversed");
  shop.reverse("T-tombstone");
  PostTransfer late = shop.transfer_called("T-tombstone", accounts.bank, accounts.poor);
  late.amount = 1;
  shop.run_refused(late, RefusalCode::already_reversed);
}

void hold_money(Shop& shop, const UserAccounts& accounts) {
  shop.hold("H-held", accounts.rich, accounts.poor, 600, 24h);
  shop.run(PostHold{shop.merchant(), shop.hold("H-posted", accounts.rich, accounts.poor, 500, 24h), 300, {}});
  shop.run(VoidHold{shop.merchant(), shop.hold("H-voided", accounts.rich, accounts.poor, 200, 24h)});
  shop.run(ExpireHold{shop.merchant(), shop.hold("H-expired", accounts.rich, accounts.poor, 100, 1s)});
}

void pay_from_accounts(Shop& shop, const UserAccounts& accounts) {
  shop.refund(shop.make_paid_from(accounts.rich, shop.order_called("by_wallet")), 400, "R-wallet");
  CreateOrder one_try = shop.order_called("too_poor");
  one_try.attempts = 1;
  shop.make_paid_from(accounts.poor, one_try);

  const AccountId closed = shop.open_account("closed");
  shop.transfer("T-closed", accounts.bank, closed, kAmount);
  const OrderId paid = shop.make_paid_from(closed, shop.order_called("by_closed"));
  shop.change_account(closed, AccountEvent::close);
  shop.refund(paid, 100, "R-closed");
}

// Finished orders that are archived at the end.
void finish_old_orders(Shop& shop, const UserAccounts& accounts) {
  const OrderId refunded = shop.make_paid_by(shop.order_called("old_refunded"));
  shop.report(refunded, EvidenceKind::paid, "T-old-refunded");
  shop.refund(refunded, 300, "R-old");
  shop.report_refund(shop.read_order(refunded).refunds.back(), RefundEvidenceKind::refunded);
  shop.archive_later(refunded);
  const OrderId kept = shop.make_paid_by(shop.order_called("kept_refunded"));
  shop.report(kept, EvidenceKind::paid, "T-kept-refunded");
  shop.refund(kept, 300, "R-kept");
  shop.report_refund(shop.read_order(kept).refunds.back(), RefundEvidenceKind::refunded);
  shop.answer_deliveries(kept, true);
  const OrderId returned = pay_after_close(shop, "old_returned");
  shop.report_refund(shop.read_order(returned).reversals.back(), RefundEvidenceKind::refunded);
  shop.archive_later(returned);
  const OrderId closed = shop.make(shop.order_called("old_closed"));
  shop.run(CloseOrder{shop.merchant(), closed});
  shop.archive_later(closed);

  const OrderId by_wallet = shop.make_paid_from(accounts.rich, shop.order_called("old_wallet"));
  shop.refund(by_wallet, 200, "R-old-wallet");
  shop.archive_later(by_wallet);
  CreateOrder one_try = shop.order_called("old_poor");
  one_try.attempts = 1;
  shop.archive_later(shop.make_paid_from(accounts.poor, one_try));
}

// Adjustments in every state and of every type, with notes as names.
void adjust(Shop& shop) {
  using enum AccountKind;
  using Type = AdjustmentType;
  shop.decide(shop.propose(Type::opening_balance, merchant_payable, 5'000, "opening"), AdjustmentEvent::approve);
  shop.decide(shop.propose(Type::opening_balance, merchant_direct, -300, "debt"), AdjustmentEvent::approve);
  shop.decide(shop.propose(Type::opening_balance, channel_receivable, -700, "owed"), AdjustmentEvent::approve);
  shop.decide(shop.propose(Type::opening_balance, bank, -90, "bank"), AdjustmentEvent::approve);
  shop.configure_bank_account();
  shop.decide(shop.propose(Type::opening_balance, bank, -80, "treasury"), AdjustmentEvent::approve);
  shop.decide(shop.propose(Type::penalty, channel_receivable, 20, "penalty"), AdjustmentEvent::approve);
  shop.decide(shop.propose(Type::rounding, channel_receivable, 1, "loss"), AdjustmentEvent::approve);
  shop.decide(shop.propose(Type::rounding, channel_receivable, -3, "gain"), AdjustmentEvent::approve);
  shop.decide(shop.propose(Type::penalty, channel_receivable, 40, "rejected"), AdjustmentEvent::reject);
  shop.propose(Type::penalty, channel_receivable, 60, "proposed");
}

// Amounts whose products do not fit into 64 bits.
void charge_fees(Shop& shop, const UserAccounts& accounts) {
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
  shop.report(charged, EvidenceKind::paid, "T-charged", large.amount);
  const std::pair<const char*, MinorUnits> refunds[] = {{"R-share", 333'333'333'333'333}, {"R-least", 1}};
  for (const auto& [number, amount] : refunds) {
    shop.refund(charged, amount, number);
    shop.report_refund(shop.read_order(charged).refunds.back(), RefundEvidenceKind::refunded);
  }
  const OrderId returned = shop.make_paid_by(shop.order_called("refund_returned"));
  shop.report(returned, EvidenceKind::paid, "T-refund-returned");
  shop.refund(returned, 700, "R-returned");
  for (const ReportedReturn& one : {ReportedReturn{"B1", 200}, ReportedReturn{"B2", 300}})
    shop.report_refund(shop.read_order(returned).refunds.back(), RefundEvidenceKind::refunded, one);
  shop.refund(shop.make_paid_from(accounts.rich, shop.order_called("charged_wallet")), 500, "R-unshared");
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

void resolve_unknown_receipts(Shop& shop) {
  const Case assigned = shop.receive_unknown("T-assigned");
  const ObjectRef root = root_of_case(assigned);
  shop.run_at_platform(
      ProposeResolution{kPlatform, root, assigned.id, "assign", "its till reported it", "key_a", shop.merchant()});
  shop.run_at_platform(ApproveResolution{kPlatform, root, assigned.id, "key_b", "assign", "sandbox", kCurrency,
                                         shop.merchant(), shop.merchant()});
  const Case cancelled = shop.receive_unknown("T-cancelled");
  const ObjectRef elsewhere = root_of_case(cancelled);
  shop.run_at_platform(
      ProposeResolution{kPlatform, elsewhere, cancelled.id, "cancel", "booked for its order", "key_a", {}});
  shop.run_at_platform(
      ApproveResolution{kPlatform, elsewhere, cancelled.id, "key_b", "cancel", "sandbox", kCurrency, {}});
  shop.receive_unknown("T-contradicted", 5);
  shop.receive_unknown("T-unknown");
}

/// Statements in every state, and differences in every state.
class Reconciliation {
 public:
  explicit Reconciliation(Shop& shop) : shop_(shop) {}

  StatementId expect(const std::string& date) {
    return StatementId{shop_.run_at_platform(ExpectStatement{.day = day(date), .due_at = Time{1}}).object->value};
  }
  StatementId receive(const std::string& date) {
    ReceiveStatement command{
        .day = day(date), .newest = expect(date), .newest_version = 1, .sha256 = "00ff", .bytes = 4};
    command.parts = {{"one"}, {"two"}};
    return StatementId{shop_.run_at_platform(std::move(command)).object->value};
  }
  void step(StatementId id, StatementEvent event) {
    shop_.run_at_platform(StepStatement{.statement_id = id, .event = event, .due_at = Time{2}});
  }
  void finish(StatementId id, const std::vector<MatchedLine>& lines) {
    const auto count = static_cast<std::int64_t>(lines.size());
    shop_.run(RecordMatches{shop_.merchant(), shop_.account_of("sandbox"), id, StatementKind::trades, lines});
    StepStatement command{.statement_id = id, .event = StatementEvent::finish, .lines = count, .matched = count};
    command.recorded = count;
    command.sums = {{.currency = kCurrency, .lines = count, .payments = count, .paid = count * kAmount}};
    shop_.run_at_platform(std::move(command));
  }
  DifferenceId find(const std::string& subject, DifferenceEvent event, DifferenceId known = {}) {
    RecordDifference command{.subject = subject, .known = known, .event = event};
    command.difference.merchant_id = shop_.merchant();
    command.difference.channel_account_id = shop_.account_of("sandbox");
    command.difference.date = "2026-09-20";
    command.difference.difference_class = DifferenceClass::amount_mismatch;
    command.difference.ours = 100;
    command.difference.theirs = 130;
    command.difference.amount = 30;
    command.difference.currency = kCurrency;
    command.difference.changes_balance = true;
    command.difference.subject = subject;
    return DifferenceId{shop_.run(std::move(command)).object->value};
  }
  void resolve(DifferenceId id, const std::string& resolution) {
    const CaseId row = shop_.newest_case();
    shop_.run(ProposeResolution{shop_.merchant(), id, row, resolution, "checked", "key_a", {}});
    shop_.run(ApproveResolution{shop_.merchant(), id, row, "key_b", resolution, "sandbox", kCurrency});
  }

  /// A compared funds statement that matches the lines and posts a fee and a withdrawal.
  void compare_funds(const std::string& date, const std::vector<MatchedLine>& lines) {
    StatementDay of_funds = day(date);
    of_funds.kind = StatementKind::funds;
    const StatementId id{
        shop_.run_at_platform(ReceiveStatement{.day = of_funds, .sha256 = "f0", .bytes = 1, .parts = {{"one"}}})
            .object->value};
    step(id, StatementEvent::match);
    const auto count = static_cast<std::int64_t>(lines.size());
    shop_.run(RecordMatches{shop_.merchant(), shop_.account_of("sandbox"), id, StatementKind::funds, lines});
    StepStatement finish{.statement_id = id, .event = StatementEvent::finish, .lines = count + 2};
    finish.matched = count + 2;
    finish.recorded = count;
    finish.sums = {{.currency = kCurrency, .lines = count + 2, .payments = count, .paid = count * kAmount}};
    finish.funds = {.booked = {{LineKind::payment, kCurrency, date, count, count * kAmount}},
                    .postings = {{LineKind::fee, kCurrency, 1, -6}, {LineKind::withdrawal, kCurrency, 1, -500}},
                    .channel = "sandbox",
                    .bank_account = {},
                    .bank_currency = {}};
    shop_.run_at_platform(std::move(finish));
  }

 private:
  StatementDay day(const std::string& date) const {
    return {shop_.account_of("sandbox"), "sandbox", StatementKind::trades, "", date};
  }

  Shop& shop_;
};

// The days are after all payments, so that no order waits for them before it is archived.
void reconcile(Shop& shop, const std::vector<MatchedLine>& lines) {
  Reconciliation books(shop);
  books.expect("2034-09-16");
  books.step(books.expect("2034-09-17"), StatementEvent::fetch);
  const StatementId empty = books.expect("2034-09-18");
  books.step(empty, StatementEvent::fetch);
  books.step(empty, StatementEvent::report_empty);
  books.receive("2034-09-19");
  const StatementId matched = books.receive("2034-09-20");
  books.step(matched, StatementEvent::match);
  books.finish(matched, lines);
  books.compare_funds("2034-09-20", lines);
  const StatementId rejected = books.receive("2034-09-21");
  books.step(rejected, StatementEvent::match);
  books.step(rejected, StatementEvent::reject);
  books.step(books.receive("2034-09-22"), StatementEvent::match);

  books.find("line open", DifferenceEvent::find);
  books.find("line carried", DifferenceEvent::carry);
  books.find("line repaired", DifferenceEvent::repair, books.find("line repaired", DifferenceEvent::find));
  books.resolve(books.find("line kept", DifferenceEvent::find), "keep");
  books.resolve(books.find("line adjusted", DifferenceEvent::find), "adjust");
}

void check_identities(Shop& shop) {
  shop.run_at_platform(AdvanceIdentityCheck{.version = 0, .checked_until = 100});
  shop.run_at_platform(AdvanceIdentityCheck{.version = 1, .checked_until = 200});
}

std::vector<OrderId> run_scenarios(const std::string& url) {
  Shop shop(url);
  set_up(shop);
  let_orders_end(shop);
  let_orders_wait(shop);
  return_money(shop);
  contradict_results(shop);
  convert_amounts(shop);
  const UserAccounts accounts = open_accounts(shop);
  move_money(shop, accounts);
  hold_money(shop, accounts);
  pay_from_accounts(shop, accounts);
  finish_old_orders(shop, accounts);
  adjust(shop);
  charge_fees(shop, accounts);
  resolve_unknown_receipts(shop);
  reconcile(shop, shop.lines_of_receipts());
  check_identities(shop);
  return shop.to_archive();
}

}  // namespace

void write_populated_store(const std::string& url) {
  const std::vector<OrderId> over = run_scenarios(url);
  const auto archivist = must(store::open_archivist(url));
  const Time later{1'990'000'000'000};
  const auto removed = must(archivist->remove(
      over, "old-1", later, [later](const store::WholeOrder& order) { return store::is_over(order, later); }));
  FINALITY_CHECK(removed == over, "an order that is over was not archived");
}

}  // namespace finality::audit
