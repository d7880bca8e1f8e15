#include "decide/payment/start_payment.h"

#include "decide/testing/test_world.h"

namespace finality {
namespace {

using namespace test;

const PaymentFields kFields{.channel = "sandbox", .method = "redirect"};

TEST(StartPayment, ClaimsTheSendInTheCommitThatCreatesThePayment) {
  World world;
  const OrderId order = world.new_order();
  const PaymentId id = world.start(order);
  const Payment& payment = world.payment(id);
  EXPECT_EQ(payment.state, PaymentState::processing);
  EXPECT_EQ(payment.send_deadline, kNow + world.policy.channel_timeout);
  EXPECT_EQ(payment.due_at, *payment.send_deadline + limits::kEffectMargin);
  EXPECT_EQ(payment.outstanding_since, kNow);
  EXPECT_EQ(payment.out_trade_no, out_number(kMerchant, id.value));
  EXPECT_EQ(payment.amount, kAmount);
  EXPECT_EQ(world.order(order).state, OrderState::processing);
  ASSERT_EQ(world.effects.size(), 1u);
  const auto& call = std::get<ChannelCall>(world.effects[0]);
  EXPECT_EQ(call.kind, ChannelCallKind::send_payment);
  EXPECT_EQ(call.deadline, payment.send_deadline);
  EXPECT_EQ(call.payment.state, PaymentState::processing);
}

// Creates an order in the situation named by `what`.
OrderId order_that_is(World& world, std::string_view what) {
  CreateOrder request = world.order_request();
  if (what == "failed") request.attempts = 1;
  if (what == "used_up") request.attempts = 1;
  const OrderId id = world.new_order(request);
  const auto record_evidence = [&](const Evidence& evidence) { world.record_evidence(world.start(id), evidence); };
  if (what == "processing") world.start(id);
  if (what == "waiting" || what == "used_up") record_evidence(waiting());
  if (what == "tried") record_evidence(failed());
  if (what == "succeeded") record_evidence(paid());
  if (what == "failed") record_evidence(failed());
  if (what == "closed") world.run(CloseOrder{kMerchant, id});
  if (what == "closing") {
    record_evidence(waiting());
    world.run(CloseOrder{kMerchant, id});
  }
  if (what == "expired") world.now = world.order(id).expires_at;
  if (what == "parked") world.run(ParkOrder{kMerchant, id, "1: a finding"});
  return id;
}

TEST(StartPayment, IsRefusedByTheStateOfTheOrder) {
  struct Row {
    const char* order;
    const char* answer;
    const char* state;
  };
  const Row rows[] = {
      {"pending", "ok", ""},
      {"waiting", "ok", ""},
      {"tried", "ok", ""},
      {"processing", "payment_in_progress", "processing"},
      {"succeeded", "order_not_payable", "succeeded"},
      {"failed", "order_not_payable", "failed"},
      {"closed", "order_not_payable", "closed"},
      {"closing", "order_not_payable", "pending"},
      {"expired", "order_not_payable", "pending"},
      {"used_up", "order_not_payable", "pending"},
      {"parked", "order_not_payable", "pending"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.order);
    World world;
    const OrderId order = order_that_is(world, row.order);
    const std::size_t before = world.aggregate(order).payments.size();
    const Decision decision = world.run(StartPayment{kMerchant, order, kFields});
    EXPECT_EQ(decision ? "ok" : name_of(decision.error().code), row.answer);
    if (!decision) EXPECT_EQ(decision.error().state, row.state);
    EXPECT_EQ(world.aggregate(order).payments.size(), before + (decision ? 1 : 0));
    EXPECT_EQ(world.effects.size(), decision ? 1u : 0u);
  }
}

TEST(StartPayment, ASecondClickOnTheCheckoutPageStartsNothing) {
  World world;
  const OrderId order = world.new_order();
  const StartPayment click{.merchant_id = kMerchant, .order_id = order, .fields = kFields, .attempts_seen = 0};
  const Decision first = world.run(click);
  ASSERT_TRUE(first);
  world.record_evidence(PaymentId{first->object.value}, waiting());  // the order accepts a payment again
  EXPECT_EQ(world.refusal_of(click), "payment_in_progress");
  EXPECT_EQ(world.aggregate(order).payments.size(), 1u);
  StartPayment next = click;
  next.attempts_seen = 1;
  EXPECT_EQ(world.refusal_of(next), "ok");
}

TEST(StartPayment, AnOrderOfAnotherMerchantIsNotFound) {
  World world;
  const OrderId order = world.new_order();
  EXPECT_EQ(world.refusal_of(StartPayment{kOtherMerchant, order, kFields}), "not_found");
  EXPECT_EQ(world.refusal_of(StartPayment{kMerchant, OrderId{99}, kFields}), "not_found");
}

TEST(StartPayment, TheSameMerchantPaymentNoReturnsTheSamePaymentInAnyState) {
  World world;
  const OrderId order = world.new_order();
  PaymentFields fields = kFields;
  fields.merchant_payment_no = "P-1";
  const PaymentId id = world.start(order, fields);
  for (const Evidence& evidence : {unknown(), waiting(), paid()}) {
    const Decision again = world.run(StartPayment{kMerchant, order, fields});
    ASSERT_TRUE(again.has_value());
    EXPECT_FALSE(again->created);
    EXPECT_EQ(again->object, ObjectRef(id));
    EXPECT_TRUE(world.effects.empty());
    world.record_evidence(id, evidence);
  }
  EXPECT_EQ(world.run(StartPayment{kMerchant, order, fields})->object, ObjectRef(id));
  EXPECT_EQ(world.aggregate(order).payments.size(), 1u);
}

TEST(StartPayment, TheSameMerchantPaymentNoOverAnotherChannelOrMethodIsAConflict) {
  World world;
  const OrderId order = world.new_order();
  PaymentFields fields = kFields;
  fields.merchant_payment_no = "P-1";
  world.start(order, fields);
  fields.method = "qr_code";
  EXPECT_EQ(world.refusal_of(StartPayment{kMerchant, order, fields}), "merchant_payment_no_conflict");
  fields = {.channel = "by_payer", .method = "redirect", .merchant_payment_no = "P-1"};
  EXPECT_EQ(world.refusal_of(StartPayment{kMerchant, order, fields}), "merchant_payment_no_conflict");
}

// The list of payments in a response has the same order before and after the aggregate is loaded again.
TEST(StartPayment, PaymentsAreOrderedByIdWhenAnotherNodesClockIsAhead) {
  World world;
  const OrderId order = world.new_order();
  world.record_evidence(world.start(order), failed());
  Payment& elsewhere = world.aggregate(order).payments[0];
  elsewhere.id.value += std::int64_t{1} << 40;
  const PaymentId ahead = elsewhere.id;
  const PaymentId here = world.start(order);
  ASSERT_EQ(world.aggregate(order).payments.size(), 2u);
  EXPECT_EQ(world.aggregate(order).payments[0].id, here);
  EXPECT_EQ(world.aggregate(order).payments[0].state, PaymentState::processing);
  EXPECT_EQ(world.aggregate(order).payments[1].id, ahead);
}

TEST(StartPayment, AnOrderHasAtMostAHundredPayments) {
  World world;
  const OrderId order = world.new_order();
  for (std::int64_t i = 0; i < limits::kAttemptsMax; ++i) world.record_evidence(world.start(order), failed());
  EXPECT_EQ(world.refusal_of(StartPayment{kMerchant, order, kFields}), "order_not_payable");
}

// ---- limits of the channel ----

TEST(StartPayment, IsRefusedWhenTheChannelDoesNotAcceptCurrencyOrAmount) {
  World world;
  Capabilities& sandbox = world.policy.channels["sandbox"];
  const auto answers = [&](Currency currency, MinorUnits amount_max) {
    sandbox.currency = currency;
    sandbox.amount_max = amount_max;
    CreateOrder request = world.order_request();
    const OrderId order = world.new_order(request);
    request = world.order_request();
    request.payment = kFields;
    const Decision created = world.run(request);
    const Decision started = world.run(StartPayment{kMerchant, order, kFields});
    EXPECT_EQ(created.has_value(), started.has_value());
    if (started) return std::string("ok");
    EXPECT_EQ(started.error().code, RefusalCode::invalid_request);
    EXPECT_EQ(started.error().param, "channel");
    EXPECT_EQ(created.error().param, "payment.channel");
    EXPECT_EQ(created.error().detail, started.error().detail);
    EXPECT_TRUE(world.aggregate(order).payments.empty());
    return started.error().detail;
  };
  EXPECT_EQ(answers(kCny, kAmount), "ok");
  EXPECT_TRUE(answers(kUsd, kAmount).contains("accepts only USD, and the order's currency is CNY"));
  EXPECT_TRUE(answers(kCny, kAmount - 1).contains(" per payment, and the order's amount is "));
}

// ---- routed channels ----

PaymentFields routed(std::string channel, std::string method = "redirect") {
  return {.channel = std::move(channel),
          .method = std::move(method),
          .channel_routed = true,
          .method_routed = true,
          .merchant_payment_no = "P-1"};
}

TEST(RoutedPayment, IsRefusedWhenNoRouteAcceptsIt) {
  World world;
  const OrderId order = world.new_order();
  EXPECT_EQ(world.refusal_of(StartPayment{kMerchant, order, routed("", ""), kCny}), "invalid_request");
  CreateOrder request = world.order_request();
  request.payment = routed("", "");
  EXPECT_EQ(world.refusal_of(request), "invalid_request");
  EXPECT_EQ(world.order(order).state, OrderState::pending);
}

TEST(RoutedPayment, RepeatedReturnsTheSamePaymentWhenTheRoutesHaveChanged) {
  World world;
  const OrderId order = world.new_order();
  const PaymentId first = world.start(order, routed("sandbox"));
  EXPECT_EQ(world.start(order, routed("by_payer", "qr_code")), first);
  EXPECT_EQ(world.start(order, routed("", "")), first) << "also when no route matches any more";
  PaymentFields repeated = routed("by_payer", "qr_code");
  repeated.method_routed = false;
  EXPECT_EQ(world.refusal_of(StartPayment{kMerchant, order, repeated}), "merchant_payment_no_conflict");
}

// ---- channel accounts ----

/// Returns a test fixture with two channel accounts of kind `rehearsal`: `sandbox` serves all merchants, `by_payer`
/// serves only kOtherMerchant.
World world_with_accounts() {
  World world;
  world.policy.accounts["sandbox"] = {.id = ChannelAccountId{31}, .channel = "sandbox", .kind = "rehearsal"};
  world.policy.accounts["by_payer"] = {
      .id = ChannelAccountId{32}, .channel = "by_payer", .kind = "rehearsal", .merchants = to_text(kOtherMerchant)};
  return world;
}

Refusal refusal_of(World& world, const Command& command) {
  const Decision decision = world.run(command);
  return decision ? Refusal{} : decision.error();
}

TEST(ChannelAccount, IsStoredOnThePaymentItsReceiptsRefundsAndReversals) {
  World world = world_with_accounts();
  const PaymentId id = world.start(world.new_order());
  EXPECT_EQ(world.payment(id).channel_account_id, ChannelAccountId{31});
  world.policy.accounts["sandbox"].state = ChannelAccountState::disabled;
  world.record_evidence(id, paid());
  const OrderAggregate& order = world.order_of(id);
  EXPECT_EQ(order.receipts.front().channel_account_id, ChannelAccountId{31});
  for (const auto& [account_id, account] : world.store.accounts) {
    const bool is_receivable = account.kind == AccountKind::channel_receivable;
    EXPECT_EQ(account.channel_account_id, is_receivable ? std::optional(ChannelAccountId{31}) : std::nullopt);
  }
  world.run(CreateRefund{kMerchant, id, 100, "R-1", {}, "sandbox", kCny, {}});
  EXPECT_EQ(world.order_of(id).refunds.front().channel_account_id, ChannelAccountId{31});
  world.record_evidence(id, paid("T2"));  // a second receipt, which is reversed
  EXPECT_EQ(world.order_of(id).receipts.back().channel_account_id, ChannelAccountId{31});
  EXPECT_EQ(world.order_of(id).reversals.front().channel_account_id, ChannelAccountId{31});
}

TEST(ChannelAccount, OfAnotherMerchantLooksLikeAnUnknownChannel) {
  World world = world_with_accounts();
  const OrderId order = world.new_order();
  const PaymentFields by_payer{.channel = "by_payer", .method = "qr_code"};
  const Refusal started = refusal_of(world, StartPayment{kMerchant, order, by_payer, kCny});
  EXPECT_EQ(started.code, RefusalCode::invalid_request);
  EXPECT_EQ(started.param, "channel");
  EXPECT_EQ(started.detail, "channel must be one of rehearsal, sandbox, wallet.");
  const Refusal unknown_channel =
      refusal_of(world, StartPayment{kMerchant, order, {.requested_channel = "nowhere"}, kCny});
  EXPECT_EQ(unknown_channel.detail, started.detail);
  CreateOrder request = world.order_request();
  request.payment = by_payer;
  EXPECT_EQ(refusal_of(world, request).param, "payment.channel");
  EXPECT_TRUE(world.aggregate(order).payments.empty());
  request.merchant_id = kOtherMerchant;
  EXPECT_EQ(world.refusal_of(request), "ok");
}

TEST(ChannelAccount, OfABankLooksLikeAnUnknownChannel) {
  World world = world_with_accounts();
  world.policy.accounts["icbc"] = {.id = ChannelAccountId{33}, .channel = "icbc", .kind = std::string(kBankKind)};
  world.policy.bank_accounts["icbc"] = kCny;
  const OrderId order = world.new_order();
  for (const PaymentFields& fields : {PaymentFields{.channel = "icbc"}, PaymentFields{.requested_channel = "icbc"},
                                      PaymentFields{.requested_channel = "bank"}}) {
    const Refusal refusal = refusal_of(world, StartPayment{kMerchant, order, fields, kCny});
    EXPECT_EQ(refusal.code, RefusalCode::invalid_request);
    EXPECT_EQ(refusal.detail, "channel must be one of rehearsal, sandbox, wallet.");
  }
  EXPECT_TRUE(world.aggregate(order).payments.empty());
}

TEST(ChannelAccount, DisabledRefusesNewPaymentsButReturnsRepeatedOnes) {
  World world = world_with_accounts();
  const OrderId order = world.new_order();
  const PaymentFields fields{.channel = "sandbox", .method = "redirect", .merchant_payment_no = "P-1"};
  const PaymentId first = world.start(order, fields);
  world.policy.accounts["sandbox"].state = ChannelAccountState::disabled;
  EXPECT_EQ(world.start(order, fields), first);
  PaymentFields repeated = fields;
  repeated.channel = "";
  repeated.requested_channel = "sandbox";
  EXPECT_EQ(world.start(order, repeated), first) << "the API moves an unusable channel to `requested_channel`";
  world.record_evidence(first, failed());
  repeated.merchant_payment_no = "P-2";
  const Refusal refused = refusal_of(world, StartPayment{kMerchant, order, repeated, kCny});
  EXPECT_EQ(refused.code, RefusalCode::invalid_request);
  EXPECT_EQ(refused.detail, "The channel sandbox is disabled and takes no new payments. Use another channel.");
  EXPECT_EQ(world.order_of(first).payments.size(), 1u);
}

TEST(ChannelAccount, ARepeatedRequestByKindReturnsTheSamePayment) {
  World world = world_with_accounts();
  const OrderId order = world.new_order();
  const PaymentFields first{
      .channel = "sandbox", .requested_channel = "rehearsal", .method = "redirect", .merchant_payment_no = "P-1"};
  const PaymentId id = world.start(order, first);
  PaymentFields again = first;
  for (const char* channel : {"by_payer", ""}) {
    again.channel = channel;
    EXPECT_EQ(world.start(order, again), id) << channel;
  }
  again.requested_channel = "";
  again.channel = "sandbox";
  EXPECT_EQ(world.start(order, again), id) << "by its name";
  again.requested_channel = "alipay";
  EXPECT_EQ(world.refusal_of(StartPayment{kMerchant, order, again}), "merchant_payment_no_conflict");
}

TEST(RoutedPayment, UsesNoSecondChannelWhileTheResultOfTheFirstIsOutstanding) {
  World world;
  const OrderId order = world.new_order();
  const PaymentId first = world.start(order, {.channel = "sandbox", .method = "redirect"});
  const StartPayment second{kMerchant, order, {.channel = "by_payer", .method = "qr_code", .channel_routed = true}};
  // After unknown() the result is outstanding; after not_found() the payment is to be sent again.
  for (const Evidence& evidence : {unknown(), not_found()}) {
    EXPECT_EQ(world.refusal_of(second), "payment_in_progress");
    world.now = *world.payment(first).send_deadline + std::chrono::seconds(1);
    world.record_evidence(first, evidence);
    EXPECT_EQ(world.refusal_of(second), "payment_in_progress");
  }
  EXPECT_EQ(world.order_of(first).payments.size(), 1u);
  world.record_evidence(first, waiting());
  EXPECT_EQ(world.refusal_of(second), "ok");
}

}  // namespace
}  // namespace finality
