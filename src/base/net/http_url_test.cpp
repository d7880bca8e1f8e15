#include "base/net/http_url.h"

#include <gtest/gtest.h>

namespace finality::net {
namespace {

TEST(NormalizedUrl, IsEqualForSpellingsWithoutADifference) {
  const auto normal = [](const char* text) { return normalized(*parse_http_url(text)); };
  for (const char* same : {"https://shop.example/", "https://SHOP.example", "HTTPS://shop.example:443/"})
    EXPECT_EQ(normal(same), "https://shop.example/") << same;
  EXPECT_EQ(normal("http://shop.example:80/Hook?A=1"), "http://shop.example/Hook?A=1");
  EXPECT_EQ(normal("http://shop.example:443/"), "http://shop.example:443/");
  EXPECT_EQ(normal("http://[2001:DB8::1]:8080"), "http://[2001:db8::1]:8080/");
}

}  // namespace
}  // namespace finality::net
