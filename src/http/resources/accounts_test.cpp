// Tests of accounts, transfers, holds, prices and fees over HTTP: commands, refusals, responses.
#include "http/testing/test_server.h"
#include "model/natural_key.h"

namespace finality::http {
namespace {

namespace json = boost::json;

const std::string kPurse = to_text(AccountId{1});
const std::string kTill = to_text(AccountId{2});

std::string transfer_of(const std::string& fields) {
  return R"({"debit_account":")" + kPurse + R"(","credit_account":")" + kTill + R"(","currency":"CNY",)" + fields + "}";
}

std::string hold_of(const std::string& fields) {
  return R"({"account":")" + kPurse + R"(","credit_account":")" + kTill + R"(","currency":"CNY",)" + fields + "}";
}

class Accounts : public Server {
 protected:
  Accounts() {
    FakeRows& rows = store_.rows;
    for (const auto& [id, owner] : {std::pair(1, kShop), {2, kShop}, {3, kOtherShop}}) {
      Account& account = rows.accounts[AccountId{id}];
      account.id = AccountId{id};
      account.merchant_id = owner;
      account.kind = AccountKind::user;
      account.label = "purse";
      account.currency = *parse_currency("CNY");
    }
    add_transfer(TransferId{10}, kShop);
    add_transfer(TransferId{11}, kOtherShop);
    Hold& hold = rows.holds[HoldId{20}];
    hold = {.id = HoldId{20}, .merchant_id = kShop, .account_id = AccountId{1}, .source = "api", .reference = "H-1"};
    rows.keys[key_of_hold(kShop, "api", "H-1")] = 20;
    rows.prices[PriceId{30}] = {.id = PriceId{30}, .merchant_id = kShop, .name = "coffee", .amount = 5};
    rows.keys[key_of_price(kShop, "coffee")] = 30;
    rows.fees.push_back({.id = FeeId{40}, .merchant_id = kShop, .channel = "sandbox"});
  }

  void add_transfer(TransferId id, MerchantId merchant) {
    store_.rows.transfers[id] = {.id = id,
                                 .merchant_id = merchant,
                                 .debit_account_id = AccountId{1},
                                 .credit_account_id = AccountId{2},
                                 .amount = 5,
                                 .source = "api",
                                 .reference = "T-1",
                                 .state = TransferState::posted};
    store_.rows.keys[key_of_transfer(merchant, "api", "T-1")] = id.value;
  }

  /// Sends the request and returns the command that the server submits for it.
  template <class ACommand>
  ACommand command_of(const std::string& method, const std::string& target, const std::string& body = "",
                      const std::string& key = "sk_shop") {
    auto answer = send(method, target, key, body, naming(kShop));
    const Request request = engine_.take();
    EXPECT_EQ(request.merchant_id, kShop);
    EXPECT_FALSE(request.refuse_with);
    request.reply({.status = 200, .body = "{}"});
    EXPECT_EQ(answer.get().status, 200);
    return std::get<ACommand>(request.command);
  }

  /// Sends an invalid request and returns the `param` of its refusal.
  std::string mistake_in(const std::string& method, const std::string& target, const std::string& body) {
    const net::HttpResponse response = fetch(method, target, "sk_shop", body);
    EXPECT_EQ(response.status, 400) << body << response.body;
    EXPECT_TRUE(engine_.empty()) << body;
    const json::object problem = json::parse(response.body).as_object();
    return problem.contains("param") ? std::string(problem.at("param").as_string()) : "";
  }

