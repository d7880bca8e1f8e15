// A hold begins when the channel says so, however late the report arrives. The deadline of captures follows from it.
#include "decide/authorization/authorization_times.h"

#include "decide/testing/authorization_world.h"

namespace finality::test {
namespace {

struct Row {
  std::string what;
  std::optional<Duration> authorized_after;  // after the creation: what the channel states; empty if it states nothing
  Duration asked_after{};                    // after the creation: time of the report
  Duration arrived_after{};                  // after the creation
  Duration expected{};                       // after the creation: start of the hold
};

const Row kRows[] = {
    {"reported at once", 2s, 2s, 2s, 2s},
    {"a notification that arrives after hours", 2s, 3h, 3h, 2s},
    {"no time: that of the report, which is not later than its arrival", {}, 2h, 3h, 2h},
    {"no time in a report that arrives at once", {}, 2s, 2s, 2s},
    {"the clock of the channel is fast", 5h, 2s, 2s, 2s},
    {"the clock of the channel is slow", -5h, 2s, 3h, 0s},
    {"a report of a slow clock", {}, -5h, 3h, 0s},
};

class Reported : public Authorizations {
 public:
  explicit Reported(const Row& row, CreateOrder request) : order(new_order(std::move(request))), created(now) {
    authorize(order);
    now = created + row.arrived_after;
    AuthorizationEvidence evidence = holds();
    if (row.authorized_after) evidence.authorized_at = created + *row.authorized_after;
    evidence.asked_at = created + row.asked_after;
    report(order, evidence);
  }
  explicit Reported(const Row& row) : Reported(row, Authorizations().manual_request()) {}

  OrderId order;
  Time created;
};

TEST(AuthorizationTimes, AHoldBeginsWhenTheChannelSaysSo) {
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.what);
    Reported world(row);
    const Authorization& found = world.authorization(world.order);
    ASSERT_EQ(found.state, AuthorizationState::authorized);
    EXPECT_EQ(found.authorized_at, world.created + row.expected);
    EXPECT_EQ(found.capture_before, world.created + row.expected + 168h - world.policy.capture_margin);
  }
}

TEST(AuthorizationTimes, ADeadlineThatHasPassedOnArrivalIsDueAtOnce) {
  CreateOrder request = Authorizations().manual_request();
  request.capture_within = 3600;
  Reported world({.what = "", .authorized_after = 2s, .asked_after = 3h, .arrived_after = 3h}, request);
  const Authorization& found = world.authorization(world.order);
  EXPECT_EQ(found.capture_before, world.created + 2s + 1h);
  EXPECT_EQ(found.due_at, world.now);
}

TEST(AuthorizationTimes, LaterReportsDoNotMoveTheStart) {
  Reported world({.what = "", .authorized_after = 2s, .asked_after = 2s, .arrived_after = 2s});
  AuthorizationEvidence evidence = Authorizations::holds();
  evidence.authorized = kAmount + 1;  // another system raises the hold
  evidence.authorized_at = world.now = world.created + 1h;
  world.report(world.order, evidence);
  EXPECT_EQ(world.authorization(world.order).authorized_amount, kAmount + 1);
  EXPECT_EQ(world.authorization(world.order).authorized_at, world.created + 2s);
}

}  // namespace
}  // namespace finality::test
