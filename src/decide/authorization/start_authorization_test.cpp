#include "decide/authorization/start_authorization.h"

#include <functional>

#include "decide/testing/authorization_world.h"

namespace finality::test {
namespace {

TEST(StartAuthorization, IsSentUnderANumberOfTheOrder) {
  Authorizations world;
  const OrderId order = world.manual_order();
  const Decision made = world.run(world.start_request(order));
  ASSERT_TRUE(made && made->created);
  const Authorization& row = world.authorization(order);
  EXPECT_EQ(made->object, ObjectRef(row.id));
  EXPECT_EQ(row.state, AuthorizationState::processing);
  EXPECT_EQ(row.ordinal, 1);
  EXPECT_EQ(row.out_trade_no, out_authorization_no(kMerchant, order, 1));
  EXPECT_EQ(row.amount, kAmount);
  EXPECT_EQ(world.order(order).state, OrderState::processing);
  ASSERT_EQ(world.effects.size(), 1u);
  EXPECT_EQ(std::get<AuthorizationCall>(world.effects[0]).kind, AuthorizationCallKind::send_authorization);
}

TEST(StartAuthorization, IsStartedByTheOrderWithAPayment) {
  Authorizations world;
  CreateOrder request = world.manual_request();
  request.payment = Authorizations::fields();
  request.capture_within = 3600;
  request.on_capture_deadline = CaptureDeadlineAction::capture;
  const OrderId order = world.new_order(request);
  EXPECT_EQ(world.authorization(order).state, AuthorizationState::processing);
  EXPECT_TRUE(world.aggregate(order).payments.empty());
  EXPECT_EQ(world.order(order).capture_within, 3600);
  EXPECT_EQ(world.order(order).on_capture_deadline, CaptureDeadlineAction::capture);
}

TEST(StartAuthorization, StoresThePayerUntilTheRequestHasAResult) {
  using Kind = AuthorizationEvidenceKind;
  struct Row {
    Kind kind;
    bool is_code = false;  // the channel accepts the payer's data in one request only
    bool is_kept = false;
  };
  const Row rows[] = {{Kind::unknown, true, true},
                      {Kind::waiting, false, true},
                      {Kind::waiting, true},
                      {Kind::authorized},
                      {Kind::failed},
                      {Kind::closed}};
  for (const Row& row : rows) {
    Authorizations world;
    if (row.is_code) world.policy.channels["sandbox"].uses_up_payer = {"redirect"};
    const OrderId order = world.manual_order();
    PaymentFields fields = Authorizations::fields();
    fields.payer = R"({"auth_code":"286512345678901234"})";
    world.authorize(order, fields);
    AuthorizationEvidence evidence = Authorizations::holds();
    evidence.kind = row.kind;
    world.report(order, evidence);
    EXPECT_EQ(world.authorization(order).payer, row.is_kept ? fields.payer : "") << name_of(row.kind);
  }
}

TEST(StartAuthorization, IsRefused) {
  struct Row {
    std::string_view what;
    std::string_view code;
    std::string_view param;
    std::function<void(Authorizations&, StartAuthorization&)> change;
  };
  const Row rows[] = {
      {"no such order", "not_found", "",
       [](Authorizations&, StartAuthorization& start) { start.order_id = OrderId{5}; }},
      {"another merchant", "not_found", "",
       [](Authorizations&, StartAuthorization& start) { start.merchant_id = kOtherMerchant; }},
      {"an automatic order", "capture_method_mismatch", "",
       [](Authorizations& world, StartAuthorization& start) { start.order_id = world.new_order(); }},
      {"a channel without authorizations", "invalid_request", "channel",
       [](Authorizations&, StartAuthorization& start) { start.fields = {.channel = "by_payer", .method = "qr_code"}; }},
      {"a method without authorizations", "invalid_request", "method",
       [](Authorizations& world, StartAuthorization&) { world.terms().methods = {"app"}; }},
      {"another is processed", "payment_in_progress", "",
       [](Authorizations& world, StartAuthorization& start) { world.authorize(start.order_id); }},
      {"the amount is held", "order_not_payable", "",
       [](Authorizations& world, StartAuthorization& start) {
         world.authorize(start.order_id);
         world.report(start.order_id, Authorizations::holds());
       }},
      {"the order has expired", "order_not_payable", "",
       [](Authorizations& world, StartAuthorization&) { world.now = world.now + 2h; }},
      {"an account in another currency", "currency_mismatch", "account",
       [](Authorizations& world, StartAuthorization& start) {
         start.fields = world.wallet_fields();
         start.fields.account_id = world.open("dollars", 0, kUsd);
       }},
  };
  for (const Row& row : rows) {
    Authorizations world;
    StartAuthorization start = world.start_request(world.manual_order());
    row.change(world, start);
    const Decision refused = world.run(start);
    ASSERT_FALSE(refused) << row.what;
    EXPECT_EQ(name_of(refused.error().code), row.code) << row.what;
    EXPECT_EQ(refused.error().param.value_or(""), row.param) << row.what;
  }
}

TEST(StartAuthorization, APaymentOfAManualOrderIsRefused) {
  Authorizations world;
  const OrderId order = world.manual_order();
  EXPECT_EQ(world.refusal_of(StartPayment{kMerchant, order, Authorizations::fields(), kCny}),
            "capture_method_mismatch");
}

TEST(StartAuthorization, ARepeatedNumberReturnsTheAuthorization) {
  Authorizations world;
  const OrderId order = world.manual_order();
  PaymentFields fields = Authorizations::fields();
  fields.merchant_payment_no = "P-1";
  const AuthorizationId first = world.authorize(order, fields);
  const Decision again = world.run(world.start_request(order, fields));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->object, ObjectRef(first));
  EXPECT_FALSE(again->created);
  fields.method = "app";
  EXPECT_EQ(world.refusal_of(world.start_request(order, fields)), "merchant_payment_no_conflict");
}

TEST(StartAuthorization, TheDeadlineOfTheOrderIsLimitedByTheNamedChannel) {
  Authorizations world;
  CreateOrder request = world.manual_request();
  request.payment = Authorizations::fields();
  request.capture_within = 168 * 3600 + 1;
  const Decision refused = world.run(request);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, RefusalCode::invalid_request);
  EXPECT_EQ(refused.error().param, "capture_within");
  EXPECT_NE(refused.error().detail.find("604800"), std::string::npos) << refused.error().detail;
  request.capture_within = 168 * 3600;
  EXPECT_TRUE(world.run(request));
}

