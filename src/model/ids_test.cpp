#include "model/ids.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <limits>
#include <set>

namespace finality {
namespace {

TEST(Id, EveryTypeHasItsOwnPrefix) {
  std::set<std::string_view> prefixes;
  for (std::size_t i = 0; i < kCount<ObjectType>; ++i)
    EXPECT_TRUE(prefixes.insert(prefix_of(static_cast<ObjectType>(i))).second);
}

TEST(Id, TextIsParsedOnlyAsItsOwnType) {
  EXPECT_TRUE(rc::check([] {
    const OrderId id{*rc::gen::inRange<std::int64_t>(1, std::numeric_limits<std::int64_t>::max())};
    RC_ASSERT(parse_id<OrderId>(to_text(id)) == id);
    RC_ASSERT(!parse_id<PaymentId>(to_text(id)));
    RC_ASSERT(parse_ref(to_text(id)) == ObjectRef(id));
  }));
}

// Prefixes are part of stored references and of the API: they never change.
TEST(Id, PrefixesOfAuthorizationsAndCapturesAreStable) {
  EXPECT_EQ(prefix_of(ObjectType::authorization), "auth");
  EXPECT_EQ(prefix_of(ObjectType::capture), "cap");
  const AuthorizationId id{7};
  EXPECT_EQ(parse_id<AuthorizationId>(to_text(id)), id);
  EXPECT_FALSE(parse_id<CaptureId>(to_text(id)));
}

TEST(Id, InvalidTextIsRejected) {
  for (const char* text : {"", "ord", "ord_", "_0000000000001", "ord_1", "xyz_0000000000001", "ORD_0000000000001",
                           "ord_000000000000u", "ord-0000000000001", "ord_0000000000001 "})
    EXPECT_FALSE(parse_ref(text).has_value()) << text;
}

}  // namespace
}  // namespace finality
