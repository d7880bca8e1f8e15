#include "channel/parsing/web_url.h"

#include <gtest/gtest.h>

namespace finality {
namespace {

TEST(WebUrl, IsSplitIntoItsParts) {
  const auto url = parse_web_url("https://pay.example:8443/v3/file?token=a%20b");
  ASSERT_TRUE(url);
  EXPECT_TRUE(url->tls);
  EXPECT_EQ(url->authority, "pay.example:8443");
  EXPECT_EQ(url->target, "/v3/file?token=a%20b");
  EXPECT_TRUE(url->has_query());
}

TEST(WebUrl, AnEmptyPathBecomesTheRoot) {
  EXPECT_EQ(parse_web_url("http://[::1]:80")->target, "/");
  EXPECT_EQ(parse_web_url("http://a?b=1")->target, "/?b=1");
  EXPECT_FALSE(parse_web_url("http://a")->tls);
}

TEST(WebUrl, OtherTextIsRejected) {
  for (const char* text :
       {"", "a", "//a", "ftp://a", "http://", "http:///v3", "http://u:p@a/", "http://a/#b", "http://a/ b",
        "http://a/\n", "http://a/\xc3\xa4", "http://a b/", "javascript:alert(1)", "HTTP://a"})
    EXPECT_FALSE(parse_web_url(text)) << text;
  EXPECT_FALSE(parse_web_url("http://a/" + std::string(2048, 'b')));
}

}  // namespace
}  // namespace finality
