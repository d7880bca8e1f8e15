#include "channel/alipay/statement/download.h"

#include <gtest/gtest.h>

#include "channel/alipay/request.h"
#include "channel/alipay/statement/zip.h"
#include "channel/alipay/testing/test_statement.h"

namespace finality::alipay {
namespace {

using alipay_test::Mode;
using alipay_test::zip_of;
using alipay_test::ZipFile;

constexpr const char* kRowsName = "20880_20260921_\xD2\xB5\xCE\xF1\xC3\xF7\xCF\xB8.csv";  // …业务明细.csv
constexpr const char* kSumsName =
    "20880_20260921_\xD2\xB5\xCE\xF1\xC3\xF7\xCF\xB8(\xBB\xE3\xD7\xDC).csv";  // …(汇总).csv

std::string rows() { return std::string(10'000, 'r') + "\r\n"; }
std::vector<ZipFile> whole() { return {{kSumsName, "sums"}, {kRowsName, rows()}}; }

// The text of the file with the rows.
Result<std::string> read(std::string_view archive) {
  std::string text;
  ParseBudget budget(archive.size());
  const auto done = read_statement_text(archive, budget, [&](std::string_view bytes) -> Result<void> {
    text += bytes;
    return {};
  });
  if (!done) return std::unexpected(done.error());
  return text;
}

Result<std::string> verified(const UpstreamResponse& response) {
  ParseBudget budget(response.http ? response.http->body.size() : 0);
  return verified_file(response, budget);
}

Result<std::string> downloaded(std::string archive) { return verified({alipay_test::ok(std::move(archive)), ""}); }

TEST(AlipayStatement, TheFileWithTheRowsIsUnpacked) {
  const auto file = read(zip_of(whole()));
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(*file, rows());
  const auto stored = read(zip_of({{kRowsName, "a,b", false}, {kSumsName, "sums", false}}));
  ASSERT_TRUE(stored) << stored.error().message;
  EXPECT_EQ(*stored, "a,b");
}

TEST(AlipayStatement, IsReturnedAsReceived) { EXPECT_EQ(downloaded(zip_of(whole())).value(), zip_of(whole())); }

TEST(AlipayStatement, NamesMayBeInUtf8) {
  EXPECT_EQ(read(zip_of({{"x_业务明细.csv", "a"}, {"x_业务明细(汇总).csv", "b"}})).value_or(""), "a");
}

TEST(AlipayStatement, OtherContentIsRejected) {
  for (const std::string& archive : {std::string(), std::string("<html>"), zip_of({}), zip_of({{kSumsName, "sums"}}),
                                     zip_of({{"rows.txt", "a"}}), zip_of({{kRowsName, "a"}, {"other.csv", "b"}}),
                                     zip_of({{kRowsName, "a", true, 1}}), zip_of({{kRowsName, "a", true, 0, 12}})})
    EXPECT_FALSE(downloaded(archive)) << archive.size();
  EXPECT_FALSE(verified({{}, "no answer"}));
  EXPECT_FALSE(verified({net::HttpResponse{.status = 404, .body = zip_of(whole())}, ""}));
}

TEST(AlipayStatement, ATruncatedArchiveIsRejected) {
  std::string archive = zip_of(whole());
  while (!archive.empty()) {
    archive.pop_back();
    ASSERT_FALSE(downloaded(archive)) << archive.size();
  }
}

TEST(AlipayStatement, AnArchiveWithACorruptByteIsReadCorrectlyOrRejected) {
  const std::string genuine = zip_of(whole());
  for (std::size_t i = 0; i < genuine.size(); ++i) {
    for (const int flip : {1, 0x80, 0xff}) {
      std::string archive = genuine;
      archive[i] = static_cast<char>(archive[i] ^ flip);
      const auto file = read(archive);
      if (file && downloaded(archive)) ASSERT_EQ(*file, rows()) << i;
    }
  }
}

TEST(AlipayStatement, FilesAboveTheirStatedOrAllowedSizeAreRejected) {
  const std::string archive = zip_of({{kRowsName, std::string(1'000'000, 'x')}});
  ParseBudget budget(archive.size());
  const auto files = list_zip(archive, budget);
  ASSERT_TRUE(files);
  const auto is_unpacked = [](const ZipEntry& entry, std::size_t bytes_max) {
    ParseBudget one({.output_bytes_max = bytes_max, .work_max = 2 * bytes_max});
    return unpack(entry, one, [](std::string_view) { return Result<void>(); }).has_value();
  };
  EXPECT_FALSE(is_unpacked(files->front(), 999'999));
  EXPECT_TRUE(is_unpacked(files->front(), 1'000'000));
  ZipEntry more = files->front();
  more.size = 10;
  EXPECT_FALSE(is_unpacked(more, 1'000'000));
}

// Returns the error of list_zip(). Nothing may be unpacked: each file of the directory costs a few work units only.
std::string listing_error(std::string_view archive) {
  ParseBudget budget(archive.size());
  const auto files = list_zip(archive, budget);
  EXPECT_LE(budget.work(), archive.size());
  return files ? "" : files.error().message;
}

TEST(AlipayStatement, ABombOfOverlappingFilesIsRefusedBeforeItIsUnpacked) {
  using alipay_test::zip_bomb;
  constexpr unsigned kStored = 0;
  constexpr unsigned kDeflated = 8;
  const std::string stored(3 << 20, 'a');
  const std::string deflated = raw_deflated(stored);
  for (const bool is_quoted : {false, true}) {
    EXPECT_EQ(listing_error(zip_bomb(100, deflated, 1000, kDeflated, is_quoted)), "two parts of the ZIP file overlap");
    EXPECT_TRUE(listing_error(zip_bomb(1000, deflated, 3 << 20, kDeflated, is_quoted)).contains("output limit of"));
    EXPECT_EQ(listing_error(zip_bomb(1001, deflated, 1000, kDeflated, is_quoted)),
              "the ZIP file has 1001 files; the limit is 1000");
  }
  EXPECT_EQ(listing_error(zip_bomb(65'535, stored, stored.size(), kStored, false)),
            "the ZIP file has 65535 files; the limit is 1000");
  EXPECT_EQ(listing_error(zip_bomb(100, stored, stored.size(), kStored, false)), "two parts of the ZIP file overlap");
  EXPECT_EQ(listing_error(zip_bomb(1, stored, stored.size(), kStored, false)), "") << "one file overlaps nothing";
}

TEST(AlipayStatement, EncryptedAndNestedFilesAreRefusedBeforeTheyAreUnpacked) {
  EXPECT_EQ(listing_error(zip_of({{kRowsName, "a", true, 1}})), "a file in the ZIP file is encrypted");
  const std::string nested = zip_of(whole());
  for (const ZipFile& file : {ZipFile{"a.zip", nested}, ZipFile{"a.csv", nested, false}, ZipFile{"a.gz", "a"},
                              ZipFile{"a.csv", gzip("a"), false}})
    EXPECT_EQ(listing_error(zip_of({{kRowsName, "a"}, file})), "a file in the ZIP file is an archive itself");
}

TEST(AlipayStatement, AStopEndsTheVerification) {
  const std::string archive = zip_of({{kRowsName, std::string(8 << 20, 'x')}});
  std::stop_source stop;
  ParseBudget budget(archive.size(), stop.get_token());
  stop.request_stop();
  EXPECT_FALSE(verified_file({alipay_test::ok(archive), ""}, budget));
  EXPECT_TRUE(budget.is_stopped());
}

class AlipayStatementLink : public testing::Test {
 protected:
  Result<StatementAnswer> read_link(const net::HttpResponse& response) const {
    return (*channel_)->statement_answer_of({.kind = StatementKind::trades, .date = "2026-09-21"}, {response, ""}, {});
  }
  Result<std::unique_ptr<AlipayChannel>> channel_ = make_alipay_channel(alipay_test::options_for(Mode::public_key));
};

TEST_F(AlipayStatementLink, DownloadsTheFile) {
  const auto answer = read_link(alipay_test::signed_answer(
      std::string(kStatement), boost::json::object{{"bill_download_url", "http://bills.example/d?id=1&t=2"}}));
  ASSERT_TRUE(answer) << answer.error().message;
  const auto* link = std::get_if<StatementLink>(&*answer);
  ASSERT_NE(link, nullptr);
  EXPECT_EQ(link->download.url, "http://bills.example/d?id=1&t=2");
  EXPECT_EQ(link->download.http.method, "GET");
  EXPECT_EQ(link->download.http.target, "/d?id=1&t=2");
  EXPECT_EQ(link->sha1, "");
  ParseBudget budget(0);
  const auto file = (*channel_)->file_of(*link, {alipay_test::ok(zip_of(whole())), ""}, budget);
  EXPECT_EQ(file.value_or(""), zip_of(whole()));
}

TEST_F(AlipayStatementLink, MustBeAWebUrl) {
  for (const char* url : {"", "javascript:alert(1)", "ftp://bills.example/", "http://", "http://user@bills.example/x"})
    EXPECT_FALSE(
        read_link(alipay_test::signed_answer(std::string(kStatement), boost::json::object{{"bill_download_url", url}})))
        << url;
  EXPECT_FALSE(read_link(alipay_test::signed_answer(std::string(kStatement), boost::json::object{})));
}

TEST_F(AlipayStatementLink, AnEmptyDayDiffersFromAMissingStatement) {
  const std::pair<const char*, bool> rows[] = {{"NO_BILL_DATA", true},
                                               {"BILL_DATE_BEFORE_REGISTRATION", true},
                                               {"BILL_NOT_EXIST", false},
                                               {"isv.bill-not-exist", false}};
  for (const auto& [code, is_empty_day] : rows) {
    const auto answer = read_link(alipay_test::refusal(std::string(kStatement), "40004", code));
    ASSERT_TRUE(answer) << code;
    const auto* none = std::get_if<NoStatement>(&*answer);
    ASSERT_NE(none, nullptr) << code;
    EXPECT_EQ(none->is_empty_day, is_empty_day) << code;
    EXPECT_EQ(none->code, code);
  }
}

TEST_F(AlipayStatementLink, AnEmptyFileIsAnEmptyDay) {
  for (const boost::json::object& node : {boost::json::object{{"bill_file_code", "EMPTY_DATA_WITH_BILL_FILE"}},
                                          boost::json::object{{"bill_file_code", "EMPTY_DATA_WITH_BILL_FILE"},
                                                              {"bill_download_url", "http://bills.example/d?id=1"}}}) {
    const auto answer = read_link(alipay_test::signed_answer(std::string(kStatement), node));
    ASSERT_TRUE(answer) << answer.error().message;
    const auto* none = std::get_if<NoStatement>(&*answer);
    ASSERT_NE(none, nullptr);
    EXPECT_TRUE(none->is_empty_day);
  }
}

TEST_F(AlipayStatementLink, ARefusalStatesWhatToDo) {
  const auto link = read_link(alipay_test::refusal(std::string(kStatement), "40004", "USER_RATE_LIMIT"));
  ASSERT_FALSE(link);
  EXPECT_TRUE(link.error().message.contains("USER_RATE_LIMIT") && link.error().message.contains("later"))
      << link.error().message;
  EXPECT_TRUE(read_link(alipay_test::refusal(std::string(kStatement), "40004", "NEW")).error().message.contains("why"));
}

TEST_F(AlipayStatementLink, IsRequestedByKindAndDay) {
  const auto request =
      (*channel_)->request_of({.kind = StatementKind::funds, .date = "2026-09-21"}, Time{1'790'000'000'000});
  ASSERT_TRUE(request);
  EXPECT_EQ(percent_decode(request->http.body), R"(biz_content={"bill_type":"signcustomer","bill_date":"2026-09-21"})");
  EXPECT_TRUE(request->url.contains("method=alipay.data.dataservice.bill.downloadurl.query&"));
}

}  // namespace
}  // namespace finality::alipay
