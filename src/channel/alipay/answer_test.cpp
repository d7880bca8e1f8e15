#include "channel/alipay/answer.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "channel/alipay/testing/test_gateway.h"

namespace finality::alipay {
namespace {

using alipay_test::Mode;
using alipay_test::signature_of;
using alipay_test::text_of;

constexpr const char* kMethod = "alipay.trade.query";
constexpr const char* kNode = R"({"code":"10000","msg":"Success","trade_status":"TRADE_SUCCESS"})";

std::expected<AlipayReply, Rejection> read(std::string body, Mode mode = Mode::public_key) {
  return read_answer(alipay_test::keys_for(mode), kMethod, {alipay_test::ok(std::move(body)), ""});
}

std::string code_of(std::string body, Mode mode = Mode::public_key) {
  const auto answer = read(std::move(body), mode);
  return answer ? "believed" : answer.error().code;
}

TEST(AlipayAnswer, AcceptsARealAnswer) {
  const auto vector = alipay_test::vectors().at("answer");
  const std::string body = text_of(vector.at("body"));
  const auto parts = split_answer(text_of(vector.at("method")), body);
  ASSERT_TRUE(parts);
  EXPECT_EQ(parts->node, text_of(vector.at("signed_text")));
  AlipayKeys keys{.own = alipay_test::merchant_key()};
  keys.alipay.emplace("", *RsaPublicKey::parse(text_of(vector.at("public_key"))));
  const auto answer = read_answer(keys, text_of(vector.at("method")), {alipay_test::ok(body), ""});
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_TRUE(answer->is_ok());
  EXPECT_EQ(answer->node.at("file_id"), "CAxAToWB1JsAAAAAAAAAAAAADgSLAQBr");
}

TEST(AlipayAnswer, TheOrderOfItsPartsAndBlanksBetweenThemDoNotMatter) {
  const std::string node = kNode;
  const std::string sign = signature_of(node);
  EXPECT_EQ(code_of(R"({"alipay_trade_query_response":)" + node + R"(,"sign":")" + sign + "\"}"), "believed");
  EXPECT_EQ(code_of(R"({"sign":")" + sign + R"(","alipay_trade_query_response":)" + node + "}"), "believed");
  EXPECT_EQ(code_of(" {\n \"sign\" : \"" + sign + "\" ,\r\n\t\"alipay_trade_query_response\" : " + node + "\n}\n "),
            "believed");
}

TEST(AlipayAnswer, TheSignatureCoversTheRawBytes) {
  for (const std::string node :
       {R"({ "code" : "10000" , "msg":"Success" })", R"({"code":"10000","url":"http:\/\/a\/b"})",
        R"({"code":"10000","msg":"成功"})", R"({"code":"10000","msg":"\u6210\u529f"})",
        R"({"code":"10000","msg":"a \"}\" b \\","more":[{"x":"]"},"}"]})"}) {
    EXPECT_EQ(code_of(R"({"alipay_trade_query_response":)" + node + R"(,"sign":")" + signature_of(node) + "\"}"),
              "believed")
        << node;
  }
  const std::string escaped = R"({"code":"10000","url":"http:\/\/a"})";
  const std::string plain = R"({"code":"10000","url":"http://a"})";
  EXPECT_EQ(code_of(R"({"alipay_trade_query_response":)" + escaped + R"(,"sign":")" + signature_of(plain) + "\"}"),
            "bad_signature");
}

TEST(AlipayAnswer, ASignatureMayBeEscaped) {
  std::string sign;
  for (const char c : signature_of(kNode)) sign += c == '/' ? "\\/" : std::string(1, c);
  EXPECT_EQ(code_of(std::string(R"({"alipay_trade_query_response":)") + kNode + R"(,"sign":")" + sign + "\"}"),
            "believed");
}

