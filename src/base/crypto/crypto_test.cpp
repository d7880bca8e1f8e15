#include "base/crypto/crypto.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "base/crypto/encoding.h"
#include "base/crypto/random.h"

namespace finality {
namespace {

TEST(Sha256, HasTheKnownAnswersOfFips180) {
  EXPECT_EQ(to_hex(sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(to_hex(sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(to_hex(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(to_hex(sha256(std::string(1'000'000, 'a'))),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, ItsHalfIsItsFirstSixteenBytes) {
  EXPECT_TRUE(rc::check([](const std::string& data) {
    const Hash16 half = sha256_16(data);
    RC_ASSERT(sha256(data).substr(0, 16) == std::string(half.begin(), half.end()));
  }));
}

TEST(HmacSha256, HasTheKnownAnswersOfRfc4231) {
  struct Row {
    std::string key;
    std::string data;
    const char* mac;
  };
  std::string counted;
  for (char c = 1; c <= 25; ++c) counted += c;
  const Row rows[] = {
      {std::string(20, '\x0b'), "Hi There", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"},
      {"Jefe", "what do ya want for nothing?", "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"},
      {std::string(20, '\xaa'), std::string(50, '\xdd'),
       "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"},
      {counted, std::string(50, '\xcd'), "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"},
      {std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First",
       "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"},
  };
  for (const Row& row : rows) EXPECT_EQ(to_hex(hmac_sha256(row.key, row.data)), row.mac);
}

TEST(EqualInConstantTime, IsEquality) {
  EXPECT_TRUE(equal_in_constant_time("", ""));
  EXPECT_TRUE(equal_in_constant_time("abc", "abc"));
  EXPECT_FALSE(equal_in_constant_time("abc", "abd"));
  EXPECT_FALSE(equal_in_constant_time("abc", "ab"));
  EXPECT_FALSE(equal_in_constant_time("", "a"));
}

TEST(RandomBytes, AreAsManyAsAskedForAndDiffer) {
  EXPECT_EQ(random_bytes(0), "");
  EXPECT_EQ(random_bytes(32).size(), 32u);
  EXPECT_NE(random_bytes(32), random_bytes(32));
  EXPECT_EQ(random_hex(16).size(), 32u);
}

}  // namespace
}  // namespace finality
