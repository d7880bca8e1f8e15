#include "http/input/fields.h"

#include <gtest/gtest.h>

#include "http/input/payment_fields.h"

namespace finality::http {
namespace {

constexpr std::string_view kColours[] = {"red", "green"};

// Reads one field of each type, as the handler of a resource does.
std::expected<void, Refusal> read_all(std::string_view body) {
  auto fields = Fields::parse(body);
  if (!fields) return std::unexpected(fields.error());
  fields->text("number", 8);
  fields->optional_text("note", 4);
  fields->optional_integer("amount", 1, 1000);
  if (fields->has("currency")) fields->currency("currency");
  fields->optional_url("url");
  fields->optional_choice("colour", kColours);
  fields->optional_choices("colours", kColours, 2);
  fields->optional_metadata("metadata");
  if (fields->has("agreed")) fields->boolean("agreed");
  if (fields->has("account")) fields->id<AccountId>("account");
  fields->optional_word("word", 4);
  if (auto payer = fields->optional_object("payer")) payer->optional_address("client_ip");
  return fields->finish();
}

struct BadBody {
  std::string body;
  std::string param;
  std::string sentence;
};

class BadBodies : public testing::TestWithParam<BadBody> {};

TEST_P(BadBodies, AreRefusedWithFieldAndLimit) {
  const auto read = read_all(GetParam().body);
  ASSERT_FALSE(read) << GetParam().body;
  EXPECT_EQ(read.error().code, RefusalCode::invalid_request);
  EXPECT_EQ(read.error().param.value_or(""), GetParam().param);
  EXPECT_EQ(read.error().detail, GetParam().sentence);
}

const std::string kNumber = "number is required: text of 1 to 8 characters without control characters.";
const std::string kNote = "note must be text of 1 to 4 characters without control characters.";
const std::string kAmount = "amount must be an integer from 1 to 1000.";
const std::string kCurrency = "currency must be an ISO 4217 code in upper case, such as CNY.";
const std::string kUrl =
    "url must be an absolute http or https URL of at most 2048 bytes without user information or fragment.";
const std::string kColour = "colour must be one of red, green.";
const std::string kAgreed = "agreed must be true or false.";
const std::string kAccount = "account must be an id that begins with acc_.";
const std::string kWord = "word must be 1 to 4 characters from a-z, 0-9 and _.";
const std::string kManyColours = "colours must be a list of 1 to 2 different values, each one of red, green.";

std::string with(const std::string& field) { return R"({"number":"A1",)" + field + "}"; }

INSTANTIATE_TEST_SUITE_P(
    Fields, BadBodies,
    testing::Values(
        BadBody{"", "", "The body must be a JSON object; it is empty."},
        BadBody{"[]", "", "The body must be a JSON object."}, BadBody{"null", "", "The body must be a JSON object."},
        BadBody{"{}", "number", kNumber}, BadBody{with(R"("note":"")"), "note", kNote},
        BadBody{with(R"("note":"abcde")"), "note", kNote}, BadBody{with(R"("note":"茶茶茶茶茶")"), "note", kNote},
        BadBody{with(R"("note":5)"), "note", kNote}, BadBody{with(R"("note":null)"), "note", kNote},
        BadBody{with(R"("note":"a\u0000")"), "note", kNote}, BadBody{with(R"("note":"a\u0085")"), "note", kNote},
        BadBody{with(R"("note":"\u007f")"), "note", kNote}, BadBody{with(R"("amount":0)"), "amount", kAmount},
        BadBody{with(R"("amount":1001)"), "amount", kAmount}, BadBody{with(R"("amount":1.0)"), "amount", kAmount},
        BadBody{with(R"("amount":1e2)"), "amount", kAmount}, BadBody{with(R"("amount":"5")"), "amount", kAmount},
        BadBody{with(R"("amount":true)"), "amount", kAmount}, BadBody{with(R"("amount":-0)"), "amount", kAmount},
        BadBody{with(R"("amount":18446744073709551615)"), "amount", kAmount},
        BadBody{with(R"("amount":1000000000000000000000)"), "amount", kAmount},
        BadBody{with(R"("currency":"cny")"), "currency", kCurrency},
        BadBody{with(R"("currency":156)"), "currency", kCurrency},
        BadBody{with(R"("url":"ftp://shop.example/")"), "url", kUrl},
        BadBody{with(R"("url":"https://user@shop.example/")"), "url", kUrl},
        BadBody{with(R"("url":"https://shop.example/#top")"), "url", kUrl},
        BadBody{with(R"("url":"/back")"), "url", kUrl},
        BadBody{with(R"("url":"https://shop.example/)" + std::string(2048, 'x') + "\""), "url", kUrl},
        BadBody{with(R"("colour":"blue")"), "colour", kColour}, BadBody{with(R"("colour":1)"), "colour", kColour},
        BadBody{with(R"("colours":[])"), "colours", kManyColours},
        BadBody{with(R"("colours":["red","red"])"), "colours", kManyColours},
        BadBody{with(R"("colours":["blue"])"), "colours", kManyColours},
        BadBody{with(R"("agreed":1)"), "agreed", kAgreed}, BadBody{with(R"("agreed":"true")"), "agreed", kAgreed},
        BadBody{with(R"("agreed":null)"), "agreed", kAgreed}, BadBody{with(R"("account":"")"), "account", kAccount},
        BadBody{with(R"("account":7)"), "account", kAccount},
        BadBody{with(R"("account":"pay_0000000000001")"), "account", kAccount},
        BadBody{with(R"("account":"acc_0000000000001 ")"), "account", kAccount},
        BadBody{with(R"("word":"")"), "word", kWord}, BadBody{with(R"("word":"abcde")"), "word", kWord},
        BadBody{with(R"("word":"a-b")"), "word", kWord}, BadBody{with(R"("word":"A")"), "word", kWord},
        BadBody{with(R"("word":["a"])"), "word", kWord},
        BadBody{with(R"("metadata":[])"), "metadata", "metadata must be an object of at most 50 strings."},
        BadBody{with(R"("metadata":{"a":1})"), "metadata.a",
                "metadata.a must be text of 0 to 500 characters without control characters."},
        BadBody{with(R"("metadata":{"":"x"})"), "metadata.",
                "metadata. must have a key of 1 to 40 characters without control characters."},
        BadBody{with(R"("payer":5)"), "payer", "payer must be an object."},
        BadBody{with(R"("payer":{"client_ip":"localhost"})"), "payer.client_ip",
                "payer.client_ip must be an IPv4 or IPv6 address."},
        BadBody{with(R"("payer":{"shoe":1})"), "payer.shoe", "payer.shoe is not a field of this request."},
        BadBody{with(R"("shoe":1)"), "shoe", "shoe is not a field of this request."},
        BadBody{with(R"("note":"a","note":"b")"), "note", "note occurs more than once in the body."},
        BadBody{with(R"("note":"a","n\u006fte":"b")"), "note", "note occurs more than once in the body."},
        BadBody{with(R"("payer":{"a":1,"a":1})"), "payer.a", "payer.a occurs more than once in the body."}));

TEST(Fields, ATargetIsAnHttpsUrlUnlessItsHostIsListed) {
  struct Row {
    std::string url;
    std::string detail;  // empty: accepted
  };
  const std::string https =
      "url must be an https URL, because its host is not listed in the setting "
      "webhooks.allow_private.";
  const std::string address =
      "url must have a public address, or an address listed in the setting "
      "webhooks.allow_private.";
  const std::vector<std::string> listed{"127.0.0.1", "hooks.internal.example"};
  for (const Row& row :
       {Row{"https://shop.example/", ""}, Row{"HTTPS://shop.example/", ""}, Row{"https://1.1.1.1/", ""},
        Row{"http://127.0.0.1:9000/hook", ""}, Row{"http://hooks.internal.example/", ""},
        Row{"http://HOOKS.internal.example:8080/", ""}, Row{"https://127.0.0.1/", ""},
        Row{"http://shop.example/", https}, Row{"HTTP://shop.example/", https}, Row{"http://1.1.1.1/", https},
        Row{"http://internal.example/", https}, Row{"http://10.0.0.1/", address}, Row{"https://10.0.0.1/", address}}) {
    auto fields = Fields::parse(R"({"url":")" + row.url + "\"}");
    ASSERT_TRUE(fields) << row.url;
    fields->optional_target("url", listed);
    const auto checked = fields->finish();
    EXPECT_EQ(checked ? "" : checked.error().detail, row.detail) << row.url;
    if (!checked) EXPECT_EQ(checked.error().param, "url");
  }
}

TEST(Fields, RefusesInvalidJson) {
  for (const std::string body :
       {"{", "{}{}", R"({"number":"A1",})", "/**/{}", R"({'number':'A1'})", "\xEF\xBB\xBF{}", R"({"number":NaN})",
        "{\"number\":\"\xff\"}", "{\"number\":\"\xed\xa0\x80\"}", R"({"number":"\ud800"})", "{\"number\":\"\n\"}"}) {
    const auto read = read_all(body);
    ASSERT_FALSE(read) << body;
    EXPECT_TRUE(read.error().detail.starts_with("The body is not valid JSON")) << read.error().detail;
    EXPECT_TRUE(read.error().detail.contains("line ")) << read.error().detail;
    EXPECT_FALSE(read.error().param);
  }
}

TEST(Fields, NameThePositionOfInvalidJson) {
  const auto detail = [](std::string_view body) { return Fields::parse(body).error().detail; };
  EXPECT_EQ(detail(R"({"number":"A1",})"), "The body is not valid JSON at line 1, column 16: syntax error.");
  EXPECT_EQ(detail("{\n  \"number\": A1\n}"), "The body is not valid JSON at line 2, column 13: syntax error.");
  EXPECT_EQ(detail("{\n"), "The body is not valid JSON: unexpected end at line 2, column 1.");
}

TEST(Fields, StateThatAmountsAreInMinorUnits) {
  const std::string rule = "an integer from 1 to 1000000000000000 in minor units, such as 8000 for 80.00 CNY.";
  for (const char* amount : {"80.00", "\"80\"", "0", "1e3", "1000000000000001"}) {
    auto fields = Fields::parse(R"({"amount":)" + std::string(amount) + "}");
    fields->amount("amount");
    EXPECT_EQ(fields->finish().error().detail, "amount must be " + rule) << amount;
  }
  auto missing = Fields::parse("{}");
  missing->amount("amount");
  EXPECT_EQ(missing->finish().error().detail, "amount is required: " + rule);
}

TEST(Fields, RefusesDeepNesting) {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  const auto deep = read_all(with(R"("note":)" + nested(32)));
  ASSERT_FALSE(deep);
  EXPECT_EQ(deep.error().detail, "The body is nested more than 32 levels deep.");
  const auto allowed = read_all(with(R"("note":)" + nested(31)));
  ASSERT_FALSE(allowed);
  EXPECT_EQ(allowed.error().param, "note");
}

TEST(Fields, AcceptsValuesAtTheLimits) {
  auto fields = Fields::parse(R"( {"number":"茶茶茶茶","amount":1000,"url":"https://shop.example/a?b=c",
                                   "metadata":{"b":"\"","a":""},"payer":{"client_ip":"2001:db8::1"}} )");
  ASSERT_TRUE(fields);
  EXPECT_EQ(fields->text("number", 4), "茶茶茶茶");
  EXPECT_EQ(fields->integer("amount", 1, 1000), 1000);
  EXPECT_EQ(fields->url("url"), "https://shop.example/a?b=c");
  EXPECT_EQ(fields->optional_metadata("metadata"), R"({"a":"","b":"\""})");
  auto payer = fields->optional_object("payer");
  ASSERT_TRUE(payer);
  EXPECT_EQ(payer->optional_address("client_ip"), "2001:db8::1");
  EXPECT_TRUE(fields->finish());
}

TEST(Fields, ReadsIdsWordsAndBooleans) {
  auto fields = Fields::parse(R"({"account":"acc_0000000000007","kind":"purse_2","agreed":true,"refused":false})");
  EXPECT_EQ(fields->id<AccountId>("account"), AccountId{7});
  EXPECT_EQ(fields->word("kind", 7), "purse_2");
  EXPECT_TRUE(fields->boolean("agreed"));
  EXPECT_FALSE(fields->boolean("refused"));
  EXPECT_TRUE(fields->finish());
}

TEST(Fields, StateTheRuleOfARequiredField) {
  const auto sentence = [](void (*read)(Fields&)) {
    auto fields = Fields::parse("{}");
    read(*fields);
    return fields->finish().error().detail;
  };
  EXPECT_EQ(sentence([](Fields& fields) { fields.id<AccountId>("account"); }),
            "account is required: an id that begins with acc_.");
  EXPECT_EQ(sentence([](Fields& fields) { fields.word("kind", 4); }),
            "kind is required: 1 to 4 characters from a-z, 0-9 and _.");
  EXPECT_EQ(sentence([](Fields& fields) { fields.boolean("agreed"); }), "agreed is required: true or false.");
}

TEST(Fields, NameAllMissingFieldsInOneError) {
  auto fields = Fields::parse(R"({"subject":"Tea"})");
  ASSERT_TRUE(fields);
  fields->text("merchant_order_no", 64);
  fields->amount("amount");
  fields->currency("currency");
  fields->text("subject", 256);
  const auto refusal = fields->finish();
  ASSERT_FALSE(refusal);
  EXPECT_EQ(refusal.error().param, "merchant_order_no");
  EXPECT_TRUE(refusal.error().detail.ends_with(". Also required: amount, currency.")) << refusal.error().detail;
}

TEST(Fields, NameMissingFieldsBesideAWrongOne) {
  auto fields = Fields::parse(R"({"amount":0})");
  ASSERT_TRUE(fields);
  fields->amount("amount");
  fields->currency("currency");
  const auto refusal = fields->finish();
  ASSERT_FALSE(refusal);
  EXPECT_EQ(refusal.error().param, "amount");
  EXPECT_TRUE(refusal.error().detail.ends_with(" Also required: currency.")) << refusal.error().detail;
}

TEST(Fields, NameAFormAsSuch) {
  for (const char* body : {"amount=8000", "amount=8000&currency=CNY", "payment[channel]=sandbox", "a=", "a=b c"}) {
    const auto refused = Fields::parse(body);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().detail, "The body must be a JSON object; it is a form (name=value).") << body;
  }
  for (const char* body : {"=", "{\"a\":\"b=c\"}", "null", "[1]", "\"a=b\""}) {
    const auto read = Fields::parse(body);
    EXPECT_TRUE(read || !read.error().detail.contains("form")) << body;
  }
}

TEST(Fields, ReturnOnlyTheFirstMistake) {
  const auto read = read_all(R"({"note":5,"amount":0,"shoe":1})");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().param, "number");
}

constexpr MerchantId kShop{7};

Policy two_channels() {
  Policy policy;
  policy.channels["bank"] = {.methods = {"card", "transfer"}};
  policy.channels["sandbox"] = {.methods = {"default"}, .takes_scenario = true};
  return policy;
}

TEST(PaymentFields, FillInTheChannelsDefaultMethod) {
  auto fields = Fields::parse(R"({"channel":"bank","payer":{"openid":"o1","client_ip":"192.0.2.1"}})");
  const PaymentFields payment = read_payment_fields(*fields, two_channels(), kShop, CaptureMethod::automatic);
  ASSERT_TRUE(fields->finish());
  EXPECT_EQ(payment.method, "card");
  EXPECT_EQ(payment.payer, R"({"openid":"o1","client_ip":"192.0.2.1"})");
}

TEST(PaymentFields, ListTheChannelsInTheDetail) {
  auto fields = Fields::parse(R"({"channel":"nowhere"})");
  read_payment_fields(*fields, two_channels(), kShop, CaptureMethod::automatic);
  EXPECT_EQ(fields->finish().error().detail, "channel must be one of bank, sandbox, wallet.");
}

TEST(PaymentFields, CanNameAKindOrAnUnusableChannel) {
  Policy policy = two_channels();
  policy.channels["mine"] = policy.channels["bank"];
  policy.accounts["bank"] = {.channel = "bank", .kind = "giro", .merchants = "mer_another"};
  policy.accounts["mine"] = {.channel = "mine", .kind = "giro"};
  const struct {
    std::string_view value, channel, requested_channel;
  } rows[] = {{"mine", "mine", ""}, {"giro", "", "giro"}, {"bank", "", "bank"}};
  for (const auto& row : rows) {
    auto fields = Fields::parse(R"({"channel":")" + std::string(row.value) + R"("})");
    const PaymentFields payment = read_payment_fields(*fields, policy, kShop, CaptureMethod::automatic);
    ASSERT_TRUE(fields->finish()) << row.value;
    EXPECT_EQ(payment.channel, row.channel);
    EXPECT_EQ(payment.requested_channel, row.requested_channel);
    EXPECT_EQ(payment.method, "card") << row.value;
  }
  auto unknown = Fields::parse(R"({"channel":"nowhere"})");
  read_payment_fields(*unknown, policy, kShop, CaptureMethod::automatic);
  EXPECT_EQ(unknown->finish().error().detail, "channel must be one of giro, mine, sandbox, wallet.");
}

TEST(PaymentFields, AcceptAScenarioOnlyForTheSandbox) {
  auto elsewhere = Fields::parse(R"({"channel":"bank","scenario":"pays"})");
  read_payment_fields(*elsewhere, two_channels(), kShop, CaptureMethod::automatic);
  EXPECT_EQ(elsewhere->finish().error().param, "scenario");
  auto sandbox = Fields::parse(R"({"channel":"sandbox","scenario":"pays"})");
  EXPECT_EQ(read_payment_fields(*sandbox, two_channels(), kShop, CaptureMethod::automatic).scenario, "pays");
  EXPECT_TRUE(sandbox->finish());
  auto shouted = Fields::parse(R"({"channel":"sandbox","scenario":"PAYS"})");
  read_payment_fields(*shouted, two_channels(), kShop, CaptureMethod::automatic);
  EXPECT_EQ(shouted->finish().error().param, "scenario");
}

TEST(PaymentFields, CanOmitTheChannelIfRoutesExist) {
  Policy policy = two_channels();
  auto without = Fields::parse(R"({"method":"scan"})");
  read_payment_fields(*without, policy, kShop, CaptureMethod::automatic);
  EXPECT_EQ(without->finish().error().param, "channel");
  policy.routes.emplace_back();
  auto with = Fields::parse(R"({"method":"scan","scenario":"pays"})");
  const PaymentFields payment = read_payment_fields(*with, policy, kShop, CaptureMethod::automatic);
  ASSERT_TRUE(with->finish());
  EXPECT_EQ(payment.channel, "");
  EXPECT_EQ(payment.method, "scan");
  auto account = Fields::parse(R"({"account":"acc_0000000000007"})");
  read_payment_fields(*account, policy, kShop, CaptureMethod::automatic);
  EXPECT_EQ(account->finish().error().param, "account");
}

TEST(PaymentFields, RequireThePayerFieldOfTheMethod) {
  Policy policy = two_channels();
  policy.channels["bank"].payer_field["card"] = "auth_code";
  auto without = Fields::parse(R"({"payment":{"channel":"bank"}})");
  auto payment = without->optional_object("payment");
  read_payment_fields(*payment, policy, kShop, CaptureMethod::automatic);
  EXPECT_EQ(without->finish().error().param, "payment.payer.auth_code");
  auto other = Fields::parse(R"({"channel":"bank","method":"transfer"})");
  read_payment_fields(*other, policy, kShop, CaptureMethod::automatic);
  EXPECT_TRUE(other->finish());
}

TEST(PaymentFields, ValidateThePayerFieldByTheRuleOfTheChannel) {
  Policy policy = two_channels();
  policy.channels["bank"].payer_field = {{"card", "auth_code"}, {"transfer", "openid"}};
  policy.channels["bank"].payer_rule = [](std::string_view method, std::string_view value) -> std::string_view {
    return method == "card" && value != "28" ? "is 28" : "";
  };
  const auto error_of = [&](std::string_view body) -> std::optional<Refusal> {
    auto fields = Fields::parse(body);
    read_payment_fields(*fields, policy, kShop, CaptureMethod::automatic);
    const auto finished = fields->finish();
    return finished ? std::nullopt : std::optional(finished.error());
  };
  const auto wrong = error_of(R"({"channel":"bank","payer":{"auth_code":"27"}})");
  ASSERT_TRUE(wrong);
  EXPECT_EQ(wrong->param, "payer.auth_code");
  EXPECT_TRUE(wrong->detail.contains("payer.auth_code is 28")) << wrong->detail;
  EXPECT_FALSE(error_of(R"({"channel":"bank","payer":{"auth_code":"28"}})"));
  EXPECT_FALSE(error_of(R"({"channel":"bank","method":"transfer","payer":{"openid":"o"}})"));
}

TEST(PaymentFields, AcceptAnAccountOnlyForTheWallet) {
  auto wallet = Fields::parse(R"({"channel":"wallet","account":"acc_0000000000007","lock_token":"3-x"})");
  const PaymentFields payment = read_payment_fields(*wallet, two_channels(), kShop, CaptureMethod::automatic);
  ASSERT_TRUE(wallet->finish());
  EXPECT_EQ(payment.method, "balance");
  EXPECT_EQ(payment.account_id, AccountId{7});
  EXPECT_EQ(payment.lock_token, "3-x");

  const std::pair<std::string, std::string> mistakes[] = {
      {R"({"channel":"wallet"})", "account"},
      {R"({"channel":"wallet","account":"ord_0000000000007"})", "account"},
      {R"({"channel":"wallet","account":"acc_0000000000007","lock_token":""})", "lock_token"},
      {R"({"channel":"wallet","account":"acc_0000000000007","scenario":"pays"})", "scenario"},
      {R"({"channel":"bank","account":"acc_0000000000007"})", "account"},
      {R"({"channel":"bank","lock_token":"3-x"})", "lock_token"},
  };
  for (const auto& [body, param] : mistakes) {
    auto fields = Fields::parse(body);
    read_payment_fields(*fields, two_channels(), kShop, CaptureMethod::automatic);
    const auto checked = fields->finish();
    ASSERT_FALSE(checked) << body;
    EXPECT_EQ(checked.error().param, param) << body;
  }
}

TEST(PaymentFields, OfAnAuthorizationHaveTheMethodsForAuthorizations) {
  Policy policy = two_channels();
  policy.channels["sandbox"].authorization = AuthorizationTerms{.methods = {"card", "code"}};
  const auto read = [&](const char* body, CaptureMethod capture) {
    auto fields = Fields::parse(body);
    const PaymentFields payment = read_payment_fields(*fields, policy, kShop, capture);
    const auto checked = fields->finish();
    return checked ? payment.method : checked.error().detail;
  };
  EXPECT_EQ(read(R"({"channel":"sandbox"})", CaptureMethod::manual), "card");
  EXPECT_EQ(read(R"({"channel":"sandbox","method":"code"})", CaptureMethod::manual), "code");
  EXPECT_NE(read(R"({"channel":"sandbox","method":"code"})", CaptureMethod::automatic), "code");
  EXPECT_NE(read(R"({"channel":"sandbox"})", CaptureMethod::automatic), "card");
}

}  // namespace
}  // namespace finality::http