TEST(StartAuthorizationOfTheWallet, HoldsTheAmountInTheSameCommit) {
  Authorizations world;
  const MinorUnits available = world.available(world.payer);
  const OrderId order = world.manual_order();
  world.authorize(order, world.wallet_fields());
  EXPECT_TRUE(std::ranges::all_of(
      world.effects, [](const Effect& effect) { return std::holds_alternative<DeliveryAttempt>(effect); }));
  EXPECT_EQ(world.delivery_types(), "order.authorized");
  const Authorization& row = world.authorization(order);
  EXPECT_EQ(row.state, AuthorizationState::authorized);
  EXPECT_EQ(row.authorized_amount, kAmount);
  EXPECT_EQ(row.capture_before, kNow + 720h);
  EXPECT_EQ(world.order(order).state, OrderState::authorized);
  EXPECT_EQ(world.available(world.payer), available - kAmount);
  const Hold& hold = world.store.holds.rbegin()->second;
  EXPECT_EQ(hold.source, kWallet);
  EXPECT_EQ(hold.reference, out_hold_reference(kMerchant, order));
  EXPECT_EQ(hold.expires_at, row.capture_before);
  EXPECT_FALSE(hold.due_at) << "the authorization ends it";
  EXPECT_EQ(world.refusal_of(PostHold{kMerchant, hold.id, {}, {}}), "hold_not_open");
  EXPECT_EQ(world.refusal_of(VoidHold{kMerchant, hold.id}), "hold_not_open");
  EXPECT_EQ(world.refusal_of(ExpireHold{kMerchant, hold.id}), "hold_not_open");
}

