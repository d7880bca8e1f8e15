// The simulated channel keeps its promises, however hostile it is: it loses no money, and it repeats nothing.
#include "sim/upstream.h"

#include <gtest/gtest.h>

namespace finality::sim {
namespace {

constexpr Time kStart{1'790'000'000'000};
constexpr Currency kCny{{'C', 'N', 'Y'}};

struct Scene {
  explicit Scene(std::uint64_t seed) : stage(seed, kStart, TraceWish::hashed) { stage.start_faults(); }

  void run() {
    while (stage.step(kStart + std::chrono::hours(24 * 30))) continue;
  }
  Stage stage;
  int told_of_money = 0;
  int refusals = 3;  // notifications that we do not acknowledge
  Upstream upstream{stage, [this](const Trade&, const Evidence& evidence, const std::function<void(bool)>& done) {
                      told_of_money += evidence.kind == EvidenceKind::paid || evidence.kind == EvidenceKind::refunded;
                      done(refusals-- <= 0);
                    }};
};

TEST(UpstreamTest, ATradeIsMadeOncePerNumber) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Scene scene(seed);
    scene.upstream.send("a", "1", 100, kCny);
    const std::size_t made = scene.upstream.trades().size();
    for (int i = 0; i < 5; ++i) scene.upstream.send("a", "1", 100, kCny);
    EXPECT_EQ(scene.upstream.trades().size(), made);
    scene.upstream.send("b", "1", 100, kCny);
    EXPECT_GT(scene.upstream.trades().size(), made);
  }
}

TEST(UpstreamTest, ARefundGoesBackOncePerNumberAndNeverMoreThanWasPaid) {
  int refunded = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Scene scene(seed);
    const Evidence sent = scene.upstream.send("a", "1", 100, kCny);
    if (sent.kind != EvidenceKind::paid) continue;
    for (int i = 0; i < 3; ++i)
      for (const char* number : {"r1", "r2", "r3"}) scene.upstream.refund("a", *sent.channel_trade_no, number, 40);
    scene.run();
    const Trade& trade = *scene.upstream.find_trade("a", *sent.channel_trade_no);
    EXPECT_LE(trade.ours_back + trade.foreign_back, trade.paid);
    EXPECT_EQ(trade.ours_promised, 0);
    EXPECT_EQ(trade.ours_back % 40, 0);
    refunded += trade.ours_back > 0;
  }
  EXPECT_GT(refunded, 10);
}

TEST(UpstreamTest, WhoWasToldThatATradeIsDeadHearsOfItWhenItIsPaid) {
  int late = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    Scene scene(seed);
    scene.upstream.send("a", "1", 100, kCny);
    if (scene.upstream.close("a", "1").kind != EvidenceKind::closed) continue;
    scene.run();
    for (const auto& trade : scene.upstream.trades()) {
      if (trade->paid == 0) continue;
      ++late;
      EXPECT_GT(scene.told_of_money, 0) << seed;
    }
  }
  EXPECT_GT(late, 3);
}

}  // namespace
}  // namespace finality::sim
