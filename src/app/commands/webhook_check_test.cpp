#include "app/commands/webhook_check.h"

#include <gtest/gtest.h>

#include "worker/effects/webhook_signature.h"

namespace finality::app {
namespace {

const Secret kSecret("whsec_c2VjcmV0");
constexpr Time kNow{1'800'000'000'000};

net::HttpRequest signed_request(const Secret& secret, Time at) {
  net::HttpRequest request;
  request.body = R"({"type":"order.succeeded"})";
  request.headers.add("webhook-id", "msg_1");
  request.headers.add("webhook-timestamp", webhook_timestamp(at));
  request.headers.add("webhook-signature", *webhook_signature({secret}, "msg_1", at, request.body));
  return request;
}

TEST(CheckWebhook, AcceptsASignatureMadeWithTheSecret) {
  EXPECT_TRUE(check_webhook(signed_request(kSecret, kNow), kSecret, kNow));
  EXPECT_TRUE(check_webhook(signed_request(kSecret, kNow), kSecret, kNow + std::chrono::minutes(5)));
}

TEST(CheckWebhook, AcceptsOneOfTwoSignaturesDuringARotation) {
  net::HttpRequest request = signed_request(Secret("whsec_b2xk"), kNow);
  const std::string both = std::string(request.headers.get("webhook-signature")) + ' ' +
                           *webhook_signature({kSecret}, "msg_1", kNow, request.body);
  request.headers = {};
  request.headers.add("webhook-id", "msg_1");
  request.headers.add("webhook-timestamp", webhook_timestamp(kNow));
  request.headers.add("webhook-signature", both);
  EXPECT_TRUE(check_webhook(request, kSecret, kNow));
}

TEST(CheckWebhook, NamesTheFirstCheckThatFails) {
  const auto error = [](const net::HttpRequest& request, Time now = kNow) {
    const Result<void> checked = check_webhook(request, kSecret, now);
    return checked ? std::string() : checked.error().message;
  };
  EXPECT_EQ(error({}), "header webhook-id is missing");
  EXPECT_TRUE(error(signed_request(Secret("whsec_b2xk"), kNow)).starts_with("webhook-signature does not match"));
  net::HttpRequest changed = signed_request(kSecret, kNow);
  changed.body += ' ';
  EXPECT_TRUE(error(changed).starts_with("webhook-signature does not match"));
  EXPECT_TRUE(error(signed_request(kSecret, kNow), kNow + std::chrono::seconds(301)).contains("five minutes"));
  EXPECT_TRUE(error(signed_request(kSecret, kNow + std::chrono::seconds(301))).contains("five minutes"));
  net::HttpRequest dated = signed_request(kSecret, kNow);
  dated.headers = {};
  dated.headers.add("webhook-id", "msg_1");
  dated.headers.add("webhook-timestamp", "99999999999999999999");
  dated.headers.add("webhook-signature", "v1,x");
  EXPECT_TRUE(error(dated).contains("is not a Unix timestamp in seconds"));
}

}  // namespace
}  // namespace finality::app