TEST(StartAuthorizationOfTheWallet, HoldsUntilTheDeadlineOfCaptures) {
  Authorizations world;
  CreateOrder request = world.manual_request();
  request.capture_within = 3600;
  const OrderId order = world.new_order(request);
  world.authorize(order, world.wallet_fields());
  EXPECT_EQ(world.authorization(order).channel_capture_before, kNow + 720h);
  EXPECT_EQ(world.authorization(order).capture_before, kNow + 1h);
  EXPECT_EQ(world.store.holds.rbegin()->second.expires_at, kNow + 1h);
}

TEST(StartAuthorizationOfTheWallet, FailsWithoutBalanceAndLeavesTheOrderPayable) {
  Authorizations world;
  const OrderId order = world.manual_order();
  PaymentFields fields = world.wallet_fields();
  fields.account_id = world.open("empty");
  world.authorize(order, fields);
  EXPECT_EQ(world.authorization(order).state, AuthorizationState::failed);
  EXPECT_EQ(world.authorization(order).failure_code, "insufficient_balance");
  EXPECT_EQ(world.order(order).state, OrderState::pending);
  EXPECT_TRUE(world.run(world.start_request(order, world.wallet_fields())));
  EXPECT_EQ(world.authorization(order).ordinal, 2);
}

TEST(SettleWalletHold, PostsTheCapturedPartAndReleasesTheRest) {
  Authorizations world;
  const OrderId order = world.manual_order();
  const MinorUnits balance = world.balance_of(world.payer);
  world.authorize(order, world.wallet_fields());
  ASSERT_TRUE(world.run(world.capture_request(order, 500)));
  world.settle_wallet();
  EXPECT_EQ(world.last_capture(order).state, CaptureState::succeeded);
  EXPECT_EQ(world.authorization(order).state, AuthorizationState::captured);
  EXPECT_EQ(world.authorization(order).released_amount, kAmount - 500);
  EXPECT_EQ(world.order(order).state, OrderState::succeeded);
  EXPECT_EQ(world.order(order).paid_amount, 500);
  EXPECT_EQ(world.balance_of(world.payer), balance - 500);
  EXPECT_EQ(world.available(world.payer), balance - 500);
  const Hold& hold = world.store.holds.rbegin()->second;
  EXPECT_EQ(hold.state, HoldState::posted);
  EXPECT_EQ(hold.posted_amount, 500);
  EXPECT_EQ(world.balance(AccountKind::channel_receivable), 0);
}

TEST(SettleWalletHold, ACaptureFromAFrozenAccountFails) {
  Authorizations world;
  const OrderId order = world.manual_order();
  world.authorize(order, world.wallet_fields());
  ASSERT_TRUE(world.run(world.capture_request(order, 500)));
  const std::vector<Effect> claimed = world.effects;
  world.change(world.payer, AccountEvent::freeze);
  world.effects = claimed;
  world.settle_wallet();
  EXPECT_EQ(world.last_capture(order).state, CaptureState::failed);
  EXPECT_EQ(world.last_capture(order).failure_code, "account_frozen");
  EXPECT_EQ(world.authorization(order).state, AuthorizationState::authorized);
}

TEST(SettleWalletHold, VoidsTheHoldOfAReleasedAuthorization) {
  Authorizations world;
  const OrderId order = world.manual_order();
  const MinorUnits balance = world.available(world.payer);
  const AuthorizationId id = world.authorize(order, world.wallet_fields());
  ASSERT_TRUE(world.run(ReleaseAuthorization{kMerchant, order, id}));
  EXPECT_EQ(world.authorization(order).state, AuthorizationState::releasing);
  world.settle_wallet();
  EXPECT_EQ(world.authorization(order).state, AuthorizationState::released);
  EXPECT_EQ(world.authorization(order).released_amount, kAmount);
  EXPECT_EQ(world.order(order).state, OrderState::closed);
  EXPECT_EQ(world.available(world.payer), balance);
  EXPECT_EQ(world.store.holds.rbegin()->second.state, HoldState::voided);
}

}  // namespace
}  // namespace finality::test
