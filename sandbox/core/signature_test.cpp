#include "sandbox/core/signature.h"

#include <gtest/gtest.h>

namespace finality::sandbox {
namespace {

const Secret kSecret("key");
constexpr Time kNow{1'700'000'000'000};

net::HttpRequest signed_request(const std::string& timestamp) {
  net::HttpRequest request{.method = "POST", .target = "/sandbox/trades?a=1", .headers = {}, .body = "{}", .peer = ""};
  request.headers.add("sandbox-timestamp", timestamp);
  request.headers.add("sandbox-signature",
                      request_signature(kSecret, request.method, request.target, timestamp, request.body));
  return request;
}

TEST(SignatureTest, MatchesOpenssl) {
  // Output of: printf 'POST\n/sandbox/trades\n1700000000\n{}' | openssl dgst -sha256 -hmac key
  EXPECT_EQ(request_signature(kSecret, "POST", "/sandbox/trades", "1700000000", "{}"),
            "7bb32578961344edcaca69c51a8d8b7eaa8a6c3f5590dd81e8af73b386251cee");
  // Output of: printf '1700000000\n{}' | openssl dgst -sha256 -hmac key
  EXPECT_EQ(message_signature(kSecret, "1700000000", "{}"),
            "dc69947da92a4b74a8dc1043568a9cd906a846272955d61394a6ff449c53eb36");
}

TEST(SignatureTest, AcceptsTimestampsWithinTheTolerance) {
  EXPECT_TRUE(is_signed(kSecret, signed_request("1700000000"), kNow));
  EXPECT_TRUE(is_signed(kSecret, signed_request("1699999700"), kNow));
  EXPECT_TRUE(is_signed(kSecret, signed_request("1700000300"), kNow));
}

TEST(SignatureTest, RejectsOldFutureAndMalformedTimestamps) {
  for (const char* timestamp :
       {"1699999699", "1700000301", "", "17e8", "-1700000000", "99999999999999999999", " 1700000000"})
    EXPECT_FALSE(is_signed(kSecret, signed_request(timestamp), kNow)) << timestamp;
}

TEST(SignatureTest, CoversMethodTargetAndBodyAndNeedsTheSecret) {
  const net::HttpRequest good = signed_request("1700000000");
  net::HttpRequest request = good;
  request.method = "GET";
  EXPECT_FALSE(is_signed(kSecret, request, kNow));
  request = good;
  request.target = "/sandbox/trades?a=2";
  EXPECT_FALSE(is_signed(kSecret, request, kNow));
  request = good;
  request.body = "{ }";
  EXPECT_FALSE(is_signed(kSecret, request, kNow));
  EXPECT_FALSE(is_signed(Secret("another key"), good, kNow));
  request = good;
  request.headers = {};
  EXPECT_FALSE(is_signed(kSecret, request, kNow));
}

}  // namespace
}  // namespace finality::sandbox