  json::array items_of(const std::string& target) {
    const net::HttpResponse response = fetch("GET", target);
    EXPECT_EQ(response.status, 200) << response.body;
    return json::parse(response.body).as_object().at("data").as_array();
  }
};

TEST_F(Accounts, AreOpenedWithANameAndKindOfTheMerchant) {
  const auto opened = command_of<OpenAccount>("POST", "/v1/accounts",
                                              R"({"name":"Zhang 三","kind":"user","currency":"CNY","overdraft":0})");
  EXPECT_EQ(opened.name, "Zhang 三");
  EXPECT_EQ(opened.label, "user");
  const std::pair<std::string, std::string> mistakes[] = {
      {R"({"kind":"purse","currency":"CNY"})", "name"},
      {R"({"name":"","kind":"purse","currency":"CNY"})", "name"},
      {R"({"name":"Zhang","kind":"Purse","currency":"CNY"})", "kind"},
      {R"({"name":"Zhang","kind":"merchant_payable","currency":"CNY"})", "kind"},
      {R"({"name":"Zhang","kind":"purse"})", "currency"},
      {R"({"name":"Zhang","kind":"purse","currency":"CNY","overdraft":-1})", "overdraft"},
      {R"({"name":"Zhang","kind":"purse","currency":"CNY","balance":1})", "balance"},
  };
  for (const auto& [body, param] : mistakes) EXPECT_EQ(mistake_in("POST", "/v1/accounts", body), param);
}

TEST_F(Accounts, GetAnOverdraftFromOperatorsOnly) {
  const std::string body = R"({"name":"Till","kind":"till","currency":"CNY","overdraft":50})";
  EXPECT_EQ(command_of<OpenAccount>("POST", "/v1/accounts", body, "op_operator").overdraft, 50);
  auto answer = send("POST", "/v1/accounts", "sk_shop", body, naming(kShop));
  const Request request = engine_.take();
  ASSERT_TRUE(request.refuse_with);
  EXPECT_EQ(request.refuse_with->code, RefusalCode::forbidden);
  EXPECT_EQ(request.refuse_with->param, "overdraft");
  EXPECT_TRUE(request.refuse_with->detail.contains("Finality-Merchant"));
  request.reply({.status = 403, .body = "{}", .refusal = request.refuse_with});
  EXPECT_EQ(answer.get().status, 403);
}

TEST_F(Accounts, AreFrozenUnfrozenAndClosed) {
  for (const AccountEvent event : {AccountEvent::freeze, AccountEvent::unfreeze, AccountEvent::close}) {
    const std::string target = "/v1/accounts/" + kPurse + "/" + std::string(name_of(event));
    const auto command = command_of<ChangeAccount>("POST", target);
    EXPECT_EQ(command.event, event);
    EXPECT_EQ(command.account_id, AccountId{1});
    EXPECT_EQ(mistake_in("POST", target, R"({"why":"x"})"), "why");
  }
}

TEST_F(Accounts, AreLockedWithAnUnguessableToken) {
  const std::string target = "/v1/accounts/" + kPurse + "/lock";
  const auto first = command_of<LockAccount>("POST", target, R"({"owner":"till 7","ttl":30})");
  const auto second = command_of<LockAccount>("POST", target, R"({"owner":"till 7","ttl":30,"token":"1-x"})");
  EXPECT_EQ(first.owner, "till 7");
  EXPECT_EQ(first.ttl, std::chrono::seconds(30));
  EXPECT_FALSE(first.token);
  EXPECT_EQ(second.token, "1-x");
  EXPECT_EQ(first.nonce.size(), 32u);
  EXPECT_NE(first.nonce, second.nonce);
  EXPECT_EQ(mistake_in("POST", target, R"({"ttl":30})"), "owner");
  EXPECT_EQ(mistake_in("POST", target, R"({"owner":"x"})"), "ttl");
  EXPECT_EQ(mistake_in("POST", target, R"({"owner":"x","ttl":86401})"), "ttl");
  EXPECT_EQ(mistake_in("POST", "/v1/accounts/" + kPurse + "/unlock", "{}"), "token");
  EXPECT_EQ(command_of<UnlockAccount>("POST", "/v1/accounts/" + kPurse + "/unlock", R"({"token":"1-x"})").token, "1-x");
}

TEST_F(Accounts, ShowALockOnlyWhileItIsHeld) {
  Account& account = store_.rows.accounts.at(AccountId{1});
  account.lock_owner = "till 7";
  account.lock_token = "1-secret";
  account.lock_expires_at = clock_.now() + Duration{1};
  const net::HttpResponse locked = fetch("GET", "/v1/accounts/" + kPurse);
  EXPECT_EQ(json::parse(locked.body).as_object().at("lock").as_object().at("owner"), "till 7");
  EXPECT_FALSE(locked.body.contains("secret"));
  clock_.advance(Duration{1});
  EXPECT_FALSE(json::parse(fetch("GET", "/v1/accounts/" + kPurse).body).as_object().contains("lock"));
}

TEST_F(Accounts, AndTheirObjectsAreVisibleOnlyToTheirMerchant) {
  const std::string targets[] = {"/v1/accounts/" + to_text(AccountId{3}),
                                 "/v1/accounts/" + to_text(AccountId{3}) + "/entries",
                                 "/v1/accounts/x",
                                 "/v1/transfers/" + to_text(TransferId{11}),
                                 "/v1/transfers/" + kPurse,
                                 "/v1/holds/" + to_text(HoldId{21}),
                                 "/v1/holds?account=" + to_text(AccountId{3}),
                                 "/v1/prices/tea",
                                 "/v1/fees/wallet",
                                 "/v1/events?object=" + to_text(AccountId{3}),
                                 "/v1/events?object=" + to_text(TransferId{11}),
                                 "/v1/events?object=" + to_text(FeeId{41})};
  for (const std::string& target : targets) EXPECT_EQ(code_of(fetch("GET", target)), "not_found") << target;
  for (const ObjectRef object : {ObjectRef(AccountId{1}), ObjectRef(TransferId{10}), ObjectRef(HoldId{20}),
                                 ObjectRef(PriceId{30}), ObjectRef(FeeId{40})})
    EXPECT_EQ(fetch("GET", "/v1/events?object=" + to_text(object)).status, 200) << to_text(object);
  EXPECT_EQ(items_of("/v1/accounts").size(), 2u);
}

TEST_F(Accounts, ShowTheEventsOfAHoldUnderItsAccount) {
  Event event;
  event.id = EventId{50};
  event.root_id = 1;
  event.object_type = ObjectType::hold;
  event.object_id = 20;
  event.event = "created";
  store_.rows.events.push_back(event);
  EXPECT_EQ(items_of("/v1/events?object=" + to_text(HoldId{20})).size(), 1u);
  EXPECT_EQ(items_of("/v1/events?object=" + kPurse).size(), 0u);
}

TEST_F(Accounts, NameTheDocumentOfEachEntry) {
  const auto add = [this](std::int64_t id, ObjectType type, std::int64_t document) {
    store_.rows.entries.push_back({.id = EntryId{id},
                                   .account_id = AccountId{1},
                                   .amount = -5,
                                   .document_type = type,
                                   .document_id = document,
                                   .created_at = {id}});
  };
  add(60, ObjectType::transfer, 10);
  add(61, ObjectType::hold, 20);
  add(62, ObjectType::refund, 70);
  const json::array entries = items_of("/v1/accounts/" + kPurse + "/entries");
  ASSERT_EQ(entries.size(), 3u);
  EXPECT_EQ(entries[2].as_object().at("transfer"), json::value(to_text(TransferId{10})));
  EXPECT_EQ(entries[2].as_object().at("reference"), "T-1");
  EXPECT_EQ(entries[1].as_object().at("hold"), json::value(to_text(HoldId{20})));
  EXPECT_EQ(entries[1].as_object().at("reference"), "H-1");
  EXPECT_EQ(entries[0].as_object().at("source"), "refund");
  EXPECT_EQ(entries[0].as_object().at("reference"), json::value(to_text(RefundId{70})));
  const std::string within = "?from=1970-01-01T00:00:00.061Z&to=1970-01-01T00:00:00.062Z";
  EXPECT_EQ(items_of("/v1/accounts/" + kPurse + "/entries" + within).size(), 1u);
  const std::string reversed = "?from=1970-01-01T00:00:00.062Z&to=1970-01-01T00:00:00.061Z";
  EXPECT_EQ(fetch("GET", "/v1/accounts/" + kPurse + "/entries" + reversed).status, 400);
}

// Tests of transfers.

TEST_F(Accounts, TransferAnAmountOrAPrice) {
  const auto amount = command_of<PostTransfer>(
      "POST", "/v1/transfers",
      transfer_of(R"("amount":5,"reference":"T-2","user":"u-7","info":"tea","lock_token":"1-x")"));
  EXPECT_EQ(amount.amount, 5);
  EXPECT_FALSE(amount.price || amount.quantity);
  EXPECT_EQ(amount.debit_account_id, AccountId{1});
  EXPECT_EQ(amount.credit_account_id, AccountId{2});
  EXPECT_EQ(amount.source, "api");
  EXPECT_EQ(amount.by_user, "u-7");
  EXPECT_EQ(amount.info, "tea");
  EXPECT_EQ(amount.lock_token, "1-x");
  EXPECT_EQ(amount.source_ip, "127.0.0.1");
  const auto price =
      command_of<PostTransfer>("POST", "/v1/transfers", transfer_of(R"("price":"coffee","reference":"T-3")"));
  EXPECT_FALSE(price.amount);
  EXPECT_EQ(price.price, "coffee");
  EXPECT_EQ(price.quantity, 1);
}

TEST_F(Accounts, RefuseAnInvalidTransfer) {
  const std::pair<std::string, std::string> mistakes[] = {
      {R"("reference":"T-2")", "amount"},
      {R"("reference":"T-2","amount":0)", "amount"},
      {R"("reference":"T-2","amount":5,"quantity":2)", "quantity"},
      {R"("reference":"T-2","amount":5,"price":"coffee")", "price"},
      {R"("reference":"T-2","price":"two words")", "price"},
      {R"("reference":"T-2","price":"coffee","quantity":0)", "quantity"},
      {R"("amount":5)", "reference"},
      {R"("amount":5,"reference":"T-2","source":"wallet")", "source"},
      {R"("amount":5,"reference":"T-2","source":"")", "source"},
      {R"("amount":5,"reference":"T-2","source_ip":"192.0.2.1")", "source_ip"},
  };
  for (const auto& [fields, param] : mistakes)
    EXPECT_EQ(mistake_in("POST", "/v1/transfers", transfer_of(fields)), param) << fields;
  EXPECT_EQ(mistake_in("POST", "/v1/transfers", R"({"debit_account":"ord_0000000000001"})"), "debit_account");
  EXPECT_EQ(mistake_in("POST", "/v1/transfers/reverse", "{}"), "reference");
  EXPECT_EQ(mistake_in("POST", "/v1/transfers/reverse", R"({"source":"wallet","reference":"T-1"})"), "source");
}

TEST_F(Accounts, FingerprintTheFieldsOfATransferButNotTheLock) {
  const auto fingerprint = [this](const std::string& fields) {
    return command_of<PostTransfer>("POST", "/v1/transfers", transfer_of(fields)).fingerprint;
  };
  const Hash16 first = fingerprint(R"("price":"coffee","reference":"T-2")");
  EXPECT_EQ(first, fingerprint(R"("reference":"T-2","quantity":1,"source":"api","price":"coffee","lock_token":"1-x")"));
  EXPECT_NE(first, fingerprint(R"("price":"coffee","reference":"T-2","quantity":2)"));
  EXPECT_NE(first, fingerprint(R"("price":"coffee","reference":"T-2","info":"x")"));
  EXPECT_NE(first, fingerprint(R"("amount":1,"reference":"T-2")"));
}

TEST_F(Accounts, FindATransferByItsReference) {
  EXPECT_EQ(items_of("/v1/transfers?reference=T-1").size(), 1u);
  EXPECT_EQ(items_of("/v1/transfers?source=api&reference=T-1&limit=1").size(), 1u);
  EXPECT_EQ(items_of("/v1/transfers?source=till&reference=T-1").size(), 0u);
  EXPECT_EQ(items_of("/v1/transfers?reference=T-1&starting_after=" + to_text(TransferId{10})).size(), 0u);
  EXPECT_EQ(mistake_in("GET", "/v1/transfers", ""), "reference");
  EXPECT_EQ(mistake_in("GET", "/v1/transfers?source=api", ""), "reference");
  const auto reversed = command_of<ReverseTransfer>("POST", "/v1/transfers/reverse", R"({"reference":"T-1"})");
  EXPECT_EQ(reversed.source, "api");
  EXPECT_EQ(reversed.reference, "T-1");
}

// Tests of holds.

TEST_F(Accounts, HoldPostAndVoid) {
  const auto hold = command_of<CreateHold>(
      "POST", "/v1/holds", hold_of(R"("amount":5,"reference":"H-2","expires_in":60,"lock_token":"1-x")"));
  EXPECT_EQ(hold.account_id, AccountId{1});
  EXPECT_EQ(hold.credit_account_id, AccountId{2});
  EXPECT_EQ(hold.expires_in, std::chrono::seconds(60));
  EXPECT_EQ(hold.source, "api");
  EXPECT_EQ(hold.lock_token, "1-x");
  EXPECT_EQ(hold.source_ip, "127.0.0.1");
  const auto unlocked =
      command_of<CreateHold>("POST", "/v1/holds", hold_of(R"("amount":5,"reference":"H-2","expires_in":60)"));
  EXPECT_EQ(hold.fingerprint, unlocked.fingerprint);

  const std::string target = "/v1/holds/" + to_text(HoldId{20});
  EXPECT_FALSE(command_of<PostHold>("POST", target + "/post").amount);
  EXPECT_EQ(command_of<PostHold>("POST", target + "/post", R"({"amount":3,"lock_token":"1-x"})").amount, 3);
  EXPECT_EQ(command_of<VoidHold>("POST", target + "/void").hold_id, HoldId{20});
  EXPECT_EQ(mistake_in("POST", target + "/void", R"({"amount":3})"), "amount");
  EXPECT_EQ(mistake_in("POST", "/v1/holds", hold_of(R"("amount":5,"reference":"H-2")")), "expires_in");
  EXPECT_EQ(mistake_in("POST", "/v1/holds", hold_of(R"("amount":5,"reference":"H-2","expires_in":2592001)")),
            "expires_in");
}

TEST_F(Accounts, ListHoldsByAccountOrByReference) {
  EXPECT_EQ(items_of("/v1/holds?account=" + kPurse).size(), 1u);
  EXPECT_EQ(items_of("/v1/holds?account=" + kPurse + "&state=voided").size(), 0u);
  EXPECT_EQ(items_of("/v1/holds?reference=H-1").size(), 1u);
  EXPECT_EQ(items_of("/v1/holds?reference=H-1&state=held&account=" + kPurse).size(), 1u);
  EXPECT_EQ(items_of("/v1/holds?reference=H-1&account=" + kTill).size(), 0u);
  EXPECT_EQ(items_of("/v1/holds?reference=H-9").size(), 0u);
  EXPECT_EQ(mistake_in("GET", "/v1/holds", ""), "account");
  EXPECT_EQ(mistake_in("GET", "/v1/holds?source=api", ""), "reference");
}

// Tests of prices and fees.

TEST_F(Accounts, PricesAreSetByMerchantsAndAdminsAndFeesByAdminsOnly) {
  struct Setting {
    std::string target;
    std::string body;
    bool merchant_may;
  };
  const Setting settings[] = {{"/v1/prices/coffee.large", R"({"amount":5,"currency":"CNY"})", true},
                              {"/v1/fees/sandbox", R"({"basis_points":60,"fixed":0,"refundable":true})", false}};
  for (const auto& [target, body, merchant_may] : settings) {
    for (const auto& [key, allowed] :
         {std::pair("op_operator", false), {"op_admin", true}, {"sk_shop", merchant_may}}) {
      auto answer = send("PUT", target, key, body, naming(kShop));
      const Request request = engine_.take();
      EXPECT_EQ(!request.refuse_with, allowed) << target << key;
      request.reply({.status = 200, .body = "{}"});
      answer.get();
    }
  }
}

TEST_F(Accounts, RefuseAnInvalidPriceOrFee) {
  EXPECT_EQ(mistake_in("PUT", "/v1/prices/two%20words", R"({"amount":5,"currency":"CNY"})"), "name");
  EXPECT_EQ(mistake_in("PUT", "/v1/prices/" + std::string(65, 'x'), R"({"amount":5,"currency":"CNY"})"), "name");
  EXPECT_EQ(mistake_in("PUT", "/v1/prices/tea", R"({"amount":0,"currency":"CNY"})"), "amount");
  EXPECT_EQ(mistake_in("PUT", "/v1/prices/tea", R"({"amount":5})"), "currency");
  const std::pair<std::string, std::string> mistakes[] = {
      {R"({"fixed":0,"refundable":true})", "basis_points"},
      {R"({"basis_points":10001,"fixed":0,"refundable":true})", "basis_points"},
      {R"({"basis_points":60,"refundable":true})", "fixed"},
      {R"({"basis_points":60,"fixed":0})", "refundable"},
      {R"({"basis_points":60,"fixed":0,"refundable":"yes"})", "refundable"},
      {R"({"basis_points":60,"fixed":0,"minimum":2,"maximum":1,"refundable":true})", "minimum"},
  };
  for (const auto& [body, param] : mistakes) EXPECT_EQ(mistake_in("PUT", "/v1/fees/sandbox", body), param) << body;
  const std::string fee = R"({"basis_points":60,"fixed":0,"refundable":true})";
  EXPECT_EQ(code_of(fetch("PUT", "/v1/fees/nowhere", "op_admin", fee, naming(kShop))), "not_found");
  EXPECT_EQ(command_of<SetFee>("PUT", "/v1/fees/wallet", fee, "op_admin").channel, "wallet");
}

TEST_F(Accounts, ShowPricesAndFeesByName) {
  EXPECT_EQ(json::parse(fetch("GET", "/v1/prices/coffee").body).as_object().at("id"),
            json::value(to_text(PriceId{30})));
  EXPECT_EQ(json::parse(fetch("GET", "/v1/fees/sandbox").body).as_object().at("id"), json::value(to_text(FeeId{40})));
  EXPECT_EQ(items_of("/v1/prices").size(), 1u);
  EXPECT_EQ(items_of("/v1/fees").size(), 1u);
}

// Tests of payments from an account with the channel `wallet`.

TEST_F(Accounts, PayAnOrderInItsCurrencyWithoutWaiting) {
  const std::string body = R"({"channel":"wallet","account":")" + kPurse + R"("})";
  auto answer = send("POST", "/v1/orders/" + to_text(OrderId{100}) + "/payments", "sk_shop", body);
  const Request request = engine_.take();
  const auto& command = std::get<StartPayment>(request.command);
  EXPECT_EQ(command.fields.account_id, AccountId{1});
  EXPECT_EQ(command.currency, parse_currency("CNY"));
  EXPECT_FALSE(request.await_answer);
  request.reply({.status = 201, .body = "{}"});
  EXPECT_EQ(answer.get().status, 201);
}

TEST_F(Accounts, CannotPayAnOrderArchivedMeanwhile) {
  const std::string body = R"({"channel":"wallet","account":")" + kPurse + R"("})";
  auto answer = send("POST", "/v1/orders/" + to_text(OrderId{100}) + "/payments", "sk_shop", body);
  const Request request = engine_.take();
  store_.rows.orders.erase(OrderId{100});
  store_.rows.archived_orders[OrderId{100}] = {OrderId{100}, kShop, {1'700'000'000'000}, "year-1-0a1b2c3d"};
  request.reply({.status = 404, .refusal = Refusal{RefusalCode::not_found, "Not found.", {}, {}}});
  EXPECT_EQ(answer.get().status, 410);
}

TEST_F(Accounts, ArePartOfTheFingerprintOfAnOrderButTheirLocksAreNot) {
  const auto fingerprint = [this](const std::string& account, const std::string& more = "") {
    const std::string body = R"({"merchant_order_no":"A-1","amount":5,"currency":"CNY","subject":"Tea","payment":{)"
                             R"("channel":"wallet","account":")" +
                             account + "\"" + more + "}}";
    return command_of<CreateOrder>("POST", "/v1/orders", body).fingerprint;
  };
  EXPECT_EQ(fingerprint(kPurse), fingerprint(kPurse, R"(,"lock_token":"1-x")"));
  EXPECT_NE(fingerprint(kPurse), fingerprint(kTill));
}

TEST_F(Accounts, AreShownIfTheReplyHasShowObject) {
  for (const ObjectRef object : {ObjectRef(AccountId{1}), ObjectRef(TransferId{10}), ObjectRef(HoldId{20}),
                                 ObjectRef(PriceId{30}), ObjectRef(FeeId{40})}) {
    auto answer = send("POST", "/v1/accounts/" + kPurse + "/freeze");
    engine_.take().reply({.status = 200, .object = object, .replayed = true, .show_object = true});
    const net::HttpResponse response = answer.get();
    EXPECT_EQ(response.status, 200);
    EXPECT_EQ(json::parse(response.body).as_object().at("id"), json::value(to_text(object)));
  }
}

}  // namespace
}  // namespace finality::http
