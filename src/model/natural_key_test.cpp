#include "model/natural_key.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <set>
#include <vector>

#include "base/encoding.h"

namespace finality {
namespace {

constexpr MerchantId kMerchant{7};

std::string hex_of(const Hash16& hash) { return to_hex({reinterpret_cast<const char*>(hash.data()), hash.size()}); }

// Stores are full of them. Computed from the layout by another program.
TEST(NaturalKey, IsKeptUnderTheseBytes) {
  EXPECT_EQ(hex_of(key_of_order_no(kMerchant, "20261122140411483920")), "a3578921838ea4f42c3c1422f75c9710");
  EXPECT_EQ(hex_of(key_of_order_no(kMerchant, "A-1")), "d597fb921fe334cac9c100000000b002");
  EXPECT_EQ(hex_of(key_of_receipt(kMerchant, "alipay", "0akta7x4r007q")), "b38208a010400f12efb223d177041236");
  EXPECT_EQ(hex_of(key_of_price(kMerchant, "Tea (große Kanne)")), "a171447a0138f5383ac3000000000000");
}

// Neighbours: they have one beginning, so nobody else's key comes between two of them.
TEST(NaturalKey, LeavesWhatFollowsEachOtherSideBySide) {
  using Names = std::vector<std::string>;
  const Names counters{"7", "8", "9"};
  const Names counters_of_a_shop{"shop-000998", "shop-000999", "shop-001000"};
  const Names time_and_random{"20261122140411483920", "20261122140411920001", "20261122140412000017"};
  const Names snowflakes{"1859812340027392000", "1859812340031586304", "1859812344225890304"};
  const Names our_own_ids{"0akta7x4r007q", "0akta7x4r007r", "0akta7x4r0080"};
  for (const Names& names : {counters, counters_of_a_shop, time_and_random, snowflakes, our_own_ids}) {
    SCOPED_TRACE(names.front());
    std::vector<Hash16> keys;
    for (const std::string& name : names) keys.push_back(key_of_order_no(kMerchant, name));
    EXPECT_TRUE(std::ranges::is_sorted(keys));
    for (const Hash16& key : keys) EXPECT_TRUE(std::equal(key.begin(), key.begin() + 10, keys.front().begin()));
  }
}

TEST(NaturalKey, DiffersByMerchantKindAndEveryPart) {
  const std::set<Hash16> keys = {
      hash_of_key(MerchantId{1}, "a", {"b", "c"}),
      hash_of_key(MerchantId{2}, "a", {"b", "c"}),
      hash_of_key(MerchantId{1}, "ab", {"c"}),
      hash_of_key(MerchantId{1}, "a", {"bc"}),
      hash_of_key(MerchantId{1}, "a", {"bc", ""}),
      hash_of_key(MerchantId{1}, "a", {"", "bc"}),
      hash_of_key(MerchantId{1}, "a", {"c", "b"}),
      hash_of_key(MerchantId{1}, "a",
                  {"b\x1f"
                   "1:c"}),
  };
  EXPECT_EQ(keys.size(), 8u);
}

TEST(NaturalKey, LiesElsewhereForAnotherMerchantAndAnotherKind) {
  const Hash16 key = key_of_order_no(kMerchant, "100001");
  for (const Hash16& other : {key_of_order_no(MerchantId{8}, "100001"), key_of_refund_no(kMerchant, "100001"),
                              key_of_receipt(kMerchant, "alipay", "100001")})
    EXPECT_FALSE(std::equal(key.begin(), key.begin() + 10, other.begin()));
}

// As numbers "038" and "--a" are the same, each in its alphabet.
TEST(NaturalKey, TellsApartWhatHasOnePlace) {
  const std::vector<std::string> names{"038", "--a", "", "a", "A", "0", "00", "-", "--", "支付", "支 ", "a b"};
  std::vector<Hash16> keys;
  for (const std::string& name : names) keys.push_back(key_of_order_no(kMerchant, name));
  std::ranges::sort(keys);
  EXPECT_EQ(std::ranges::adjacent_find(keys), keys.end());
}

TEST(NaturalKey, DiffersWhereTheNameDoes) {
  EXPECT_TRUE(rc::check([](const std::string& one, const std::string& other) {
    RC_PRE(one != other);
    RC_ASSERT(key_of_order_no(kMerchant, one) != key_of_order_no(kMerchant, other));
    RC_ASSERT(key_of_receipt(kMerchant, one, other) != key_of_receipt(kMerchant, other, one));
  }));
}

}  // namespace
}  // namespace finality
