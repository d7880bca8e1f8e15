#include "channel/alipay/statement.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <zlib.h>

#include "channel/alipay/request.h"
#include "channel/alipay/testing/test_gateway.h"
#include "channel/alipay/zip.h"

namespace finality::alipay {
namespace {

using alipay_test::Mode;

constexpr const char* kRowsName = "20880_20260921_\xD2\xB5\xCE\xF1\xC3\xF7\xCF\xB8.csv";  // …业务明细.csv
constexpr const char* kSumsName =
    "20880_20260921_\xD2\xB5\xCE\xF1\xC3\xF7\xCF\xB8(\xBB\xE3\xD7\xDC).csv";  // …(汇总).csv

void put(std::string& out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i) & 255);
}

std::string deflated(const std::string& text) {
  z_stream stream{};
  deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, text.size()) + 16, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

struct File {
  std::string name;
  std::string text;
  bool packed = true;
  unsigned flags = 0;
  unsigned method = 8;  // compression method of a packed file; 8: deflate
};

// Builds a ZIP archive according to PKWARE's APPNOTE.
std::string zip_of(const std::vector<File>& files) {
  std::string archive;
  std::string directory;
  for (const File& file : files) {
    const std::size_t at = archive.size();
    const std::string data = file.packed ? deflated(file.text) : file.text;
    const auto crc = crc32(0, reinterpret_cast<const Bytef*>(file.text.data()), static_cast<uInt>(file.text.size()));
    std::string common;
    put(common, file.flags, 2);
    put(common, file.packed ? file.method : 0, 2);
    put(common, 0, 4);
    put(common, crc, 4);
    put(common, data.size(), 4);
    put(common, file.text.size(), 4);
    put(common, file.name.size(), 2);
    put(common, 3, 2);  // size of the extra field "xyz"
    archive += std::string("PK\3\4") + std::string("\x14\0", 2) + common + file.name + "xyz" + data;
    directory += std::string("PK\1\2") + std::string("\x14\0\x14\0", 4) + common;
    directory.append(10, '\0');
    put(directory, at, 4);
    directory += file.name + "xyz";
  }
  const std::size_t from = archive.size();
  archive += directory + std::string("PK\5\6") + std::string(4, '\0');
  put(archive, files.size(), 2);
  put(archive, files.size(), 2);
  put(archive, directory.size(), 4);
  put(archive, from, 4);
  put(archive, 0, 2);
  return archive;
}

