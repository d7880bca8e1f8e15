// Tests of adjustments over HTTP: commands, refusals, roles, responses.
#include "http/testing/test_server.h"

namespace finality::http {
namespace {

namespace json = boost::json;

constexpr AdjustmentId kProposed{10};
constexpr AdjustmentId kForeign{11};
constexpr AdjustmentId kPosted{12};

class Adjustments : public Server {
 protected:
  Adjustments() {
    add(kProposed, kShop, AdjustmentState::proposed);
    add(kForeign, kOtherShop, AdjustmentState::proposed);
    add(kPosted, kShop, AdjustmentState::posted);
  }
  void add(AdjustmentId id, MerchantId merchant, AdjustmentState state) {
    store_.rows.adjustments[id] = {.id = id,
                                   .merchant_id = merchant,
                                   .type = AdjustmentType::penalty,
                                   .account = AccountKind::channel_receivable,
                                   .channel = "sandbox",
                                   .currency = *parse_currency("CNY"),
                                   .amount = 500,
                                   .state = state};
  }
  static std::string path(AdjustmentId id, const std::string& verb = "") {
    return "/v1/adjustments/" + to_text(id) + verb;
  }

  /// Sends the request and returns the request that the server submits to the engine for it.
  Request submitted(const std::string& target, const std::string& body = "", const std::string& key = "op_admin") {
    auto answer = send("POST", target, key, body, naming(kShop));
    Request request = engine_.take();
    request.reply({.status = 200, .body = "{}"});
    answer.get();
    return request;
  }
  ProposeAdjustment proposed(const std::string& body) {
    const Request request = submitted("/v1/adjustments", body);
    EXPECT_FALSE(request.refuse_with) << body;
    return std::get<ProposeAdjustment>(request.command);
  }
  /// Sends an invalid request and returns the `param` of its refusal.
  std::string mistake_in(const std::string& target, const std::string& body) {
    const net::HttpResponse response = fetch("POST", target, "op_admin", body, naming(kShop));
    EXPECT_EQ(response.status, 400) << body << response.body;
    EXPECT_TRUE(engine_.empty()) << body;
    const json::object problem = json::parse(response.body).as_object();
    return problem.contains("param") ? std::string(problem.at("param").as_string()) : "";
  }
};

TEST_F(Adjustments, AreProposedWithTheKeyOfTheOperator) {
  const ProposeAdjustment opening =
      proposed(R"({"type":"opening_balance","account":"bank","currency":"CNY","amount":-5,"note":"old system"})");
  EXPECT_EQ(opening.merchant_id, kShop);
  EXPECT_EQ(opening.type, AdjustmentType::opening_balance);
  EXPECT_EQ(opening.account, AccountKind::bank);
  EXPECT_EQ(opening.channel, "");
  EXPECT_EQ(opening.amount, -5);
  EXPECT_EQ(opening.note, "old system");
  const ProposeAdjustment named = proposed(
      R"({"type":"opening_balance","account":"bank","channel":"icbc","currency":"CNY","amount":-5,"note":"x"})");
  EXPECT_EQ(named.channel, "icbc");
  EXPECT_TRUE(opening.proposed_by.starts_with("key_"));
  const ProposeAdjustment rounding =
      proposed(R"({"type":"rounding","channel":"sandbox","currency":"CNY","amount":-1,"note":"May"})");
  EXPECT_EQ(rounding.account, AccountKind::channel_receivable);
  EXPECT_EQ(rounding.channel, "sandbox");
  EXPECT_EQ(rounding.amount, -1);
}

TEST_F(Adjustments, RefuseAnInvalidField) {
  const std::pair<std::string, std::string> mistakes[] = {
      {R"({"account":"bank","currency":"CNY","amount":5,"note":"x"})", "type"},
      {R"({"type":"gift","account":"bank","currency":"CNY","amount":5,"note":"x"})", "type"},
      {R"({"type":"opening_balance","currency":"CNY","amount":5,"note":"x"})", "account"},
      {R"({"type":"opening_balance","account":"loss","currency":"CNY","amount":5,"note":"x"})", "account"},
      {R"({"type":"penalty","account":"bank","channel":"sandbox","currency":"CNY","amount":5,"note":"x"})", "account"},
      {R"({"type":"opening_balance","account":"bank","channel":"","currency":"CNY","amount":5,"note":"x"})", "channel"},
      {R"({"type":"opening_balance","account":"merchant_direct","channel":"icbc","currency":"CNY","amount":5,"note":"x"})",
       "channel"},
      {R"({"type":"opening_balance","account":"channel_receivable","currency":"CNY","amount":5,"note":"x"})",
       "channel"},
      {R"({"type":"penalty","currency":"CNY","amount":5,"note":"x"})", "channel"},
      {R"({"type":"penalty","channel":"sandbox","amount":5,"note":"x"})", "currency"},
      {R"({"type":"penalty","channel":"sandbox","currency":"CNY","note":"x"})", "amount"},
      {R"({"type":"penalty","channel":"sandbox","currency":"CNY","amount":-5,"note":"x"})", "amount"},
      {R"({"type":"rounding","channel":"sandbox","currency":"CNY","amount":0,"note":"x"})", "amount"},
      {R"({"type":"rounding","channel":"sandbox","currency":"CNY","amount":-1000000000000001,"note":"x"})", "amount"},
      {R"({"type":"penalty","channel":"sandbox","currency":"CNY","amount":5})", "note"},
      {R"({"type":"penalty","channel":"sandbox","currency":"CNY","amount":5,"note":")" + std::string(2001, 'x') + "\"}",
       "note"},
      {R"({"type":"penalty","channel":"sandbox","currency":"CNY","amount":5,"note":"x","why":"x"})", "why"},
  };
  for (const auto& [body, param] : mistakes) EXPECT_EQ(mistake_in("/v1/adjustments", body), param) << body;
  EXPECT_EQ(mistake_in(path(kProposed, "/approve"), R"({"version":1,"why":"x"})"), "why");
  for (const char* body : {"", "{}", R"({"version":0})"})
    EXPECT_EQ(mistake_in(path(kProposed, "/approve"), body), "version") << body;
  EXPECT_EQ(mistake_in(path(kProposed, "/reject"), R"({"why":"x"})"), "why");
}

TEST_F(Adjustments, AreDecidedWithTheirPosting) {
  for (const auto& [verb, event] :
       {std::pair("/approve", AdjustmentEvent::approve), {"/reject", AdjustmentEvent::reject}}) {
    const bool approves = event == AdjustmentEvent::approve;
    const std::string body = approves ? R"({"version":1})" : "";
    const auto command = std::get<DecideAdjustment>(submitted(path(kProposed, verb), body).command);
    EXPECT_EQ(command.version, approves ? 1 : 0);
    EXPECT_EQ(command.adjustment_id, kProposed);
    EXPECT_EQ(command.event, event);
    EXPECT_EQ(command.type, AdjustmentType::penalty);
    EXPECT_EQ(command.channel, "sandbox");
    EXPECT_EQ(command.amount, 500);
    EXPECT_TRUE(command.decided_by.starts_with("key_"));
    for (const AdjustmentId missing : {kForeign, AdjustmentId{99}})
      EXPECT_FALSE(std::get<DecideAdjustment>(submitted(path(missing, verb), body).command).adjustment_id);
  }
}

TEST_F(Adjustments, AreMadeByOperatorsOnlyAndApprovedByApprovers) {
  const std::string body = R"({"type":"penalty","channel":"sandbox","currency":"CNY","amount":5,"note":"x"})";
  struct Right {
    std::string key;
    bool may_propose;
    bool may_approve;
  };
  for (const auto& [key, may_propose, may_approve] : {Right{"sk_shop", false, false},
                                                      {"op_viewer", false, false},
                                                      {"op_operator", true, false},
                                                      {"op_admin", true, true}}) {
    EXPECT_EQ(!submitted("/v1/adjustments", body, key).refuse_with, may_propose) << key;
    EXPECT_EQ(!submitted(path(kProposed, "/reject"), "", key).refuse_with, may_propose) << key;
    EXPECT_EQ(!submitted(path(kProposed, "/approve"), R"({"version":1})", key).refuse_with, may_approve) << key;
  }
}

TEST_F(Adjustments, AreShownToTheirMerchantAndToOperators) {
  for (const std::string key : {"sk_shop", "op_viewer"}) {
    const auto ids = [&](const std::string& query) {
      std::string found;
      const auto list = json::parse(fetch("GET", "/v1/adjustments" + query, key, "", naming(kShop)).body).as_object();
      for (const json::value& item : list.at("data").as_array())
        found += std::string(item.as_object().at("id").as_string()) + " ";
      return found;
    };
    EXPECT_EQ(ids(""), to_text(kPosted) + " " + to_text(kProposed) + " ");
    EXPECT_EQ(ids("?state=posted"), to_text(kPosted) + " ");
    EXPECT_EQ(fetch("GET", path(kProposed), key, "", naming(kShop)).status, 200);
    EXPECT_EQ(fetch("GET", path(kForeign), key, "", naming(kShop)).status, 404);
    EXPECT_EQ(fetch("GET", "/v1/events?object=" + to_text(kProposed), key, "", naming(kShop)).status, 200);
    EXPECT_EQ(fetch("GET", "/v1/adjustments?state=open", key, "", naming(kShop)).status, 400);
  }
}

}  // namespace
}  // namespace finality::http
