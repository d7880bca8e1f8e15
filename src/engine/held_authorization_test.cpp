#include <fmt/format.h>

#include "engine/test_engine.h"

namespace finality::test {
namespace {

/// Requests about an authorization and its captures, whose replies wait for the channel.
class HeldAuthorizationTest : public testing::Test {
 protected:
  HeldAuthorizationTest() {
    CreateOrder request = world_.order_request();
    request.capture_method = CaptureMethod::manual;
    order_ = OrderId{world_.execute(request).object->value};
  }
  /// Submits the command, and returns when it is committed.
  std::future<Reply> submit(Command command) {
    Request request = EngineWorld::request_of(std::move(command));
    request.await_answer = true;
    auto committed = std::make_shared<std::promise<void>>();
    request.committed = [committed](ObjectRef, int) { committed->set_value(); };
    auto reply = world_.submit(std::move(request));
    committed->get_future().wait();
    return reply;
  }
  void hold(AuthorizationEvidenceKind kind) {
    world_.execute(world_.hold_command(order_, {.kind = kind,
                                                .channel_trade_no = "A1",
                                                .authorized = kAmount,
                                                .released = kind == AuthorizationEvidenceKind::released ? kAmount : 0,
                                                .currency = kCny}));
  }
  /// Starts an authorization that the channel approves at once, and returns its id.
  AuthorizationId authorize() {
    const AuthorizationId id{world_.execute(world_.authorization_for(order_)).object->value};
    hold(AuthorizationEvidenceKind::authorized);
    return id;
  }
  void expect_released(std::future<Reply>& held, std::string_view state) {
    const Reply reply = world_.wait(std::move(held));
    EXPECT_NE(reply.body.find(fmt::format(R"("state":"{}")", state)), std::string::npos) << reply.body;
  }

  EngineWorld world_;
  OrderId order_;
};

TEST_F(HeldAuthorizationTest, AnAuthorizationWaitsForItsResult) {
  auto reply = submit(world_.authorization_for(order_));
  hold(AuthorizationEvidenceKind::unknown);
  EXPECT_FALSE(world_.is_ready(reply));
  hold(AuthorizationEvidenceKind::authorized);
  expect_released(reply, "authorized");
}

TEST_F(HeldAuthorizationTest, ACaptureWaitsUntilItIsFinal) {
  const AuthorizationId authorization = authorize();
  auto reply = submit(CreateCapture{kMerchant, order_, authorization, "C-1", {}, true});
  world_.execute(world_.capture_command(order_, waiting()));
  EXPECT_FALSE(world_.is_ready(reply));
  world_.execute(world_.capture_command(order_, paid()));
  expect_released(reply, "succeeded");
}

TEST_F(HeldAuthorizationTest, AReleaseWaitsUntilNothingIsHeld) {
  auto reply = submit(ReleaseAuthorization{kMerchant, order_, authorize()});
  hold(AuthorizationEvidenceKind::unknown);
  EXPECT_FALSE(world_.is_ready(reply));
  hold(AuthorizationEvidenceKind::released);
  expect_released(reply, "released");
}

}  // namespace
}  // namespace finality::test
