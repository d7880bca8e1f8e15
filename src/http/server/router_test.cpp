#include "http/server/router.h"

#include <gtest/gtest.h>

namespace finality::http {
namespace {

Router small_router() {
  Router router;
  for (const auto& [method, pattern] :
       std::initializer_list<std::pair<const char*, const char*>>{{"GET", "/v1/orders"},
                                                                  {"POST", "/v1/orders"},
                                                                  {"GET", "/v1/orders/{id}"},
                                                                  {"POST", "/v1/orders/search"},
                                                                  {"POST", "/v1/orders/{id}/close"},
                                                                  {"POST", "/notify/{channel}/{merchant}"}})
    router.add({method, pattern, Access::open, Role::viewer, nullptr});
  return router;
}

TEST(Router, FindsTheRouteAndItsParameters) {
  const Router router = small_router();
  EXPECT_EQ(router.match("POST", "/v1/orders").route->pattern, "/v1/orders");
  const Match close = router.match("POST", "/v1/orders/ord_1/close");
  EXPECT_EQ(close.route->pattern, "/v1/orders/{id}/close");
  EXPECT_EQ(close.parameters[0], "ord_1");
  const Match notify = router.match("POST", "/notify/sandbox/mer_1");
  EXPECT_EQ(notify.parameters[0], "sandbox");
  EXPECT_EQ(notify.parameters[1], "mer_1");
}

TEST(Router, ServesHeadWithTheRouteForGet) {
  EXPECT_EQ(small_router().match("HEAD", "/v1/orders").route->method, "GET");
  EXPECT_EQ(small_router().match("HEAD", "/v1/orders/ord_1/close").route, nullptr);
}

TEST(Router, ReturnsTheAllowedMethodsOfAPath) {
  const Match match = small_router().match("PUT", "/v1/orders");
  EXPECT_EQ(match.route, nullptr);
  EXPECT_EQ(match.allow, "GET, HEAD, POST");
  EXPECT_EQ(small_router().match("GET", "/v1/orders/ord_1/close").allow, "POST");
}

TEST(Router, PrefersALiteralSegmentOverAPlaceholder) {
  EXPECT_EQ(small_router().match("POST", "/v1/orders/search").route->pattern, "/v1/orders/search");
  const Match match = small_router().match("GET", "/v1/orders/search");
  EXPECT_EQ(match.route, nullptr);
  EXPECT_EQ(match.allow, "POST");
}

TEST(Router, MatchesNoOtherPath) {
  const Router router = small_router();
  for (const char* path : {"", "/", "*", "/v1", "/v1/", "/v1/orders/", "//v1/orders", "/v1/orders//close", "/v1/order",
                           "/v1/orders/a/b/c/d/e/f/g/h/i", "v1/orders", "/v1/orders%2f", "/notify/sandbox/"}) {
    const Match match = router.match("GET", path);
    EXPECT_EQ(match.route, nullptr) << path;
    EXPECT_EQ(match.allow, "") << path;
  }
}

}  // namespace
}  // namespace finality::http
