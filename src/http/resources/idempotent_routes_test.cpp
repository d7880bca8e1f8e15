// Tests of the Idempotency-Key of every POST route: the routes come from the route table, so that a new route fails
// these tests until its request is added here.
#include <map>
#include <string>
#include <utility>

#include "base/time/date.h"
#include "http/testing/test_server.h"

namespace finality::http {
namespace {

constexpr ChannelAccountId kBooks{5};
constexpr auto kOneDay = std::chrono::hours(24);

/// A format of statements that accepts uploads and downloads. The tests parse no file.
class AnyStatements final : public Statements {
 public:
  const StatementPlan& statement_plan() const override { return plan_; }
  Result<UpstreamRequest> request_of(const StatementCall&, Time) const override { return fail("not here"); }
  Result<StatementAnswer> statement_answer_of(const StatementCall&, const UpstreamResponse&, Time) const override {
    return fail("not here");
  }
  Result<std::string> file_of(const StatementLink&, const UpstreamResponse&, ParseBudget&) const override {
    return fail("not here");
  }
  Result<std::vector<StatementSums>> parse(const StatementCall&, std::string_view, ParseBudget&,
                                           const LineSink&) const override {
    return fail("not here");
  }

 private:
  static constexpr StatementKind kKinds[] = {StatementKind::trades};
  StatementPlan plan_{.kinds = kKinds};
};

/// The valid request of a route that requires fields or query parameters.
struct ValidRequest {
  std::string body{};
  std::string query{};
};

std::string day_before(int days) { return date_of(kNow - days * kOneDay, std::chrono::minutes(0)); }

std::string upload_query(int days_ago) {
  return "?channel_account=" + to_text(kBooks) + "&kind=trades&date=" + day_before(days_ago);
}

// A route without an entry has no required fields.
std::map<std::string, ValidRequest> requests_by_route() {
  const std::string account = to_text(AccountId{1});
  const std::string other = to_text(AccountId{2});
  return {
      {"/v1/orders", {R"({"merchant_order_no":"A-1","amount":100,"currency":"CNY","subject":"Tea"})"}},
      {"/v1/orders/{id}/payments", {R"({"channel":"sandbox"})"}},
      {"/v1/orders/{id}/authorizations", {R"({"channel":"sandbox"})"}},
      {"/v1/authorizations/{id}/captures", {R"({"merchant_capture_no":"C-1"})"}},
      {"/v1/refunds", {R"({"payment":")" + to_text(PaymentId{1}) + R"(","merchant_refund_no":"R-1"})"}},
      {"/v1/accounts", {R"({"name":"Ann","kind":"wallet","currency":"CNY"})"}},
      {"/v1/accounts/{id}/lock", {R"({"owner":"till","ttl":10})"}},
      {"/v1/accounts/{id}/unlock", {R"({"token":"t"})"}},
      {"/v1/transfers",
       {R"({"debit_account":")" + account + R"(","credit_account":")" + other +
        R"(","amount":1,"currency":"CNY","reference":"T-1"})"}},
      {"/v1/transfers/reverse", {R"({"reference":"T-1"})"}},
      {"/v1/holds",
       {R"({"account":")" + account + R"(","credit_account":")" + other +
        R"(","amount":1,"currency":"CNY","reference":"H-1","expires_in":60})"}},
      {"/v1/cases/{id}/propose", {R"({"resolution":"keep","note":"checked"})"}},
      {"/v1/cases/{id}/approve", {R"({"version":2})"}},
      {"/v1/adjustments/{id}/approve", {R"({"version":1})"}},
      {"/v1/statements", {"a file", upload_query(1)}},
      {"/v1/statements/fetch",
       {R"({"channel_account":")" + to_text(kBooks) + R"(","kind":"trades","date":")" + day_before(1) + R"("})"}},
      {"/v1/adjustments", {R"({"type":"penalty","channel":"sandbox","currency":"CNY","amount":1,"note":"late"})"}},
      {"/v1/webhook_endpoints", {R"({"url":"https://shop.example/hook"})"}},
      {"/v1/merchants", {R"({"name":"Shop"})"}},
      {"/v1/api_keys", {R"({"role":"viewer","name":"night"})"}},
  };
}

class IdempotentRoutes : public Server {
 protected:
  IdempotentRoutes()
      : Server({}, [this](Services& services) {
          services.statement_key = Secret(std::string(32, 'k'));
          services.statement_sources["sandbox"] = &statements_;
        }) {
    ChannelAccount account;
    account.id = kBooks;
    account.channel = "sandbox";
    store_.rows.channel_accounts[kBooks] = account;
  }

