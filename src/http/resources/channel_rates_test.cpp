// Tests of channel rates with HTTP requests.
#include "http/testing/test_server.h"
#include "model/natural_key.h"

namespace finality::http {
namespace {

namespace json = boost::json;

class ChannelRates : public Server {
 protected:
  static constexpr ChannelAccountId kAccount{3};

  ChannelRate& add(std::int64_t number, const std::string& from_date, std::optional<std::string> method = {},
                   ChannelAccountId account = kAccount) {
    const ChannelRateId id{number};
    return store_.rows.channel_rates[id] = {
               .id = id, .channel_account_id = account, .method = std::move(method), .from_date = from_date};
  }
  static std::string body_with(const std::string& fields, const std::string& from_date = "2026-07-01") {
    return R"({"channel_account":")" + to_text(kAccount) + R"(","from":")" + from_date + "\"," + fields + "}";
  }
  /// Sends a valid PUT request and returns the request that the engine received.
  Request submitted(const std::string& body, const std::string& key = "op_admin") {
    auto answer = send("PUT", "/v1/channel_rates", key, body);
    Request request = engine_.take();
    request.reply({.status = 200, .body = "{}"});
    answer.get();
    return request;
  }
  std::string mistake_in(const std::string& method, const std::string& target, const std::string& body = "") {
    const net::HttpResponse response = fetch(method, target, "op_admin", body);
    EXPECT_EQ(response.status, 400) << response.body;
    EXPECT_TRUE(engine_.empty()) << body;
    const json::object problem = json::parse(response.body).as_object();
    return problem.contains("param") ? std::string(problem.at("param").as_string()) : "";
  }
  /// Requests a list. Returns the numbers of the rates, with "…" if the list has more pages.
  std::string listed(const std::string& query = "") {
    const net::HttpResponse response = fetch("GET", "/v1/channel_rates" + query, "op_viewer");
    EXPECT_EQ(response.status, 200) << response.body;
    const json::object list = json::parse(response.body).as_object();
    std::string numbers;
    for (const auto& item : list.at("data").as_array()) {
      const auto id = parse_id<ChannelRateId>(std::string_view(item.as_object().at("id").as_string()));
      numbers += (numbers.empty() ? "" : " ") + std::to_string(id.value_or(ChannelRateId{}).value);
    }
    return numbers + (list.at("has_more").as_bool() ? " …" : "");
  }
};

TEST_F(ChannelRates, AreSetWithAllFields) {
  const Request request = submitted(
      body_with(R"("method":"native","currency":"CNY","basis_points":60,"fixed":1,"minimum":2,"maximum":500)"));
  EXPECT_FALSE(request.refuse_with);
  EXPECT_EQ(request.merchant_id, MerchantId{});
  const auto& rate = std::get<SetChannelRate>(request.command);
  EXPECT_EQ(rate.channel_account_id, kAccount);
  EXPECT_EQ(rate.method, "native");
  EXPECT_EQ(rate.currency, parse_currency("CNY"));
  EXPECT_EQ(rate.basis_points, 60);
  EXPECT_EQ(rate.fixed, 1);
  EXPECT_EQ(rate.minimum, 2);
  EXPECT_EQ(rate.maximum, 500);
  EXPECT_EQ(rate.from_date, "2026-07-01");
}

TEST_F(ChannelRates, ApplyToAllMethodsAndCurrenciesByDefault) {
  const Request request = submitted(body_with(R"("basis_points":60)"));
  const auto& rate = std::get<SetChannelRate>(request.command);
  EXPECT_FALSE(rate.method || rate.currency || rate.minimum || rate.maximum);
  EXPECT_EQ(rate.fixed, 0);
}

TEST_F(ChannelRates, AreSetByAdminsOnly) {
  for (const auto& [key, allowed] :
       {std::pair("op_admin", true), {"op_operator", false}, {"op_viewer", false}, {"sk_shop", false}})
    EXPECT_EQ(!submitted(body_with(R"("basis_points":60)"), key).refuse_with, allowed) << key;
}

TEST_F(ChannelRates, AreInvisibleToMerchants) {
  add(1, "2026-07-01");
  for (const std::string target : {"/v1/channel_rates", "/v1/channel_rates/crt_0000000000001"}) {
    EXPECT_EQ(code_of(fetch("GET", target)), "forbidden");
    EXPECT_EQ(fetch("GET", target, "op_viewer").status, 200);
    EXPECT_EQ(fetch("GET", target, "").status, 401);
  }
  EXPECT_EQ(fetch("GET", "/v1/channel_rates/crt_0000000000002", "op_viewer").status, 404);
  EXPECT_EQ(fetch("GET", "/v1/channel_rates/pay_0000000000001", "op_viewer").status, 404);
}

TEST_F(ChannelRates, WithInvalidFieldsAreRefused) {
  const std::pair<std::string, std::string> mistakes[] = {
      {R"({"from":"2026-07-01","basis_points":60})", "channel_account"},
      {R"({"channel_account":"pay_0000000000001","from":"2026-07-01","basis_points":60})", "channel_account"},
      {body_with(R"("basis_points":60,"method":"")"), "method"},
      {body_with(R"("basis_points":60,"currency":"ZZZ")"), "currency"},
      {body_with(R"("basis_points":60,"currency":null)"), "currency"},
      {body_with(R"("fixed":1)"), "basis_points"},
      {body_with(R"("basis_points":10001)"), "basis_points"},
      {body_with(R"("basis_points":60,"fixed":-1)"), "fixed"},
      {body_with(R"("basis_points":60,"minimum":-1)"), "minimum"},
      {body_with(R"("basis_points":60,"maximum":"1")"), "maximum"},
      {body_with(R"("basis_points":60,"minimum":2,"maximum":1)"), "minimum"},
      {body_with(R"("basis_points":60)", "2026-02-30"), "from"},
      {body_with(R"("basis_points":60)", "2026-7-1"), "from"},
      {body_with(R"("basis_points":60,"refundable":true)"), "refundable"},
  };
  for (const auto& [body, param] : mistakes) EXPECT_EQ(mistake_in("PUT", "/v1/channel_rates", body), param) << body;
  EXPECT_EQ(mistake_in("GET", "/v1/channel_rates?date=2026-02-30"), "date");
  EXPECT_EQ(mistake_in("GET", "/v1/channel_rates?channel_account=sandbox"), "channel_account");
  EXPECT_EQ(mistake_in("GET", "/v1/channel_rates?state=enabled"), "state");
}

TEST_F(ChannelRates, AreListedNewestFirst) {
  for (std::int64_t number = 1; number <= 3; ++number) add(number, "2026-0" + std::to_string(number) + "-01");
  add(4, "2026-01-01", {}, ChannelAccountId{9});
  EXPECT_EQ(listed(), "4 3 2 1");
  EXPECT_EQ(listed("?limit=2"), "4 3 …");
  EXPECT_EQ(listed("?starting_after=" + to_text(ChannelRateId{3})), "2 1");
  EXPECT_EQ(listed("?channel_account=" + to_text(kAccount)), "3 2 1");
}

TEST_F(ChannelRates, OnADateAreTheLatestOfEachAccountMethodAndCurrency) {
  add(1, "2026-03-01");
  add(2, "2026-01-01");  // set later for an earlier day
  add(3, "2026-02-01", "native");
  add(4, "2026-02-01").currency = parse_currency("USD");
  add(5, "2026-01-15", {}, ChannelAccountId{9});
  const std::pair<const char*, const char*> rows[] = {{"2025-12-31", ""},        {"2026-01-01", "2"},
                                                      {"2026-01-31", "5 2"},     {"2026-02-01", "5 4 3 2"},
                                                      {"2026-03-01", "5 4 3 1"}, {"2027-01-01", "5 4 3 1"}};
  for (const auto& [date, numbers] : rows) EXPECT_EQ(listed(std::string("?date=") + date), numbers) << date;
}

TEST_F(ChannelRates, AboveTheLimitCanOnlyBeReplaced) {
  for (std::size_t i = 1; i <= limits::kChannelRatesMax; ++i) add(static_cast<std::int64_t>(i), "2026-07-01");
  const std::string body = body_with(R"("basis_points":60)");
  const Request refused = submitted(body);
  ASSERT_TRUE(refused.refuse_with);
  EXPECT_EQ(refused.refuse_with->code, RefusalCode::invalid_request);
  store_.rows.keys[key_of_channel_rate(kAccount, {}, {}, "2026-07-01")] = 1;
  EXPECT_FALSE(submitted(body).refuse_with);
}

}  // namespace
}  // namespace finality::http
