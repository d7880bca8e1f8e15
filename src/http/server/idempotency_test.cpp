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

TEST(Idempotency, TheFingerprintCoversMethodPathQueryAndBody) {
  const net::HttpRequest first = post("a", "/v1/statements?date=2026-01-01&kind=trades", "a file");
  const Hash16 stored = read(first).fingerprint;
  struct {
    const char* what;
    const char* target;
    const char* body;
    bool matches;
  } const cases[] = {
      {"the same request", "/v1/statements?date=2026-01-01&kind=trades", "a file", true},
      {"the parameters in another order", "/v1/statements?kind=trades&date=2026-01-01", "a file", true},
      {"another percent-encoding", "/v1/statements?date=2026%2D01-01&kind=trades&", "a file", true},
      {"another value", "/v1/statements?date=2026-01-02&kind=trades", "a file", false},
      {"a parameter less", "/v1/statements?date=2026-01-01", "a file", false},
      {"a parameter more", "/v1/statements?date=2026-01-01&kind=trades&x=", "a file", false},
      {"two values in one", "/v1/statements?date=2026-01-01%26kind%3Dtrades", "a file", false},
      {"a malformed query", "/v1/statements?date=%zz", "a file", false},
      {"no query", "/v1/statements", "a file", false},
      {"another path", "/v1/statement?date=2026-01-01&kind=trades", "a file", false},
      {"a trailing slash", "/v1/statements/?date=2026-01-01&kind=trades", "a file", false},
      {"another body", "/v1/statements?date=2026-01-01&kind=trades", "a file ", false},
  };
  for (const auto& row : cases)
    EXPECT_EQ(read(post("a", row.target, row.body)).matches(stored), row.matches) << row.what;
  net::HttpRequest put = first;
  put.method = "PUT";
  EXPECT_FALSE(read(put).matches(stored));
}

TEST(Idempotency, HeadersAreNoPartOfTheFingerprint) {
  net::HttpRequest typed = post("a");
  typed.headers.add("Content-Type", "text/plain");
  EXPECT_EQ(read(typed).fingerprint, read(post("a")).fingerprint);
}

TEST(Idempotency, ARequestMatchesARecordWithTheHashOfItsBody) {
  const Hash16 stored = sha256_16("a file");  // by a version whose fingerprints were of the body
  EXPECT_TRUE(read(post("a", "/v1/statements?date=2026-01-01", "a file")).matches(stored));
  EXPECT_FALSE(read(post("a", "/v1/statements?date=2026-01-01", "another")).matches(stored));
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