std::string rows() { return std::string(10'000, 'r') + "\r\n"; }
std::vector<File> whole() { return {{kSumsName, "sums"}, {kRowsName, rows()}}; }

Result<std::string> read(std::string archive) { return read_statement({alipay_test::ok(std::move(archive)), ""}); }

TEST(AlipayStatement, TheFileWithTheRowsIsUnpacked) {
  const auto file = read(zip_of(whole()));
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(*file, rows());
  const auto stored = read(zip_of({{kRowsName, "a,b", false}, {kSumsName, "sums", false}}));
  ASSERT_TRUE(stored) << stored.error().message;
  EXPECT_EQ(*stored, "a,b");
}

TEST(AlipayStatement, NamesMayBeInUtf8) {
  EXPECT_EQ(read(zip_of({{"x_业务明细.csv", "a"}, {"x_业务明细(汇总).csv", "b"}})).value_or(""), "a");
}

TEST(AlipayStatement, OtherContentIsRejected) {
  for (const std::string& archive : {std::string(), std::string("<html>"), zip_of({}), zip_of({{kSumsName, "sums"}}),
                                     zip_of({{"rows.txt", "a"}}), zip_of({{kRowsName, "a"}, {"other.csv", "b"}}),
                                     zip_of({{kRowsName, "a", true, 1}}), zip_of({{kRowsName, "a", true, 0, 12}})})
    EXPECT_FALSE(read(archive)) << archive.size();
  EXPECT_FALSE(read_statement({{}, "no answer"}));
  EXPECT_FALSE(read_statement({net::HttpResponse{.status = 404, .body = zip_of(whole())}, ""}));
}

TEST(AlipayStatement, ATruncatedArchiveIsRejected) {
  std::string archive = zip_of(whole());
  while (!archive.empty()) {
    archive.pop_back();
    ASSERT_FALSE(read(archive)) << archive.size();
  }
}

TEST(AlipayStatement, AnArchiveWithACorruptByteIsReadCorrectlyOrRejected) {
  const std::string genuine = zip_of(whole());
  for (std::size_t i = 0; i < genuine.size(); ++i) {
    for (const int flip : {1, 0x80, 0xff}) {
      std::string archive = genuine;
      archive[i] = static_cast<char>(archive[i] ^ flip);
      const auto file = read(archive);
      if (file) ASSERT_EQ(*file, rows()) << i;
    }
  }
}

TEST(AlipayStatement, FilesAboveTheirStatedOrAllowedSizeAreRejected) {
  const std::string archive = zip_of({{kRowsName, std::string(1'000'000, 'x')}});
  const auto files = list_zip(archive);
  ASSERT_TRUE(files);
  EXPECT_FALSE(unpack(files->front(), 999'999));
  EXPECT_TRUE(unpack(files->front(), 1'000'000));
  ZipEntry more = files->front();
  more.size = 10;
  EXPECT_FALSE(unpack(more, 1'000'000));
}

class AlipayStatementLink : public testing::Test {
 protected:
  Result<std::optional<BillLink>> read_link(const net::HttpResponse& response) const {
    return (*channel_)->bill_link_of({BillKind::trades, "2026-09-21"}, {response, ""}, Time{});
  }
  Result<std::unique_ptr<AlipayChannel>> channel_ = make_alipay_channel(alipay_test::options_for(Mode::public_key));
};

TEST_F(AlipayStatementLink, DownloadsTheFile) {
  const auto answer = read_link(alipay_test::signed_answer(
      std::string(kStatement), boost::json::object{{"bill_download_url", "http://bills.example/d?id=1&t=2"}}));
  ASSERT_TRUE(answer) << answer.error().message;
  const auto& link = *answer;
  ASSERT_TRUE(link);
  EXPECT_EQ(link->download.url, "http://bills.example/d?id=1&t=2");
  EXPECT_EQ(link->download.http.method, "GET");
  EXPECT_EQ(link->download.http.target, "/d?id=1&t=2");
  EXPECT_EQ(link->sha1, "");
  const auto file = (*channel_)->bill_of(*link, {alipay_test::ok(zip_of(whole())), ""});
  EXPECT_EQ(file.value_or(""), rows());
}

TEST_F(AlipayStatementLink, MustBeAWebUrl) {
  for (const char* url : {"", "javascript:alert(1)", "ftp://bills.example/", "http://", "http://user@bills.example/x"})
    EXPECT_FALSE(
        read_link(alipay_test::signed_answer(std::string(kStatement), boost::json::object{{"bill_download_url", url}})))
        << url;
  EXPECT_FALSE(read_link(alipay_test::signed_answer(std::string(kStatement), boost::json::object{})));
}

TEST_F(AlipayStatementLink, IsEmptyWithoutAStatement) {
  for (const char* code : {"NO_BILL_DATA", "BILL_NOT_EXIST", "BILL_DATE_BEFORE_REGISTRATION", "isv.bill-not-exist"}) {
    const auto link = read_link(alipay_test::refusal(std::string(kStatement), "40004", code));
    ASSERT_TRUE(link) << code;
    EXPECT_FALSE(*link) << code;
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
  const auto request = (*channel_)->request_of(BillCall{BillKind::funds, "2026-09-21"}, Time{1'790'000'000'000});
  ASSERT_TRUE(request);
  EXPECT_EQ(percent_decode(request->http.body), R"(biz_content={"bill_type":"signcustomer","bill_date":"2026-09-21"})");
  EXPECT_TRUE(request->url.contains("method=alipay.data.dataservice.bill.downloadurl.query&"));
  EXPECT_FALSE((*channel_)->request_of(BillCall{BillKind::funds, "2026-09-31"}, Time{1'790'000'000'000}));
}

}  // namespace
}  // namespace finality::alipay