  /// Returns the Idempotency-Key and fingerprint with which the request reaches the engine; empty, with a failure, if
  /// the server refuses the request before.
  std::optional<Idempotency> sent(const HttpRoute& route, const std::string& id, const ValidRequest& request) {
    std::string path = route.pattern;
    if (const std::size_t at = path.find("{id}"); at != std::string::npos) path.replace(at, 4, id);
    const bool names_merchant = route.access == Access::merchant || route.access == Access::operators;
    net::Headers headers = names_merchant ? naming(kShop) : net::Headers();
    headers.add("Idempotency-Key", "k");
    auto response = send("POST", path + request.query, "op_admin", request.body, std::move(headers));
    while (engine_.empty()) {
      if (response.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready) continue;
      ADD_FAILURE() << "POST " << path << request.query << " was refused: " << response.get().body
                    << "\nAdd a valid request of a new route to requests_by_route().";
      return std::nullopt;
    }
    Request taken = engine_.take();
    taken.reply({.status = 200, .body = "{}"});
    response.get();
    if (!taken.idempotency) ADD_FAILURE() << "POST " << path << " ignores the Idempotency-Key";
    clock_.advance(std::chrono::seconds(2));  // payments can be queried once per second
    return taken.idempotency;
  }

  void check(const HttpRoute& route, const ValidRequest& request) {
    const auto first = sent(route, "ord_0000000000034", request);
    const auto again = sent(route, "ord_0000000000034", request);
    if (!first || !again) return;
    EXPECT_EQ(first->key_hash, again->key_hash);
    EXPECT_TRUE(again->matches(first->fingerprint)) << "a repeated request gets the first reply";

    ValidRequest other = request;
    other.body = other.body.empty() ? "{}" : other.body + " ";
    expect_reused(*first, sent(route, "ord_0000000000034", other), "another body");
    if (route.reads_query) {
      other = request;
      other.query = upload_query(2);
      expect_reused(*first, sent(route, "ord_0000000000034", other), "another query");
    }

    if (!route.pattern.contains("{id}")) return;
    const auto elsewhere = sent(route, "ord_0000000000035", request);
    ASSERT_TRUE(elsewhere);
    EXPECT_NE(elsewhere->key_hash, first->key_hash) << "another path is another scope of keys";
    EXPECT_FALSE(elsewhere->matches(first->fingerprint));
  }

  static void expect_reused(const Idempotency& first, const std::optional<Idempotency>& other,
                            std::string_view difference) {
    ASSERT_TRUE(other);
    EXPECT_EQ(other->key_hash, first.key_hash) << difference;
    EXPECT_FALSE(other->matches(first.fingerprint)) << difference << " must be refused, not replayed";
  }

  AnyStatements statements_;
};

TEST_F(IdempotentRoutes, EveryPostRouteDistinguishesItsRequests) {
  const std::map<std::string, ValidRequest> requests = requests_by_route();
  int checked = 0;
  for (const HttpRoute* route : server_->routes()) {
    if (route->method != "POST" || route->access == Access::open) continue;
    SCOPED_TRACE(route->pattern);
    const auto found = requests.find(route->pattern);
    check(*route, found == requests.end() ? ValidRequest{} : found->second);
    ++checked;
  }
  EXPECT_GE(checked, 25);
}

TEST_F(IdempotentRoutes, OpenRoutesAreThoseOfChannelsAndPayers) {
  for (const HttpRoute* route : server_->routes()) {
    if (route->access != Access::open || route->method == "GET") continue;
    EXPECT_TRUE(route->pattern.starts_with("/notify/") || route->pattern == "/checkout/{token}") << route->pattern;
  }
}

}  // namespace
}  // namespace finality::http
