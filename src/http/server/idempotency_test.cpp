#include "http/server/idempotency.h"

#include <gtest/gtest.h>

namespace finality::http {
namespace {

net::HttpRequest post(std::string key, std::string target = "/v1/orders", std::string body = "{}") {
  net::HttpRequest request;
  request.method = "POST";
  request.target = std::move(target);
  request.body = std::move(body);
  request.headers.add("idempotency-key", std::move(key));
  return request;
}

const Principal kMerchant{ApiKeyId{1}, Role::merchant, MerchantId{7}};

Idempotency read(const net::HttpRequest& request, const Principal& principal = kMerchant) {
  const auto found = idempotency_of(request, principal);
  EXPECT_TRUE(found && *found);
  return found && *found ? **found : Idempotency{};
}

TEST(Idempotency, IsOptional) {
  const auto found = idempotency_of(net::HttpRequest{}, kMerchant);
  ASSERT_TRUE(found);
  EXPECT_FALSE(*found);
}

TEST(Idempotency, AQuotedKeyEqualsTheUnquotedKey) {
  EXPECT_EQ(read(post("a key")).key_hash, read(post("\"a key\"")).key_hash);
  EXPECT_EQ(read(post(R"("a\"b\\c")")).key_hash, read(post(R"(a"b\c)")).key_hash);
  EXPECT_NE(read(post("a")).key_hash, read(post("b")).key_hash);
  read(post(std::string(255, 'k')));
}

TEST(Idempotency, IsScopedToMerchantMethodAndPath) {
  const Idempotency first = read(post("a"));
  EXPECT_EQ(first.key_hash, read(post("a", "/v1/orders", "{\"x\":1}")).key_hash);
  EXPECT_NE(first.fingerprint, read(post("a", "/v1/orders", "{\"x\":1}")).fingerprint);
  EXPECT_NE(first.key_hash, read(post("a", "/v1/orders/ord_1/close")).key_hash);
  EXPECT_NE(first.key_hash, read(post("a"), {ApiKeyId{1}, Role::merchant, MerchantId{8}}).key_hash);
  EXPECT_EQ(first.key_hash, read(post("a"), {ApiKeyId{2}, Role::operator_, MerchantId{7}}).key_hash);
}

TEST(Idempotency, IsScopedToTheOperatorsKeyWithoutAMerchant) {
  EXPECT_NE(read(post("a", "/v1/merchants"), {ApiKeyId{1}, Role::admin, MerchantId{}}).key_hash,
            read(post("a", "/v1/merchants"), {ApiKeyId{2}, Role::viewer, MerchantId{}}).key_hash);
}

TEST(Idempotency, RefusesInvalidKeys) {
  for (const std::string& key : {std::string(), std::string(256, 'k'), '"' + std::string(256, 'k') + '"',
                                 std::string("\"\""), std::string("\"open"), std::string("\""), std::string("\"a\"b\""),
                                 std::string("\"a\\b\""), std::string("a\tb"), std::string("cl\xe9")}) {
    const auto found = idempotency_of(post(key), kMerchant);
    ASSERT_FALSE(found) << key;
    EXPECT_EQ(found.error().code, RefusalCode::invalid_request);
    EXPECT_EQ(found.error().param, "Idempotency-Key");
  }
  net::HttpRequest twice = post("a");
  twice.headers.add("Idempotency-Key", "a");
  EXPECT_FALSE(idempotency_of(twice, kMerchant));
}

}  // namespace
}  // namespace finality::http
