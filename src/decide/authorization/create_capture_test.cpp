#include "decide/authorization/create_capture.h"

#include <functional>

#include "decide/testing/authorization_world.h"

namespace finality::test {
namespace {

TEST(CreateCapture, IsSentUnderANumberOfTheOrder) {
  Authorizations world;
  const OrderId order = world.held_order();
  const Decision made = world.run(world.capture_request(order));
  ASSERT_TRUE(made && made->created);
  const Capture& row = world.last_capture(order);
  EXPECT_EQ(row.state, CaptureState::processing);
  EXPECT_EQ(row.amount, kAmount) << "everything that is held";
  EXPECT_TRUE(row.is_final);
  EXPECT_EQ(row.out_trade_no, out_capture_no(kMerchant, order, 1));
  ASSERT_EQ(world.effects.size(), 1u);
  EXPECT_EQ(std::get<CaptureCall>(world.effects[0]).kind, CaptureCallKind::send_capture);
}

TEST(CreateCapture, IsRefused) {
  struct Row {
    std::string_view what;
    std::string_view code;
    std::function<void(Authorizations&, OrderId, CreateCapture&)> change;
  };
  const Row rows[] = {
      {"no such authorization", "not_found",
       [](Authorizations&, OrderId, CreateCapture& request) { request.authorization_id = AuthorizationId{5}; }},
      {"another merchant", "not_found",
       [](Authorizations&, OrderId, CreateCapture& request) { request.merchant_id = kOtherMerchant; }},
      {"the deadline has passed", "authorization_not_capturable",
       [](Authorizations& world, OrderId order, CreateCapture&) {
         world.now = world.authorization(order).capture_before.value();
       }},
      {"the end is requested", "authorization_not_capturable",
       [](Authorizations& world, OrderId order, CreateCapture&) {
         world.run(ReleaseAuthorization{kMerchant, order, world.authorization(order).id});
       }},
      {"the order is closing", "authorization_not_capturable",
       [](Authorizations& world, OrderId order, CreateCapture&) { world.run(CloseOrder{kMerchant, order}); }},
      {"the order is parked", "authorization_not_capturable",
       [](Authorizations& world, OrderId order, CreateCapture&) { world.aggregate(order).order.parked = true; }},
      {"another capture has no result", "capture_in_progress",
       [](Authorizations& world, OrderId order, CreateCapture&) {
         world.run(world.capture_request(order, 100, false));
       }},
      {"more than is held", "capture_exceeds_authorized",
       [](Authorizations&, OrderId, CreateCapture& request) { request.amount = kAmount + 1; }},
      {"more than is left", "capture_exceeds_authorized",
       [](Authorizations& world, OrderId order, CreateCapture& request) {
         world.capture(order, 100, false);
         request.amount = kAmount - 99;
       }},
      {"a part where only the whole can be captured", "partial_capture_unsupported",
       [](Authorizations& world, OrderId, CreateCapture& request) {
         world.terms().is_partial = false;
         request.amount = kAmount - 1;
       }},
      {"a further capture where there is one", "multiple_captures_unsupported",
       [](Authorizations& world, OrderId order, CreateCapture&) {
         world.capture(order, 100, false);
         world.terms().is_multiple = false;
       }},
      {"not final where there is one capture", "multiple_captures_unsupported",
       [](Authorizations& world, OrderId, CreateCapture& request) {
         world.terms().is_multiple = false;
         request.is_final = false;
       }},
  };
  for (const Row& row : rows) {
    Authorizations world;
    const OrderId order = world.held_order();
    CreateCapture request = world.capture_request(order);
    row.change(world, order, request);
    EXPECT_EQ(world.refusal_of(request), row.code) << row.what;
  }
}

TEST(CreateCapture, ARefusalNamesTheNextStep) {
  using enum AuthorizationState;
  struct Row {
    AuthorizationState state;
    std::string_view next_step;
  };
  const Row rows[] = {
      {created, "Wait until it is authorized"},
      {processing, "Wait until it is authorized"},
      {pending, "Wait until it is authorized"},
      {authorized, "Reduce amount."},
      {releasing, "Create a new order"},
      {captured, "Create a new order"},
      {released, "Start another"},
      {failed, "Start another"},
      {closed, "Start another"},
  };
  static_assert(std::size(rows) == kCount<AuthorizationState>);
  for (const Row& row : rows) {
    Authorizations world;
    const OrderId order = world.held_order();
    world.aggregate(order).authorizations.front().state = row.state;
    const Decision refused = world.run(world.capture_request(order, kAmount + 1));
    ASSERT_FALSE(refused) << name_of(row.state);
    EXPECT_TRUE(refused.error().detail.contains(row.next_step)) << refused.error().detail;
    EXPECT_EQ(refused.error().state, name_of(row.state));
  }
}

TEST(CreateCapture, ARepeatedNumberReturnsTheCapture) {
  Authorizations world;
  const OrderId order = world.held_order();
  const CreateCapture request = world.capture_request(order, 700, false);
  const Decision first = world.run(request);
  ASSERT_TRUE(first);
  const Decision again = world.run(request);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->object, first->object);
  EXPECT_FALSE(again->created);
  CreateCapture rest = request;
  rest.amount.reset();
  EXPECT_EQ(world.run(rest)->object, first->object) << "a repetition without amount names none";
  for (const auto change :
       {+[](CreateCapture& other) { other.amount = 701; }, +[](CreateCapture& other) { other.is_final = true; }}) {
    CreateCapture other = request;
    change(other);
    EXPECT_EQ(world.refusal_of(other), "merchant_capture_no_conflict");
  }
  CreateCapture elsewhere = request;
  elsewhere.order_id = world.held_order();
  elsewhere.authorization_id = world.authorization(elsewhere.order_id).id;
  EXPECT_EQ(world.refusal_of(elsewhere), "merchant_capture_no_conflict");
}

TEST(CreateCapture, IsLimitedPerOrder) {
  Authorizations world;
  const OrderId order = world.held_order();
  OrderAggregate& aggregate = world.aggregate(order);
  for (std::int64_t i = 0; i < limits::kCapturesMax; ++i) {
    Capture capture{.id = CaptureId{i + 1}, .order_id = order, .authorization_id = aggregate.authorizations[0].id};
    capture.currency = kCny;
    capture.state = CaptureState::failed;
    aggregate.captures.push_back(capture);
  }
  EXPECT_EQ(world.refusal_of(world.capture_request(order)), "authorization_not_capturable");
}

TEST(RefundOfACapture, NamesItsReceiptWhileTheRestIsHeld) {
  Authorizations world;
  const OrderId order = world.held_order();
  world.capture(order, 700, false);
  ASSERT_EQ(world.authorization(order).state, AuthorizationState::authorized);
  const CaptureId capture = world.last_capture(order).id;
  CreateRefund request{
      .merchant_id = kMerchant, .amount = 300, .merchant_refund_no = "R1", .channel = "sandbox", .currency = kCny};
  request.collected = capture;
  request.order_id = order;
  ASSERT_TRUE(world.run(request));
  const Refund& refund = world.aggregate(order).refunds.at(0);
  EXPECT_EQ(refund.capture_id, capture);
  EXPECT_EQ(refund.authorization_id, world.authorization(order).id);
  EXPECT_EQ(refund.receipt_id, world.aggregate(order).receipts.at(0).id);
  EXPECT_EQ(refund.payment_id, PaymentId{});
  world.run(RecordRefund{kMerchant,
                         order,
                         refund.id,
                         refund.out_refund_no,
                         "sandbox",
                         kCny,
                         300,
                         {.kind = RefundEvidenceKind::refunded, .asked_at = world.now}});
  EXPECT_EQ(world.last_capture(order).refunded_amount, 300);
  EXPECT_EQ(world.order(order).refunded_amount, 300);
  EXPECT_EQ(world.run(request)->object, ObjectRef(refund.id)) << "a repeated request";
  request.collected = world.authorization(order).id;
  EXPECT_EQ(world.refusal_of(request), "merchant_refund_no_conflict") << "the number of a refund of the capture";
}

TEST(RefundOfACapture, IsRefused) {
  struct Row {
    std::string_view what;
    std::string_view code;
    std::string_view param;
    std::function<void(Authorizations&, OrderId, CreateRefund&)> change;
  };
  const Row rows[] = {
      {"no such capture", "not_found", "capture",
       [](Authorizations&, OrderId, CreateRefund& refund) { refund.collected = CaptureId{5}; }},
      {"another merchant", "not_found", "capture",
       [](Authorizations&, OrderId, CreateRefund& refund) { refund.merchant_id = kOtherMerchant; }},
      {"an authorization where captures are refunded", "payment_not_refundable", "authorization",
       [](Authorizations& world, OrderId order, CreateRefund& refund) {
         refund.collected = world.authorization(order).id;
       }},
      {"a capture where the authorization is refunded", "payment_not_refundable", "capture",
       [](Authorizations& world, OrderId, CreateRefund&) { world.terms().refund_by = RefundBy::authorization; }},
      {"a capture without a receipt", "payment_not_refundable", "capture",
       [](Authorizations& world, OrderId order, CreateRefund& refund) {
         world.run(world.capture_request(order, 1));
         refund.collected = world.last_capture(order).id;
       }},
      {"more than was captured", "refund_exceeds_paid", "amount",
       [](Authorizations&, OrderId, CreateRefund& refund) { refund.amount = 701; }},
      {"a capture created meanwhile", "busy", "",
       [](Authorizations&, OrderId, CreateRefund& refund) { refund.channel = ""; }},
  };
  for (const Row& row : rows) {
    Authorizations world;
    const OrderId order = world.held_order();
    world.capture(order, 700, false);
    CreateRefund refund{.merchant_id = kMerchant, .merchant_refund_no = "R1", .channel = "sandbox", .currency = kCny};
    refund.collected = world.last_capture(order).id;
    refund.order_id = order;
    row.change(world, order, refund);
    const Decision refused = world.run(refund);
    ASSERT_FALSE(refused) << row.what;
    EXPECT_EQ(name_of(refused.error().code), row.code) << row.what;
    EXPECT_EQ(refused.error().param.value_or(""), row.param) << row.what;
  }
}

TEST(RefundOfAnAuthorization, IsAcceptedWhereTheChannelRefundsIt) {
  Authorizations world;
  const OrderId order = world.held_order();
  world.capture(order, 700, true);
  world.terms().refund_by = RefundBy::authorization;
  CreateRefund refund{.merchant_id = kMerchant, .merchant_refund_no = "R1", .channel = "sandbox", .currency = kCny};
  refund.collected = world.authorization(order).id;
  refund.order_id = order;
  ASSERT_TRUE(world.run(refund));
  EXPECT_EQ(world.aggregate(order).refunds.at(0).amount, 700);
}

}  // namespace
}  // namespace finality::test
