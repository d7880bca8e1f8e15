#include "populated_store.h"

#include "authorization_stories.h"
#include "shop.h"
#include "store/archive/archivist.h"

namespace finality::audit {
namespace {

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
  const OrderId underpaid = shop.make_paid_by(shop.order_called("underpaid"));
  shop.report(underpaid, EvidenceKind::paid, "T-underpaid", kAmount - 1);
  shop.resolve(underpaid, "accept");
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
  const OrderId kept = shop.make_paid_by(shop.order_called("kept"));
  shop.report(kept, EvidenceKind::paid, "T-kept");
  shop.report(kept, EvidenceKind::failed);
  shop.resolve(kept, "keep");
}

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
  const auto make_endpoint = [&](const std::string& url, const std::string& types) {
    return WebhookEndpointId{
        shop.run(CreateWebhookEndpoint{shop.merchant(), url, types, Acknowledge::status, Secret("whsec_2")})
            .object->value};
  };
  make_endpoint("https://shop.example/hook", "");
  shop.run(DeleteWebhookEndpoint{shop.merchant(), make_endpoint("https://shop.example/closed", "order.closed")});
}

void resolve_unknown_receipts(Shop& shop) {
  const Case assigned = shop.receive_unknown("T-assigned");
  const ObjectRef root = root_of_case(assigned);
  shop.run_at_platform(
      ProposeResolution{kPlatform, root, assigned.id, "assign", "its till reported it", "key_a", shop.merchant()});
  shop.run_at_platform(shop.reviewed(
      {kPlatform, root, assigned.id, "key_b", "assign", "sandbox", kCurrency, shop.merchant(), shop.merchant()}));
  const Case cancelled = shop.receive_unknown("T-cancelled");
  const ObjectRef elsewhere = root_of_case(cancelled);
  shop.run_at_platform(
      ProposeResolution{kPlatform, elsewhere, cancelled.id, "cancel", "booked for its order", "key_a", {}});
  shop.run_at_platform(
      shop.reviewed({kPlatform, elsewhere, cancelled.id, "key_b", "cancel", "sandbox", kCurrency, {}}));
  shop.receive_unknown("T-contradicted", 5);
  shop.receive_unknown("T-unknown");
}

/// Statements in every state, and differences in every state.
class Reconciliation {
 public:
  explicit Reconciliation(Shop& shop) : shop_(shop) {}

  StatementId expect(const std::string& date, StatementKind kind = StatementKind::trades) {
    return StatementId{shop_.run_at_platform(ExpectStatement{.day = day(date, kind), .due_at = Time{1}}).object->value};
  }
  StatementId receive(const std::string& date) {
    ReceiveStatement command{
        .day = day(date), .newest = expect(date), .newest_version = 1, .sha256 = "00ff", .bytes = 4};
    command.parts = {{"one"}, {"two"}};
    const StatementId id{shop_.run_at_platform(std::move(command)).object->value};
    shop_.run_at_platform(IndexStatement{.statement_id = id, .sha256 = "00ff", .parts = {{"header"}, {"lines"}}});
    return id;
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
    shop_.run(shop_.reviewed({shop_.merchant(), id, row, "key_b", resolution, "sandbox", kCurrency}));
  }

  /// A compared funds statement that matches the lines and posts a fee and a withdrawal.
  void compare_funds(const std::string& date, const std::vector<MatchedLine>& lines) {
    ReceiveStatement receipt{.day = day(date, StatementKind::funds), .sha256 = "f0", .bytes = 1, .parts = {{"one"}}};
    const StatementId id{shop_.run_at_platform(std::move(receipt)).object->value};
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
  StatementDay day(const std::string& date, StatementKind kind = StatementKind::trades) const {
    return {shop_.account_of("sandbox"), "sandbox", kind, "", date};
  }

  Shop& shop_;
};

// The days are after all payments, so that no order waits for them before it is archived.
void reconcile(Shop& shop, const std::vector<MatchedLine>& lines) {
  Reconciliation books(shop);
  books.expect("2034-09-16");
  books.step(books.expect("2034-09-17"), StatementEvent::fetch);
  for (const StatementKind kind : {StatementKind::trades, StatementKind::funds}) {
    const StatementId empty = books.expect("2034-09-18", kind);
    books.step(empty, StatementEvent::fetch);
    books.step(empty, StatementEvent::report_empty);
  }
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
  hold_amounts(shop, accounts);
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
