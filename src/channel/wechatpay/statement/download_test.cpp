#include "channel/wechatpay/statement/download.h"

#include <gtest/gtest.h>

#include "base/crypto/legacy_digest.h"
#include "channel/testing/channel_contract.h"
#include "channel/testing/statement_fixtures.h"
#include "channel/wechatpay/testing/test_wechatpay.h"

namespace finality::wechatpay {
namespace {

using namespace wechatpay_test;
using channel_contract::kNow;

const std::string kFile = "\xEF\xBB\xBF交易时间,公众账号ID\r\n`2026-09-21 22:13:20,`wx0f1a0c0de0000001\r\n";

json::object location() {
  return {{"hash_type", "SHA1"},
          {"hash_value", sha1_hex(kFile)},
          {"download_url", "https://api.mch.weixin.qq.com/v3/billdownload/file?token=t-1"}};
}

class WechatpayStatementDownload : public testing::Test {
 protected:
  Result<StatementAnswer> answer_to(net::HttpResponse response) const {
    return channel_->statement_answer_of(call_, UpstreamResponse{std::move(response), ""}, kNow);
  }
  Result<std::string> downloaded(std::string body, int status = 200) const {
    return file_of({.sha1 = sha1_hex(kFile)}, {net::HttpResponse{.status = status, .body = std::move(body)}, ""});
  }
  Result<std::string> file_of(const StatementLink& link, const UpstreamResponse& response) const {
    ParseBudget budget(response.http ? response.http->body.size() : 0);
    return channel_->file_of(link, response, budget);
  }

  std::unique_ptr<WechatpayChannel> channel_ = *make_wechatpay_channel(options());
  StatementCall call_{.kind = StatementKind::trades, .date = "2026-09-21"};
};

TEST_F(WechatpayStatementDownload, IsRequestedByDayAndCompressed) {
  EXPECT_EQ(channel_->request_of(call_, kNow)->http.target,
            "/v3/bill/tradebill?bill_date=2026-09-21&bill_type=ALL&tar_type=GZIP");
  call_.kind = StatementKind::funds;
  call_.funds_account = "BASIC";
  EXPECT_EQ(channel_->request_of(call_, kNow)->http.target,
            "/v3/bill/fundflowbill?bill_date=2026-09-21&account_type=BASIC&tar_type=GZIP");
}

TEST_F(WechatpayStatementDownload, TheDownloadIsSignedOverPathAndQuery) {
  const auto answer = answer_to(signed_answer(200, location(), kNow));
  ASSERT_TRUE(answer) << answer.error().message;
  const auto* found = std::get_if<StatementLink>(&*answer);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->sha1, sha1_hex(kFile));
  EXPECT_EQ(found->download.url, "https://api.mch.weixin.qq.com/v3/billdownload/file?token=t-1");
  EXPECT_EQ(found->download.http.method, "GET");
  EXPECT_EQ(found->download.http.target, "/v3/billdownload/file?token=t-1");
  const std::string header(found->download.http.headers.get("Authorization"));
  const auto part = [&](const std::string& name) {
    const std::size_t at = header.find(name + "=\"") + name.size() + 2;
    return header.substr(at, header.find('"', at) - at);
  };
  EXPECT_TRUE(merchant_key().public_key().verifies(
      "GET\n/v3/billdownload/file?token=t-1\n" + part("timestamp") + "\n" + part("nonce_str") + "\n\n",
      *from_base64(part("signature"))));
}

TEST_F(WechatpayStatementDownload, AMalformedLinkIsRejected) {
  for (const char* name : {"hash_type", "hash_value", "download_url"}) {
    json::object broken = location();
    broken.erase(name);
    EXPECT_FALSE(answer_to(signed_answer(200, broken, kNow))) << name;
  }
  const std::pair<const char*, const char*> rows[] = {{"hash_type", "MD5"},
                                                      {"hash_value", "abcd"},
                                                      {"hash_value", "no hex, but as long as a SHA1 is, really"},
                                                      {"download_url", "file:///etc/passwd"},
                                                      {"download_url", "https://a@b/"},
                                                      {"download_url", "https://elsewhere.example/v3/x"},
                                                      {"download_url", "https://api.mch.weixin.qq.com.example/x"},
                                                      {"download_url", "http://api.mch.weixin.qq.com/v3/x"}};
  for (const auto& [name, value] : rows) {
    json::object broken = location();
    broken[name] = value;
    EXPECT_FALSE(answer_to(signed_answer(200, broken, kNow))) << name << ' ' << value;
  }
}

TEST_F(WechatpayStatementDownload, CodesAreReadWithAndWithoutUnderscores) {
  const std::pair<const char*, bool> rows[] = {{"NO_STATEMENT_EXIST", true},
                                               {"NOSTATEMENTEXIST", true},
                                               {"STATEMENT_CREATING", false},
                                               {"STATEMENTCREATING", false}};
  for (const auto& [code, is_empty_day] : rows) {
    const auto answer = answer_to(refusal(400, code));
    ASSERT_TRUE(answer) << code;
    const auto* none = std::get_if<NoStatement>(&*answer);
    ASSERT_NE(none, nullptr) << code;
    EXPECT_EQ(none->is_empty_day, is_empty_day) << code;
    EXPECT_EQ(none->code, code);
  }
}

TEST_F(WechatpayStatementDownload, ARefusalHasAMessage) {
  EXPECT_TRUE(answer_to(refusal(403, "NO_AUTH", "无权限")).error().message.contains("无权限"));
  EXPECT_TRUE(
      answer_to({.status = 200, .body = json::serialize(location())}).error().message.contains("failed verification"));
  EXPECT_TRUE(answer_to({.status = 500}).error().message.contains("http_500"));
}

TEST_F(WechatpayStatementDownload, IsReturnedAsReceivedIfItsContentHasTheHash) {
  EXPECT_EQ(downloaded(gzip(kFile)).value(), gzip(kFile));
  EXPECT_EQ(downloaded(kFile).value(), kFile);
}

TEST_F(WechatpayStatementDownload, AnotherFileIsRejected) {
  EXPECT_FALSE(downloaded(gzip(kFile + "`one more\r\n")));
  EXPECT_FALSE(downloaded(kFile.substr(3)));
  EXPECT_FALSE(downloaded(""));
  EXPECT_FALSE(downloaded(gzip(kFile).substr(0, 40)));
  EXPECT_FALSE(downloaded(gzip(gzip(kFile))));
  EXPECT_FALSE(downloaded(kFile, 404));
  EXPECT_FALSE(file_of(StatementLink{.sha1 = ""}, UpstreamResponse{net::HttpResponse{.body = kFile}, ""}));
  EXPECT_FALSE(file_of(StatementLink{.sha1 = sha1_hex("")}, UpstreamResponse{.http = {}, .failure = "timeout"}));
}

}  // namespace
}  // namespace finality::wechatpay
