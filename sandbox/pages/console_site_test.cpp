#include "sandbox/pages/console_site.h"

#include "sandbox/testing/test_world.h"

namespace finality::sandbox {
namespace {

class ConsoleSiteTest : public TestWorld {
 protected:
  // Creates an authorization and returns its auth_no. `decision`: pay or decline.
  std::string authorization(const std::string& decision = "pay") {
    boost::json::object body = order("order-1");
    body.erase("out_trade_no");
    body["out_order_no"] = "order-1";
    const SandboxReply made = call("POST", "/sandbox/authorizations", boost::json::serialize(body));
    const std::string auth_no(made.json.at("authorization").at("auth_no").as_string());
    EXPECT_EQ(visit("POST", "/wallet/" + auth_no + "/" + decision).status, 200);
    return auth_no;
  }

  SandboxReply act(const std::string& auth_no, const std::string& action) {
    return visit("POST", "/console/" + auth_no + "/" + action);
  }
};

TEST_F(ConsoleSiteTest, LapsesAHold) {
  const std::string auth_no = authorization();
  const SandboxReply lapsed = act(auth_no, "lapse");
  EXPECT_EQ(lapsed.status, 200);
  EXPECT_EQ(lapsed.json.at("authorization").at("ended_by"), "lapsed");
  EXPECT_EQ(lapsed.json.at("authorization").at("released").as_int64(), 1234);
  EXPECT_EQ(act(auth_no, "lapse").text("code"), "not_held");
  EXPECT_EQ(boost::json::parse(receiver_.wait_for(2)[1].body).at("authorization").at("state"), "ended");
}

TEST_F(ConsoleSiteTest, CapturesAndReleasesAPartAndThenTheRest) {
  const std::string auth_no = authorization();
  EXPECT_EQ(act(auth_no, "capture?amount=34").json.at("authorization").at("captured").as_int64(), 34);
  EXPECT_EQ(act(auth_no, "release?amount=200").json.at("authorization").at("released").as_int64(), 200);
  EXPECT_EQ(act(auth_no, "release?amount=1001").status, 409);
  const SandboxReply rest = act(auth_no, "capture");
  EXPECT_EQ(rest.json.at("authorization").at("captured").as_int64(), 1034);
  EXPECT_EQ(rest.json.at("authorization").at("ended_by"), "captured");
  EXPECT_EQ(rest.json.at("authorization").at("captures").as_array().size(), 2u);
  EXPECT_EQ(act(auth_no, "capture").status, 409) << "nothing is held";
  EXPECT_EQ(act(auth_no, "capture?amount=5").status, 200) << "an amount is captured even then";
  for (const auto& received : receiver_.wait_for(5))
    EXPECT_EQ(boost::json::parse(received.body).at("type"), "authorization");
}

TEST_F(ConsoleSiteTest, RefusesUnknownActionsNumbersAndAmounts) {
  const std::string auth_no = authorization("decline");
  EXPECT_EQ(act(auth_no, "capture?amount=5").text("code"), "not_held");
  EXPECT_EQ(act("sba0", "lapse").text("code"), "authorization_not_exist");
  EXPECT_EQ(act(auth_no, "reopen").status, 404);
  EXPECT_EQ(visit("GET", "/console/" + auth_no + "/lapse").status, 405);
  for (const char* amount : {"0", "-1", "x", "1.5"})
    EXPECT_EQ(act(auth_no, std::string("capture?amount=") + amount).text("param"), "amount");
}

TEST_F(ConsoleSiteTest, ThePayerSeesTheAuthorization) {
  const std::string auth_no = authorization();
  const SandboxReply page = visit("GET", "/wallet/" + auth_no, "text/html");
  EXPECT_EQ(page.status, 200);
  for (const char* part : {">held<", "12.34 CNY", "Reservation for"})
    EXPECT_NE(page.response.body.find(part), std::string::npos) << part;
  EXPECT_EQ(page.response.body.find("id=\"pay\""), std::string::npos);
  const SandboxReply again = visit("POST", "/wallet/" + auth_no + "/decline");
  EXPECT_EQ(again.status, 409);
  EXPECT_EQ(again.text("code"), "authorization_not_waiting");
}

}  // namespace
}  // namespace finality::sandbox
