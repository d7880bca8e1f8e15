// Tests of channel accounts with HTTP requests.
#include "http/testing/test_server.h"

namespace finality::http {
namespace {

class ChannelAccounts : public Server {
 protected:
  ChannelAccounts() {
    add(1, "alipay", "");
    add(2, "wechat-shop", to_text(kShop));
    add(3, "wechat-other", to_text(kOtherShop));
    add(4, "wechat-both", to_text(kOtherShop) + " " + to_text(kShop));
  }
  void add(std::int64_t number, const std::string& channel, const std::string& merchants,
           std::string_view kind = "any") {
    const ChannelAccountId id{number};
    store_.rows.channel_accounts[id] = {
        .id = id, .channel = channel, .kind = std::string(kind), .merchants = merchants};
  }
  /// Requests a list of channel accounts. Returns the names of their channels, with "…" if the list has more pages.
  std::string channels(const std::string& key, const std::string& query = "") {
    const auto list = boost::json::parse(fetch("GET", "/v1/channel_accounts" + query, key).body).as_object();
    std::string names;
    for (const auto& item : list.at("data").as_array())
      names += (names.empty() ? "" : " ") + std::string(item.as_object().at("channel").as_string());
    return names + (list.at("has_more").as_bool() ? " …" : "");
  }
  static std::string path(std::int64_t number) { return "/v1/channel_accounts/" + to_text(ChannelAccountId{number}); }
};

TEST_F(ChannelAccounts, ListAllForOperatorsAndUsableOnesForMerchants) {
  EXPECT_EQ(channels("op_viewer"), "wechat-both wechat-other wechat-shop alipay");
  EXPECT_EQ(channels("sk_shop"), "wechat-both wechat-shop alipay");
  EXPECT_EQ(channels("sk_shop", "?limit=1"), "wechat-both …");
  EXPECT_EQ(channels("sk_shop", "?starting_after=" + to_text(ChannelAccountId{4})), "wechat-shop alipay");
  EXPECT_EQ(fetch("GET", "/v1/channel_accounts?state=enabled").status, 400);
}

TEST_F(ChannelAccounts, ShowBankAccountsToOperatorsOnly) {
  add(5, "icbc", "", kBankKind);
  EXPECT_EQ(channels("op_viewer"), "icbc wechat-both wechat-other wechat-shop alipay");
  EXPECT_EQ(channels("sk_shop"), "wechat-both wechat-shop alipay");
  EXPECT_EQ(fetch("GET", path(5), "op_viewer").status, 200);
  EXPECT_EQ(fetch("GET", path(5)).status, 404);
}

TEST_F(ChannelAccounts, NameTheirMerchantsToOperatorsOnly) {
  const auto has_merchants = [&](const std::string& key) {
    const auto answer = fetch("GET", path(4), key);
    EXPECT_EQ(answer.status, 200) << answer.body;
    return boost::json::parse(answer.body).as_object().contains("merchants");
  };
  EXPECT_TRUE(has_merchants("op_viewer"));
  EXPECT_FALSE(has_merchants("sk_shop"));
}

TEST_F(ChannelAccounts, OfOtherMerchantsAreNotFound) {
  EXPECT_EQ(fetch("GET", path(3)).status, 404);
  EXPECT_EQ(fetch("GET", path(3), "op_viewer").status, 200);
  EXPECT_EQ(fetch("GET", path(99), "op_viewer").status, 404);
  EXPECT_EQ(fetch("GET", "/v1/channel_accounts/pay_0000000000001", "op_viewer").status, 404);
  EXPECT_EQ(fetch("GET", path(2), "").status, 401);
  EXPECT_EQ(fetch("POST", "/v1/channel_accounts", "op_admin", "{}").status, 405);
}

}  // namespace
}  // namespace finality::http
