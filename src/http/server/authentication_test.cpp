#include "http/server/authentication.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <latch>

#include "base/limits.h"
#include "query/testing/fakes.h"

namespace finality::http {
namespace {

using query::FakeStore;
using query::kNow;

constexpr MerchantId kShop{7};
const std::string kPeer = "192.0.2.7";

class Authentication : public testing::Test {
 protected:
  Authentication() {
    store_.rows.add_merchant(kShop);
    store_.rows.add_key("sk_shop", Role::merchant, kShop);
    store_.rows.add_key("op_viewer", Role::viewer, {});
    store_.rows.add_key("op_admin", Role::admin, {});
    pool_ = std::move(*ReaderPool::open(store_, {}));
    limit_failures(0);
  }

  void limit_failures(std::int64_t per_second) {
    RateLimitSettings settings;
    settings[RateLimit::failed_authentications] = per_second;
    authenticator_.reset();
    rate_limits_ = std::make_unique<RateLimits>(settings, metrics_);
    authenticator_ = std::make_unique<Authenticator>(*pool_, clock_, *rate_limits_);
  }

  std::expected<Principal, Refusal> authenticate(const std::string& authorization, const std::string& merchant = "",
                                                 Access access = Access::merchant, Role role = Role::operator_) {
    net::HttpRequest request{.peer = kPeer};
    if (!authorization.empty()) request.headers.add("authorization", authorization);
    if (!merchant.empty()) request.headers.add("finality-merchant", merchant);
    return authenticate(request, access, role);
  }
  std::expected<Principal, Refusal> authenticate(const net::HttpRequest& request, Access access, Role role) {
    std::promise<std::expected<Principal, Refusal>> answer;
    authenticator_->authenticate(request, access, role, [&answer](const auto& found) { answer.set_value(found); });
    return answer.get_future().get();
  }
  std::expected<Principal, Refusal> authenticate_from(const std::string& peer, const std::string& key) {
    net::HttpRequest request{.peer = peer};
    request.headers.add("Authorization", "Bearer " + key);
    return authenticate(request, Access::merchant, Role::operator_);
  }
  // Sends different wrong keys from kPeer until the limit refuses one. Returns that refusal.
  Refusal exhaust() {
    for (int i = 0; i < 10'000; ++i)
      if (const auto found = authenticate_from(kPeer, "sk_wrong" + std::to_string(i));
          found || found.error().code != RefusalCode::unauthorized)
        return found ? Refusal{} : found.error();
    return {};
  }

  FakeStore store_;
  TestClock clock_{kNow};
  prometheus::Registry registry_;
  Metrics metrics_{registry_};
  std::unique_ptr<RateLimits> rate_limits_;
  std::unique_ptr<ReaderPool> pool_;
  std::unique_ptr<Authenticator> authenticator_;
};

TEST_F(Authentication, ASecretKeyIdentifiesItsMerchant) {
  const auto found = authenticate("bearer sk_shop", to_text(MerchantId{8}));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->merchant_id, kShop);
  EXPECT_EQ(found->role, Role::merchant);
  EXPECT_TRUE(found->allowed);
}

TEST_F(Authentication, RefusesMalformedAndUnknownKeys) {
  for (const char* header : {"", "Bearer", "Bearer ", "Bearer sk_", "sk_shop", "Basic sk_shop", "Bearer sk_shopx",
                             "Bearer xx_shop", "Bearer sk_shop "}) {
    const auto found = authenticate(header);
    ASSERT_FALSE(found) << header;
    EXPECT_EQ(found.error().code, RefusalCode::unauthorized) << header;
  }
  EXPECT_FALSE(authenticate("Bearer sk_" + std::string(5000, 'x')));
}

TEST_F(Authentication, TheDetailStatesWhetherTheKeyIsMissingMalformedOrUnknown) {
  const auto detail = [&](const std::string& header) { return authenticate(header).error().detail; };
  EXPECT_TRUE(detail("").starts_with("The Authorization header is missing. Send `Authorization: Bearer <key>`"));
  for (const char* header : {"Bearer", "sk_shop", "Basic sk_shop"})
    EXPECT_TRUE(detail(header).starts_with("The Authorization header is malformed: ")) << header;
  EXPECT_EQ(detail("Bearer xx_shop"),
            "The API key is malformed: a secret key begins with sk_, an operator key with op_.");
  EXPECT_EQ(detail("Bearer sk_" + std::string(5000, 'x')),
            "The API key is malformed: a key has at most 256 characters.");
  EXPECT_TRUE(detail("Bearer sk_shopx").starts_with("The API key does not exist or was revoked. "));
}

TEST_F(Authentication, RefusesARevokedKey) {
  store_.rows.add_key("sk_old", Role::merchant, kShop).revoked_at = Time{1};
  EXPECT_EQ(authenticate("Bearer sk_old").error().code, RefusalCode::unauthorized);
}

TEST_F(Authentication, CachesValidKeysForLessThanASecond) {
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(authenticate("Bearer sk_shop"));
  EXPECT_EQ(store_.rows.key_reads, 1);
  for (int i = 0; i < 10; ++i) ASSERT_FALSE(authenticate("Bearer sk_unknown"));
  EXPECT_EQ(store_.rows.key_reads, 2);
  clock_.advance(limits::kValidKeysCachedFor);
  ASSERT_TRUE(authenticate("Bearer sk_shop"));
  ASSERT_FALSE(authenticate("Bearer sk_unknown"));
  EXPECT_EQ(store_.rows.key_reads, 3) << "unknown keys stay longer";
  clock_.advance(limits::kApiKeysCachedFor);
  ASSERT_FALSE(authenticate("Bearer sk_unknown"));
  EXPECT_EQ(store_.rows.key_reads, 4);
}

TEST_F(Authentication, RefusesAKeyThatAnotherServerRevokedWithinASecond) {
  ASSERT_TRUE(authenticate("Bearer sk_shop"));
  store_.rows.add_key("sk_shop", Role::merchant, kShop).revoked_at = Time{1};  // no forget(): on another server
  const Time revoked_at = clock_.now();
  Time last_accepted = revoked_at;
  for (; authenticate("Bearer sk_shop"); clock_.advance(Duration{10})) last_accepted = clock_.now();
  EXPECT_LT(last_accepted - revoked_at, limits::kRevokedKeyMax);
}

// The lifetime of a cached key begins before the read: the row may be revoked while a slow store replies.
TEST_F(Authentication, ASlowReadDoesNotExtendTheLifetimeOfAKey) {
  store_.rows.during_key = [&] {
    store_.rows.add_key("sk_shop", Role::merchant, kShop).revoked_at = Time{1};
    clock_.advance(std::chrono::seconds(5));
  };
  ASSERT_TRUE(authenticate("Bearer sk_shop")) << "the request arrived before the revocation";
  store_.rows.during_key = [] {};
  EXPECT_EQ(authenticate("Bearer sk_shop").error().code, RefusalCode::unauthorized);
}

TEST_F(Authentication, AcceptsNoExpiredKeyWhileTheStoreCannotBeRead) {
  ASSERT_TRUE(authenticate("Bearer sk_shop"));
  store_.rows.broken = true;
  EXPECT_TRUE(authenticate("Bearer sk_shop"));
  clock_.advance(limits::kValidKeysCachedFor);
  EXPECT_EQ(authenticate("Bearer sk_shop").error().code, RefusalCode::storage_read_error);
}

// Although the read takes longer than the lifetime of a cached key. The requests arrive before the read begins or
// during it, at the same instant.
TEST_F(Authentication, RequestsThatWaitForASlowStoreShareARead) {
  constexpr int kWaiting = 50;
  std::latch arrived(1);
  std::atomic<bool> is_first = true;
  store_.rows.during_key = [&] {
    if (is_first.exchange(false)) arrived.wait();
    clock_.advance(limits::kValidKeysCachedFor);
  };
  net::HttpRequest request{.peer = kPeer};
  request.headers.add("Authorization", "Bearer sk_shop");
  std::atomic<int> accepted = 0;
  std::latch answered(kWaiting);
  for (int i = 0; i < kWaiting; ++i)
    authenticator_->authenticate(request, Access::merchant, Role::operator_, [&](const auto& found) {
      accepted += found.has_value() ? 1 : 0;
      answered.count_down();
    });
  arrived.count_down();
  answered.wait();
  EXPECT_EQ(accepted, kWaiting);
  EXPECT_EQ(store_.rows.key_reads, 1);
}

TEST_F(Authentication, ForgetRemovesKeysFromTheCache) {
  ASSERT_TRUE(authenticate("Bearer sk_shop"));
  store_.rows.api_keys.clear();
  ASSERT_TRUE(authenticate("Bearer sk_shop"));
  authenticator_->forget();
  EXPECT_FALSE(authenticate("Bearer sk_shop"));
}

TEST_F(Authentication, DoesNotCacheReadErrors) {
  store_.rows.broken = true;
  EXPECT_EQ(authenticate("Bearer sk_shop").error().code, RefusalCode::storage_read_error);
  store_.rows.broken = false;
  EXPECT_TRUE(authenticate("Bearer sk_shop"));
}

TEST_F(Authentication, RequiresAnOperatorToNameTheMerchant) {
  const auto unnamed = authenticate("Bearer op_admin");
  ASSERT_FALSE(unnamed);
  EXPECT_EQ(unnamed.error().code, RefusalCode::invalid_request);
  EXPECT_EQ(unnamed.error().param, "Finality-Merchant");

  const auto named = authenticate("Bearer op_admin", to_text(kShop));
  ASSERT_TRUE(named);
  EXPECT_EQ(named->merchant_id, kShop);
  EXPECT_TRUE(named->merchant_exists);
  authenticate("Bearer op_admin", to_text(kShop));
  EXPECT_EQ(store_.rows.merchant_reads, 1);

  EXPECT_FALSE(authenticate("Bearer op_admin", to_text(MerchantId{8}))->merchant_exists);
  EXPECT_FALSE(authenticate("Bearer op_admin", "unknown")->merchant_exists);
}

TEST_F(Authentication, ComparesRoles) {
  EXPECT_FALSE(authenticate("Bearer op_viewer", to_text(kShop))->allowed);
  EXPECT_TRUE(authenticate("Bearer op_viewer", to_text(kShop), Access::merchant, Role::viewer)->allowed);
  EXPECT_TRUE(authenticate("Bearer op_admin", "", Access::platform, Role::admin)->allowed);
  EXPECT_FALSE(authenticate("Bearer op_viewer", "", Access::platform, Role::admin)->allowed);
  EXPECT_FALSE(authenticate("Bearer sk_shop", "", Access::platform, Role::viewer)->allowed);
  const auto viewer = authenticate("Bearer op_viewer", "", Access::shared, Role::viewer);
  EXPECT_TRUE(viewer->allowed);
  EXPECT_EQ(viewer->merchant_id, MerchantId{});
  const auto shop = authenticate("Bearer sk_shop", "", Access::shared, Role::viewer);
  EXPECT_TRUE(shop->allowed);
  EXPECT_EQ(shop->merchant_id, kShop);
}

TEST_F(Authentication, AllowsRoutesOfOperatorsToOperatorsThatNameTheMerchant) {
  const auto merchant = authenticate("Bearer sk_shop", to_text(kShop), Access::operators, Role::viewer);
  ASSERT_TRUE(merchant);
  EXPECT_FALSE(merchant->allowed);
  const auto admin = authenticate("Bearer op_admin", to_text(kShop), Access::operators, Role::admin);
  ASSERT_TRUE(admin);
  EXPECT_TRUE(admin->allowed);
  EXPECT_EQ(admin->merchant_id, kShop);
  EXPECT_FALSE(authenticate("Bearer op_viewer", to_text(kShop), Access::operators, Role::admin)->allowed);
  EXPECT_FALSE(
      authenticate("Bearer op_admin", to_text(MerchantId{8}), Access::operators, Role::admin)->merchant_exists);
  const auto unnamed = authenticate("Bearer op_admin", "", Access::operators, Role::admin);
  ASSERT_FALSE(unnamed);
  EXPECT_EQ(unnamed.error().param, "Finality-Merchant");
}

TEST_F(Authentication, RefusesARepeatedHeader) {
  for (const char* name : {"Authorization", "Finality-Merchant"}) {
    net::HttpRequest request;
    request.headers.add("Authorization", "Bearer op_admin");
    request.headers.add("Finality-Merchant", to_text(kShop));
    ASSERT_TRUE(authenticate(request, Access::merchant, Role::operator_));
    request.headers.add(name, std::string(request.headers.get(name)));
    const auto found = authenticate(request, Access::merchant, Role::operator_);
    ASSERT_FALSE(found) << name;
    EXPECT_EQ(found.error().code, RefusalCode::invalid_request);
    EXPECT_EQ(found.error().param, name);
    EXPECT_EQ(found.error().detail, "The header " + std::string(name) + " occurs more than once. Send it once.");
  }
}

TEST_F(Authentication, RefusesFurtherWrongKeysOfAnAddressAboveTheLimit) {
  limit_failures(1);
  const Refusal refusal = exhaust();
  EXPECT_EQ(refusal.code, RefusalCode::rate_limited);
  EXPECT_EQ(refusal.retry_after_seconds, 1);
  EXPECT_TRUE(refusal.detail.contains("rate_limits.failed_authentications")) << refusal.detail;
}

TEST_F(Authentication, AboveTheLimitAnUnknownKeyIsRefusedWithoutReadingTheStore) {
  limit_failures(1);
  exhaust();
  int unread = 0;
  for (int i = 0; i < 10; ++i) {
    const int reads = store_.rows.key_reads;
    const auto found = authenticate_from(kPeer, "sk_other" + std::to_string(i));
    ASSERT_FALSE(found);
    if (found.error().code == RefusalCode::rate_limited && store_.rows.key_reads == reads) ++unread;
  }
  EXPECT_GT(unread, 0);
}

TEST_F(Authentication, MissingAndMalformedKeysCountAsFailures) {
  limit_failures(1);
  for (const char* header : {"", "Basic sk_shop"}) {
    const auto is_limited = [&] { return authenticate(header).error().code == RefusalCode::rate_limited; };
    bool limited = false;
    for (int i = 0; i < 10'000 && !limited; ++i) limited = is_limited();
    EXPECT_TRUE(limited) << header;
  }
}

TEST_F(Authentication, AKeyThatWasValidWorksFromAnAddressWithManyFailures) {
  limit_failures(1);
  ASSERT_TRUE(authenticate_from(kPeer, "sk_shop"));
  EXPECT_EQ(exhaust().code, RefusalCode::rate_limited);
  EXPECT_TRUE(authenticate_from(kPeer, "sk_shop"));
  clock_.advance(std::chrono::seconds(60));  // the cached key has expired
  EXPECT_EQ(exhaust().code, RefusalCode::rate_limited);
  EXPECT_TRUE(authenticate_from(kPeer, "sk_shop"));
  authenticator_->forget();
  EXPECT_EQ(exhaust().code, RefusalCode::rate_limited);
  EXPECT_TRUE(authenticate_from(kPeer, "sk_shop"));
}

TEST_F(Authentication, ARevokedKeyCountsAsAWrongKey) {
  limit_failures(1);
  store_.rows.add_key("sk_old", Role::merchant, kShop);
  ASSERT_TRUE(authenticate_from(kPeer, "sk_old"));
  store_.rows.add_key("sk_old", Role::merchant, kShop).revoked_at = Time{1};
  authenticator_->forget();
  EXPECT_EQ(authenticate_from("192.0.2.8", "sk_old").error().code, RefusalCode::unauthorized);
  EXPECT_EQ(exhaust().code, RefusalCode::rate_limited);
  bool limited = false;
  for (int i = 0; i < 10 && !limited; ++i)
    limited = authenticate_from(kPeer, "sk_old").error().code == RefusalCode::rate_limited;
  EXPECT_TRUE(limited);
}

TEST_F(Authentication, FailuresOfOneAddressDoNotAffectOtherAddresses) {
  limit_failures(1);
  exhaust();
  EXPECT_TRUE(authenticate_from("192.0.2.8", "sk_shop"));
  EXPECT_EQ(authenticate_from("192.0.2.8", "sk_wrong").error().code, RefusalCode::unauthorized);
}

TEST(DrawnKeys, AreDifferentAndHashedWhole) {
  const DrawnKey one = draw_api_key(Role::merchant);
  EXPECT_TRUE(one.text.reveal().starts_with("sk_"));
  EXPECT_EQ(one.hash, sha256_16(one.text.reveal()));
  EXPECT_NE(one.text, draw_api_key(Role::merchant).text);
  EXPECT_TRUE(draw_api_key(Role::viewer).text.reveal().starts_with("op_"));
}

}  // namespace
}  // namespace finality::http