TEST(AlipayAnswer, RejectionHasItsReason) {
  const std::string node = kNode;
  const std::string sign = R"("sign":")" + signature_of(node) + "\"";
  const std::string mine = R"("alipay_trade_query_response":)" + node;
  EXPECT_EQ(code_of("{" + mine + "," + sign + "}"), "believed");
  EXPECT_EQ(code_of("{" + mine + "}"), "unsigned");
  EXPECT_EQ(code_of("{" + mine + R"(,"sign":""})"), "bad_signature");
  EXPECT_EQ(code_of("{" + mine + R"(,"sign":null})"), "bad_signature");
  EXPECT_EQ(code_of("{" + mine + R"(,"sign":")" + signature_of(node, alipay_test::another_key()) + "\"}"),
            "bad_signature");
  EXPECT_EQ(code_of("{" + mine + "," + sign + "," + sign + "}"), "malformed");
  EXPECT_EQ(code_of("{" + mine + "," + mine + "," + sign + "}"), "malformed");
  EXPECT_EQ(code_of("{" + mine + R"(,"error_response":)" + node + "," + sign + "}"), "malformed");
  EXPECT_EQ(code_of(R"({"alipay_trade_close_response":)" + node + "," + sign + "}"), "malformed");
  EXPECT_EQ(code_of("{" + sign + "}"), "malformed");
  for (const char* body : {"", "{", "{}", "[]", "null", "<html>", R"({"sign")", R"({"sign":)", R"({"a":"b)", "{,}"})
    EXPECT_EQ(code_of(body), "malformed") << body;
  EXPECT_EQ(code_of("{" + mine + "," + sign + "} more"), "malformed");
  const std::string list = R"(["code","10000"])";
  EXPECT_EQ(code_of(R"({"alipay_trade_query_response":)" + list + R"(,"sign":")" + signature_of(list) + "\"}"),
            "malformed");
  const std::string codeless = R"({"msg":"Success"})";
  EXPECT_EQ(code_of(R"({"alipay_trade_query_response":)" + codeless + R"(,"sign":")" + signature_of(codeless) + "\"}"),
            "malformed");
}

TEST(AlipayAnswer, AnotherStatusOrNoneIsNotRead) {
  const AlipayKeys keys = alipay_test::keys_for(Mode::public_key);
  auto answer = alipay_test::signed_answer(kMethod, std::string(kNode));
  for (const int status : {204, 301, 400, 403, 500, 502}) {
    answer.status = status;
    const auto read = read_answer(keys, kMethod, {answer, ""});
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, fmt::format("http_{}", status));
  }
  EXPECT_EQ(read_answer(keys, kMethod, {{}, "no answer"}).error().code, "timeout");
}

TEST(AlipayAnswer, AGatewayErrorIsReadAndIsNeverASuccess) {
  const std::string refused =
      R"({"code":"40002","msg":"Invalid Arguments","sub_code":"isv.invalid-app-id","sub_msg":"无效"})";
  const auto answer = read(R"({"error_response":)" + refused + R"(,"sign":")" + signature_of(refused) + "\"}");
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->most_specific_code(), "isv.invalid-app-id");
  EXPECT_EQ(answer->message, "无效");
  const std::string node = kNode;
  EXPECT_EQ(code_of(R"({"error_response":)" + node + R"(,"sign":")" + signature_of(node) + "\"}"), "malformed");
}

TEST(AlipayAnswer, AnUnsignedRefusalIsUnknownAndKeepsItsSubCode) {
  const auto answer = read(R"({"error_response":{"code":"40002","sub_code":"isv.invalid-signature"}})");
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, "unsigned");
  EXPECT_TRUE(answer.error().message.contains("isv.invalid-signature"));
}

TEST(AlipayAnswer, InCertificateModeTheNamedCertificateMustBeConfigured) {
  const std::string node = kNode;
  const std::string sign = R"("sign":")" + signature_of(node) + "\"";
  const std::string mine = R"({"alipay_trade_query_response":)" + node + ",";
  const std::string number = fmt::format(R"("alipay_cert_sn":"{}")", alipay_test::kCertificate);
  EXPECT_EQ(code_of(mine + number + "," + sign + "}", Mode::certificates), "believed");
  EXPECT_EQ(code_of(mine + sign + "," + number + "}", Mode::certificates), "believed");
  EXPECT_EQ(code_of(mine + sign + "}", Mode::certificates), "unknown_certificate");
  EXPECT_EQ(code_of(mine + R"("alipay_cert_sn":"another",)" + sign + "}", Mode::certificates), "unknown_certificate");
  EXPECT_EQ(code_of(mine + R"("alipay_cert_sn":1,)" + sign + "}", Mode::certificates), "unknown_certificate");
}

TEST(AlipayAnswer, ArbitraryTextIsSplitOrRejected) {
  EXPECT_TRUE(rc::check([] {
    const auto body = *rc::gen::container<std::string>(rc::gen::elementOf(std::string("{}[]\":,\\ sign1")));
    const auto parts = split_answer(kMethod, body);
    RC_ASSERT(!parts || !parts->node.empty());
  }));
}

TEST(AlipayAnswer, DeeplyNestedInputIsRejected) {
  const std::string deep = R"({"code":"10000","a":)" + std::string(100'000, '[') + std::string(100'000, ']') + "}";
  EXPECT_EQ(code_of(R"({"alipay_trade_query_response":)" + deep + R"(,"sign":")" + signature_of(deep) + "\"}"),
            "malformed");
}

}  // namespace
}  // namespace finality::alipay
