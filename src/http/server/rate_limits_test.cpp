#include "http/server/rate_limits.h"

#include <boost/json/object.hpp>

#include "http/testing/test_server.h"

namespace finality::http {
namespace {

constexpr int kOk = 200;
constexpr int kLimited = 429;

/// A server with one limit of one request per second; the other limits are off.
class RateLimited : public Server {
 protected:
  void limit(RateLimit limit) {
    RateLimitSettings settings;
    settings.per_second.fill(0);
    settings[limit] = 1;
    server_.reset();
    server_ = std::move(*ApiServer::start({engine_,
                                           store_,
                                           channels_,
                                           policy_,
                                           clock_,
                                           io_,
                                           registry_,
                                           {},
                                           false,
                                           {},
                                           {},
                                           nullptr,
                                           false,
                                           Duration(0),
                                           Duration(0),
                                           settings},
                                          {}));
  }

  // Sends requests until one is refused, and returns the refusal. The bucket holds two tokens and gains one per second.
  net::HttpResponse exhaust(const std::string& method, const std::string& target, const std::string& key = "sk_shop") {
    net::HttpResponse response;
    for (int i = 0; i < 1000 && response.status != kLimited; ++i) response = fetch(method, target, key, "", names(key));
    EXPECT_EQ(response.status, kLimited) << method << ' ' << target;
    return response;
  }
  int read(const std::string& key) { return fetch("GET", "/v1/orders", key, "", names(key)).status; }
  // Sends a POST without a body, which is refused with 400 before the engine receives it.
  int write(const std::string& key) { return fetch("POST", "/v1/orders", key, "", names(key)).status; }

  static net::Headers names(const std::string& key) { return key.starts_with("op_") ? naming(kShop) : net::Headers{}; }
};

TEST_F(RateLimited, TheRefusalNamesTheLimitAndItsSettingAndStatesWhenToRetry) {
  limit(RateLimit::merchant_reads);
  const net::HttpResponse response = exhaust("GET", "/v1/orders");
  EXPECT_EQ(code_of(response), "rate_limited");
  EXPECT_EQ(response.headers.get("Retry-After"), "1");
  EXPECT_EQ(boost::json::parse(response.body).as_object().at("detail").as_string(),
            "The merchant exceeds 1 reads per second, the limit of the server's setting rate_limits.merchant_reads. "
            "Nothing was changed. Retry after 1 s.");
}

TEST_F(RateLimited, CountsRefusalsByLimit) {
  limit(RateLimit::api_key_writes);
  const auto counted = [this](const std::string& sample) { return fetch("GET", "/metrics", "").body.contains(sample); };
  EXPECT_TRUE(counted("finality_rate_limited_total{limit=\"api_key_writes\"} 0\n"));
  EXPECT_TRUE(counted("finality_rate_limited_total{limit=\"merchant_reads\"} 0\n"));
  exhaust("POST", "/v1/orders");
  EXPECT_TRUE(counted("finality_rate_limited_total{limit=\"api_key_writes\"} 1\n"));
}

TEST_F(RateLimited, ReadsAndWritesOfAMerchantHaveSeparateLimits) {
  limit(RateLimit::merchant_reads);
  exhaust("GET", "/v1/orders");
  EXPECT_EQ(write("sk_shop"), 400);
  limit(RateLimit::merchant_writes);
  exhaust("POST", "/v1/orders");
  EXPECT_EQ(read("sk_shop"), kOk);
  EXPECT_TRUE(engine_.empty());
}

TEST_F(RateLimited, AllKeysOfAMerchantShareTheLimitOfTheMerchant) {
  store_.rows.add_key("sk_second", Role::merchant, kShop);
  store_.rows.add_key("sk_other", Role::merchant, kOtherShop);
  limit(RateLimit::merchant_reads);
  ASSERT_EQ(read("sk_second"), kOk);
  bool limited = false;
  for (int i = 0; i < 1000 && !limited; ++i) {
    read("sk_shop");
    limited = read("sk_second") == kLimited;
  }
  EXPECT_TRUE(limited);
  EXPECT_EQ(read("sk_other"), kOk);
}

TEST_F(RateLimited, OperatorsAreServedWhileTheirMerchantExceedsItsLimit) {
  limit(RateLimit::merchant_reads);
  exhaust("GET", "/v1/orders");
  for (int i = 0; i < 10; ++i) EXPECT_EQ(read("op_viewer"), kOk);
}

TEST_F(RateLimited, EachKeyHasALimit) {
  limit(RateLimit::api_key_reads);
  exhaust("GET", "/v1/orders", "op_viewer");
  EXPECT_EQ(read("op_admin"), kOk);
  EXPECT_EQ(read("sk_shop"), kOk);
}

TEST_F(RateLimited, RequestsOfOperatorsThatNameNoMerchantCountForTheKey) {
  limit(RateLimit::api_key_reads);
  int status = 0;
  for (int i = 0; i < 1000 && status != kLimited; ++i) status = fetch("GET", "/v1/orders", "op_viewer").status;
  EXPECT_EQ(status, kLimited);
  EXPECT_EQ(read("op_admin"), kOk);
}

TEST_F(RateLimited, TheLimitOfAnAddressAppliesBeforeTheKeyIsRead) {
  limit(RateLimit::address_reads);
  exhaust("GET", "/docs", "");
  store_.rows.key_reads = 0;
  bool limited = false;
  for (int i = 0; i < 1000 && !limited; ++i) {
    store_.rows.key_reads = 0;
    limited = read("sk_unknown" + std::to_string(i)) == kLimited;
  }
  EXPECT_TRUE(limited);
  EXPECT_EQ(store_.rows.key_reads, 0);
  EXPECT_EQ(write("sk_shop"), 400);
}

TEST_F(RateLimited, UnknownEndpointsCountForTheAddress) {
  limit(RateLimit::address_writes);
  exhaust("POST", "/nowhere", "");
}

TEST_F(RateLimited, HealthAndReadinessHaveNoLimit) {
  for (const RateLimit kind : {RateLimit::address_reads, RateLimit::address_writes, RateLimit::notifications}) {
    limit(kind);
    for (int i = 0; i < 10; ++i) {
      EXPECT_EQ(fetch("GET", "/healthz", "").status, kOk);
      EXPECT_EQ(fetch("GET", "/readyz", "").status, kOk);
    }
  }
}

TEST_F(RateLimited, NotificationsHaveTheirOwnLimit) {
  limit(RateLimit::address_writes);
  exhaust("POST", "/nowhere", "");
  for (int i = 0; i < 10; ++i) EXPECT_EQ(fetch("POST", "/notify/sandbox", "").status, 401);
  limit(RateLimit::notifications);
  EXPECT_EQ(exhaust("POST", "/notify/sandbox", "").headers.get("Retry-After"), "1");
  EXPECT_EQ(write("sk_shop"), 400);
}

TEST_F(RateLimited, AValidKeyIsServedWhileTheAddressSendsWrongKeys) {
  limit(RateLimit::failed_authentications);
  ASSERT_EQ(read("sk_shop"), kOk);
  const net::HttpResponse refused = exhaust("GET", "/v1/orders", "sk_wrong");
  EXPECT_EQ(code_of(refused), "rate_limited");
  EXPECT_EQ(refused.headers.get("Retry-After"), "1");
  EXPECT_EQ(read("sk_shop"), kOk);
}

}  // namespace
}  // namespace finality::http
