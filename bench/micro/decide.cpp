// Cost of deciding each command over loaded rows and undoing it: no store, no invariants, one scope.
#include <benchmark/benchmark.h>

#include <functional>

#include "decide/testing/account_world.h"

namespace finality {
namespace {

using namespace std::chrono_literals;
using test::kCny;
using test::kMerchant;

/// Prepares the rows for a command and returns the command.
using Setup = Command (*)(test::Accounts& world);

struct Row {
  const char* name;
  Setup setup;
};

PaymentId paid_payment(test::Accounts& world) {
  const PaymentId payment = world.start(world.new_order());
  world.record_evidence(payment, test::paid());
  return payment;
}

Refund& new_refund(test::Accounts& world, PaymentId payment) {
  world.run(CreateRefund{kMerchant, payment, 500, "R1", {}, "sandbox", kCny});
  return world.aggregate(world.order_of(payment).order.id).refunds.at(0);
}

OrderId new_manual_order(test::Accounts& world) {
  CreateOrder command = world.order_request();
  command.capture_method = CaptureMethod::manual;
  world.policy.channels["sandbox"].authorization =
      AuthorizationTerms{.methods = {"redirect"}, .capture_within_max = 168h};
  return world.new_order(command);
}

AuthorizationId started(test::Accounts& world, OrderId order, PaymentFields fields) {
  return AuthorizationId{world.run(StartAuthorization{kMerchant, order, std::move(fields), kCny})->object.value};
}

AuthorizationId new_authorization(test::Accounts& world, OrderId order) {
  return started(world, order, {.channel = "sandbox", .method = "redirect"});
}

RecordAuthorization approval(const test::Accounts& world, OrderId order) {
  return {kMerchant,
          order,
          "sandbox",
          out_authorization_no(kMerchant, order, 1),
          {.kind = AuthorizationEvidenceKind::authorized,
           .asked_at = world.now,
           .channel_trade_no = "A1",
           .authorized = test::kAmount,
           .currency = kCny}};
}

AuthorizationId approved_authorization(test::Accounts& world, OrderId order) {
  const AuthorizationId id = new_authorization(world, order);
  world.run(approval(world, order));
  return id;
}

CreateCapture capture_of(OrderId order, AuthorizationId authorization) {
  return {kMerchant, order, authorization, "C1", {}, true};
}

DeliveryId new_delivery(test::Accounts& world) {
  paid_payment(world);
  return world.new_deliveries.at(0);
}

// The channel reports "failed" after "paid", which opens a case.
ProposeResolution proposal_after_conflict(test::Accounts& world) {
  const PaymentId payment = paid_payment(world);
  world.record_evidence(payment, test::failed());
  const OrderAggregate& order = world.order_of(payment);
  return {kMerchant, order.order.id, order.cases.at(0).id, "keep", "The money is there.", "key_a"};
}

WebhookEndpointId new_endpoint(test::Accounts& world) {
  const Decision made = world.run(
      CreateWebhookEndpoint{kMerchant, "https://shop.example/hook", "", Acknowledge::status, Secret("whsec_c2VjcmV0")});
  return WebhookEndpointId{made->object.value};
}

ProposeAdjustment new_adjustment() {
  return {kMerchant, AdjustmentType::penalty, AccountKind::channel_receivable, "sandbox", kCny, 500, "Late", "key_a"};
}

const StatementDay kDay{ChannelAccountId{5}, "sandbox", StatementKind::trades, "", "2026-09-20"};

StatementId new_statement(test::Accounts& world) {
  return StatementId{world.run(ExpectStatement{.day = kDay, .due_at = world.now})->object.value};
}

RecordDifference new_difference() {
  RecordDifference command{.subject = "line 1", .event = DifferenceEvent::find};
  command.difference.merchant_id = kMerchant;
  command.difference.channel_account_id = kDay.channel_account_id;
  command.difference.currency = kCny;
  return command;
}

const Row kRows[] = {
    {"CreateOrder",
     [](test::Accounts& world) -> Command {
       CreateOrder command = world.order_request();
       command.payment = PaymentFields{.channel = "sandbox", .method = "redirect"};
       return command;
     }},
    {"StartPayment",
     [](test::Accounts& world) -> Command {
       return StartPayment{kMerchant, world.new_order(), {.channel = "sandbox", .method = "redirect"}};
     }},
    {"ClaimRequest",
     [](test::Accounts& world) -> Command {
       const PaymentId payment = world.start(world.new_order());
       world.now = *world.payment(payment).due_at;
       return ClaimRequest{kMerchant, world.payment(payment).order_id, payment, world.now};
     }},
    {"QueryPayment",
     [](test::Accounts& world) -> Command { return QueryPayment{kMerchant, world.start(world.new_order())}; }},
    {"RecordEvidence",
     [](test::Accounts& world) -> Command {
       return world.evidence_command(world.start(world.new_order()), test::paid());
     }},
    {"StartAuthorization",
     [](test::Accounts& world) -> Command {
       return StartAuthorization{
           kMerchant, new_manual_order(world), {.channel = "sandbox", .method = "redirect"}, kCny};
     }},
    {"RecordAuthorization",
     [](test::Accounts& world) -> Command {
       const OrderId order = new_manual_order(world);
       new_authorization(world, order);
       return approval(world, order);
     }},
    {"QueryAuthorization",
     [](test::Accounts& world) -> Command {
       const OrderId order = new_manual_order(world);
       return QueryAuthorization{kMerchant, order, approved_authorization(world, order)};
     }},
    {"ReleaseAuthorization",
     [](test::Accounts& world) -> Command {
       const OrderId order = new_manual_order(world);
       return ReleaseAuthorization{kMerchant, order, approved_authorization(world, order)};
     }},
    {"SettleWalletHold",
     [](test::Accounts& world) -> Command {
       const OrderId order = new_manual_order(world);
       world.fund(world.payer, 100 * test::kAmount);
       const AuthorizationId authorization =
           started(world, order, {.channel = std::string(kWallet), .method = "balance", .account_id = world.payer});
       const Decision capture = world.run(capture_of(order, authorization));
       return SettleWalletHold{kMerchant, order, capture->object, kCny};
     }},
    {"CreateCapture",
     [](test::Accounts& world) -> Command {
       const OrderId order = new_manual_order(world);
       return capture_of(order, approved_authorization(world, order));
     }},
    {"RecordCapture",
     [](test::Accounts& world) -> Command {
       const OrderId order = new_manual_order(world);
       world.run(capture_of(order, approved_authorization(world, order)));
       Evidence captured = test::paid();
       captured.asked_at = world.now;
       return RecordCapture{kMerchant, order, "sandbox", out_capture_no(kMerchant, order, 1), std::move(captured)};
     }},
    {"CreateRefund",
     [](test::Accounts& world) -> Command {
       return CreateRefund{kMerchant, paid_payment(world), 500, "R1", {}, "sandbox", kCny};
     }},
    {"ClaimRequest of a refund",
     [](test::Accounts& world) -> Command {
       const Refund& refund = new_refund(world, paid_payment(world));
       world.now = *refund.due_at;
       return ClaimRequest{kMerchant, refund.order_id, refund.id, world.now};
     }},
    {"RecordRefund",
     [](test::Accounts& world) -> Command {
       const Refund& refund = new_refund(world, paid_payment(world));
       world.now = refund.send_deadline.value_or(world.now) + 1s;
       const RefundEvidence done{
           .kind = RefundEvidenceKind::refunded, .source = CauseKind::query, .asked_at = world.now};
       return RecordRefund{kMerchant, refund.order_id, refund.id, refund.out_refund_no, "sandbox",
                           kCny,      refund.amount,   done};
     }},
    {"RecordRefundNotice",
     [](test::Accounts& world) -> Command {
       const PaymentId payment = paid_payment(world);
       const Refund& refund = new_refund(world, payment);
       const RefundEvidence done{
           .kind = RefundEvidenceKind::refunded, .source = CauseKind::notification, .asked_at = world.now};
       const Evidence reported{.source = CauseKind::notification, .asked_at = world.now, .currency = kCny};
       return RecordRefundNotice{world.evidence_command(payment, reported), refund.out_refund_no, done};
     }},
    {"ProposeResolution", [](test::Accounts& world) -> Command { return proposal_after_conflict(world); }},
    {"ApproveResolution",
     [](test::Accounts& world) -> Command {
       const ProposeResolution proposal = proposal_after_conflict(world);
       world.run(proposal);
       return ApproveResolution{kMerchant, proposal.root, proposal.case_id, "key_b", {}, "sandbox", kCny};
     }},
    {"CloseOrder", [](test::Accounts& world) -> Command { return CloseOrder{kMerchant, world.new_order()}; }},
    {"ExpireOrder",
     [](test::Accounts& world) -> Command {
       const OrderId order = world.new_order();
       world.now = *world.order(order).due_at;
       return ExpireOrder{kMerchant, order, world.now};
     }},
    {"ClaimDelivery",
     [](test::Accounts& world) -> Command {
       const DeliveryId delivery = new_delivery(world);
       world.now = *world.delivery(delivery).due_at;
       return ClaimDelivery{kMerchant, delivery, world.now};
     }},
    {"RecordDelivery",
     [](test::Accounts& world) -> Command {
       return RecordDelivery{kMerchant, new_delivery(world), true, 200, "", {}, false};
     }},
    {"ResendDelivery", [](test::Accounts& world) -> Command { return ResendDelivery{kMerchant, new_delivery(world)}; }},
    {"CreateWebhookEndpoint",
     [](test::Accounts&) -> Command {
       return CreateWebhookEndpoint{kMerchant, "https://shop.example/new", "", Acknowledge::status,
                                    Secret("whsec_c2VjcmV0")};
     }},
    {"RotateWebhookSecret",
     [](test::Accounts& world) -> Command {
       return RotateWebhookSecret{kMerchant, new_endpoint(world), Secret("whsec_bmV3")};
     }},
    {"DeleteWebhookEndpoint",
     [](test::Accounts& world) -> Command { return DeleteWebhookEndpoint{kMerchant, new_endpoint(world)}; }},
    {"CreateMerchant",
     [](test::Accounts&) -> Command {
       return CreateMerchant{"The tea shop", Secret("whsec_c2VjcmV0"), Secret("link")};
     }},
    {"CreateApiKey",
     [](test::Accounts&) -> Command { return CreateApiKey{kMerchant, Role::merchant, "key", sha256_16("k")}; }},
    {"RevokeApiKey",
     [](test::Accounts& world) -> Command {
       const Decision made = world.run(CreateApiKey{kMerchant, Role::merchant, "key", sha256_16("k")});
       return RevokeApiKey{ApiKeyId{made->object.value}};
     }},
    {"ParkOrder",
     [](test::Accounts& world) -> Command { return ParkOrder{kMerchant, world.new_order(), "a rule broke"}; }},
    {"OpenAccount", [](test::Accounts&) -> Command { return OpenAccount{kMerchant, "savings", "wallet", kCny}; }},
    {"ChangeAccount",
     [](test::Accounts& world) -> Command { return ChangeAccount{kMerchant, world.payer, AccountEvent::freeze}; }},
    {"LockAccount",
     [](test::Accounts& world) -> Command {
       return LockAccount{kMerchant, world.payer, "night shift", 1min, "n", {}};
     }},
    {"UnlockAccount",
     [](test::Accounts& world) -> Command { return UnlockAccount{kMerchant, world.payer, world.lock(world.payer)}; }},
    {"PostTransfer", [](test::Accounts& world) -> Command { return world.transfer_request(100); }},
    {"RestoreOrder",
     [](test::Accounts&) -> Command {
       auto whole = std::make_shared<WholeOrder>();
       whole->rows.order.id = OrderId{99};
       whole->rows.order.merchant_id = kMerchant;
       const RestoreOrder command{kMerchant, {whole, "archive"}};
       return command;
     }},
    {"ReverseTransfer",
     [](test::Accounts& world) -> Command {
       world.run(world.transfer_request(100, "T1"));
       return world.reverse("T1");
     }},
    {"CreateHold", [](test::Accounts& world) -> Command { return world.hold_request(100); }},
    {"PostHold", [](test::Accounts& world) -> Command { return PostHold{kMerchant, world.new_hold(100), 60, {}}; }},
    {"VoidHold", [](test::Accounts& world) -> Command { return VoidHold{kMerchant, world.new_hold(100)}; }},
    {"ExpireHold",
     [](test::Accounts& world) -> Command {
       const HoldId hold = world.new_hold(100);
       world.now = world.hold(hold).expires_at;
       return ExpireHold{kMerchant, hold};
     }},
    {"SetPrice", [](test::Accounts&) -> Command { return SetPrice{kMerchant, "tea", 800, kCny, {}}; }},
    {"SetFee",
     [](test::Accounts&) -> Command {
       return SetFee{.merchant_id = kMerchant, .channel = "sandbox", .basis_points = 60};
     }},
    {"SetBranding",
     [](test::Accounts&) -> Command { return SetBranding{.merchant_id = kMerchant, .color = "#1a56db"}; }},
    {"RegisterChannelAccount",
     [](test::Accounts&) -> Command { return RegisterChannelAccount{.channel = "sandbox", .kind = "sandbox"}; }},
    {"SetChannelRate",
     [](test::Accounts& world) -> Command {
       const Decision account = world.run(RegisterChannelAccount{.channel = "sandbox", .kind = "sandbox"});
       return SetChannelRate{.channel_account_id = ChannelAccountId{account->object.value},
                             .basis_points = 60,
                             .from_date = "2026-07-01"};
     }},
    {"RecordUnknownReceipt",
     [](test::Accounts&) -> Command {
       return RecordUnknownReceipt{.channel = "sandbox", .out_trade_no = "till-1", .evidence = test::paid("T9")};
     }},
    {"ProposeAdjustment", [](test::Accounts&) -> Command { return new_adjustment(); }},
    {"DecideAdjustment",
     [](test::Accounts& world) -> Command {
       const AdjustmentId id{world.run(new_adjustment())->object.value};
       return decision_about(&world.store.adjustments.at(id), kMerchant, AdjustmentEvent::approve, "key_b", 1);
     }},
    {"ExpectStatement",
     [](test::Accounts& world) -> Command { return ExpectStatement{.day = kDay, .due_at = world.now}; }},
    {"StepStatement",
     [](test::Accounts& world) -> Command {
       return StepStatement{.statement_id = new_statement(world), .event = StatementEvent::fetch};
     }},
    {"ReceiveStatement",
     [](test::Accounts& world) -> Command {
       return ReceiveStatement{
           .day = kDay, .newest = new_statement(world), .newest_version = 1, .sha256 = "00", .parts = {{"file"}}};
     }},
    {"IndexStatement",
     [](test::Accounts& world) -> Command {
       return IndexStatement{.statement_id = new_statement(world), .sha256 = "00", .parts = {{"index"}}};
     }},
    {"RecordMatches",
     [](test::Accounts&) -> Command {
       return RecordMatches{.merchant_id = kMerchant, .lines = {{.document = ReceiptId{9}, .line = Hash16{1}}}};
     }},
    {"RecordDifference", [](test::Accounts&) -> Command { return new_difference(); }},
    {"RecordIdentity",
     [](test::Accounts& world) -> Command {
       return RecordIdentity{
           .merchant_id = kMerchant, .order_id = world.new_order(), .order_version = 1, .findings = {"a sum differs"}};
     }},
    {"AdvanceIdentityCheck", [](test::Accounts&) -> Command { return AdvanceIdentityCheck{}; }},
};

void decide_again_and_again(benchmark::State& state, Setup setup) {
  test::Accounts world;
  const Command command = setup(world);
  WorkingSet rows;
  ReadSet reads;
  add_reads(command, reads);
  world.store.load(reads, rows);
  IdGenerator ids(1, world.now);
  ids.advance(world.now);
  const Cause cause;
  std::vector<Effect> effects;
  std::vector<std::string> findings;
  for (auto _ : state) {
    Context context{rows, ids, world.policy, world.now, cause, effects, findings};
    const Decision decision = decide(command, context);
    if (!decision || !findings.empty()) {
      state.SkipWithError(decision ? findings.front().c_str() : decision.error().detail.c_str());
      return;
    }
    rows.roll_back();
    effects.clear();
  }
}

const bool kRegistered = [] {
  for (const Row& row : kRows)
    benchmark::RegisterBenchmark((std::string("decide ") + row.name).c_str(), decide_again_and_again, row.setup);
  return true;
}();

}  // namespace
}  // namespace finality
