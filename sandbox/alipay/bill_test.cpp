#include "sandbox/alipay/bill.h"

#include <iconv.h>
#include <zlib.h>

#include <map>
#include <set>

#include "sandbox/alipay/test_world.h"
#include "sandbox/formats/zip.h"

namespace finality::sandbox {
namespace {

std::uint32_t number(const std::string& bytes, std::size_t at, std::size_t size) {
  std::uint32_t value = 0;
  for (std::size_t i = size; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes.at(at + i));
  return value;
}

std::string inflated(const std::string& packed, std::size_t size) {
  std::string out(size + 1, '\0');
  z_stream stream{};
  EXPECT_EQ(inflateInit2(&stream, -MAX_WBITS), Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  inflateEnd(&stream);
  return out;
}

// Reads the archive's entries through its central directory, as unzip programs do.
std::vector<ZipEntry> unzipped(const std::string& archive) {
  std::vector<ZipEntry> entries;
  const std::size_t end = archive.size() - 22;
  EXPECT_EQ(number(archive, end, 4), 0x06054b50u);
  std::size_t at = number(archive, end + 16, 4);
  EXPECT_EQ(at + number(archive, end + 12, 4), end);
  for (std::uint32_t remaining = number(archive, end + 10, 2); remaining > 0; --remaining) {
    EXPECT_EQ(number(archive, at, 4), 0x02014b50u);
    EXPECT_EQ(number(archive, at + 8, 2), 0u) << "no UTF-8 flag: the name is in GBK";
    const std::size_t name_size = number(archive, at + 28, 2);
    const std::size_t local = number(archive, at + 42, 4);
    EXPECT_EQ(archive.substr(local + 6, 24), archive.substr(at + 8, 24));
    const std::size_t data = local + 30 + name_size;
    std::string content = inflated(archive.substr(data, number(archive, at + 20, 4)), number(archive, at + 24, 4));
    EXPECT_EQ(crc32(0, reinterpret_cast<const Bytef*>(content.data()), static_cast<uInt>(content.size())),
              number(archive, at + 16, 4));
    entries.push_back({.name = archive.substr(at + 46, name_size), .content = std::move(content)});
    at += 46 + name_size;
  }
  return entries;
}

std::string from_gbk(std::string bytes) {
  iconv_t converter = iconv_open("UTF-8", "GB18030");
  std::string out(bytes.size() * 3 + 1, '\0');
  char* from = bytes.data();
  char* to = out.data();
  std::size_t remaining = bytes.size();
  std::size_t free_bytes = out.size();
  EXPECT_EQ(iconv(converter, &from, &remaining, &to, &free_bytes), 0u);
  iconv_close(converter);
  out.resize(out.size() - free_bytes);
  return out;
}

std::vector<std::string> split(const std::string& text, const std::string& at) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end = text.find(at); end != std::string::npos; end = text.find(at, begin)) {
    parts.push_back(text.substr(begin, end - begin));
    begin = end + at.size();
  }
  parts.push_back(text.substr(begin));
  return parts;
}

class AlipayBillTest : public AlipayTest {
 protected:
  void SetUp() override { publish_early("alipay", today()); }

  static std::string today() { return to_rfc3339(SystemClock().now() + std::chrono::hours(8)).substr(0, 10); }

  Object call_download_url(const std::string& type, const std::string& date) {
    return call_gateway("alipay.data.dataservice.bill.downloadurl.query", {{"bill_type", type}, {"bill_date", date}});
  }
  std::string link_of(const std::string& type, const std::string& date) {
    const Object node = call_download_url(type, date);
    EXPECT_EQ(at(node, "code"), "10000") << node;
    const std::string url = at(node, "bill_download_url");
    const std::string site = fmt::format("http://127.0.0.1:{}", sandbox_->port());
    EXPECT_TRUE(url.starts_with(site)) << url;
    return url.substr(site.size());
  }
  std::vector<ZipEntry> fetch(const std::string& type, const std::string& date = today()) {
    const net::HttpResponse file = exchange("GET", link_of(type, date), "", {});
    EXPECT_EQ(file.status, 200);
    auto entries = unzipped(file.body);
    for (ZipEntry& entry : entries) {
      entry.name = from_gbk(entry.name);
      entry.content = from_gbk(entry.content);
    }
    EXPECT_EQ(entries.size(), 2u);
    return entries;
  }

  // Creates the bill's data: two payments, two refunds, and a third payment that Alipay refunds without a request.
  void do_business() {
    visit("POST", "/wallet/" + open_page("order_1") + "/pay");
    visit("POST", "/wallet/" + open_page("order_2") + "/pay");
    refund("order_1", "2.34", "back_1");
    refund("order_2", "12.34", "back_2");
    precreate("order_3", "refunded_by_channel");
    wait_for_status("order_3", "TRADE_CLOSED");
    open_page("order_4");  // not paid, so not in a bill
  }
};

TEST_F(AlipayBillTest, TheTradesOfADayAreAZipOfTwoFilesInGbk) {
  do_business();
  const std::vector<ZipEntry> files = fetch("trade");
  std::string day = today();
  std::erase(day, '-');
  EXPECT_EQ(files[0].name, "20880000000000010156_" + day + "_业务明细.csv");
  EXPECT_EQ(files[1].name, "20880000000000010156_" + day + "_业务明细(汇总).csv");

  const std::vector<std::string> lines = split(files[0].content, "\r\n");
  ASSERT_EQ(lines.size(), 16u) << files[0].content;
  EXPECT_EQ(lines[0], "#支付宝业务明细查询");
  EXPECT_EQ(lines[1], "#账号：[20880000000000010156]");
  EXPECT_TRUE(lines[2].starts_with("#起始日期：[2")) << lines[2];
  EXPECT_TRUE(lines[2].contains("日 00:00:00]   终止日期：[")) << lines[2];
  EXPECT_EQ(lines[3], "#-----------------------------------------业务明细列表----------------------------------------");
  const std::vector<std::string> header = split(lines[4], ",");
  ASSERT_EQ(header.size(), 25u);
  EXPECT_EQ(header[0], "支付宝交易号");
  EXPECT_EQ(header[21], "退款批次号/请求号");
  EXPECT_EQ(lines[11],
            "#-----------------------------------------业务明细列表结束------------------------------------");
  EXPECT_EQ(lines[12], "#交易合计：3笔，商家实收共37.02元，商家优惠共0.00元");
  EXPECT_EQ(lines[13], "#退款合计：3笔，商家实收退款共-27.02元，商家优惠退款共0.00元");
  EXPECT_TRUE(lines[14].starts_with("#导出时间：[2")) << lines[14];
  EXPECT_EQ(lines[15], "");

  const std::map<std::string, std::string> fees{{"12.34", "-0.07"}, {"-12.34", "0.07"}, {"-2.34", "0.01"}};
  std::map<std::string, std::string> amounts;  // amounts by out_trade_no and direction
  for (std::size_t i = 5; i < 11; ++i) {
    const std::vector<std::string> cells = split(lines[i], ",");
    ASSERT_EQ(cells.size(), 25u) << lines[i];
    EXPECT_TRUE(cells[0].ends_with('\t') && cells[1].ends_with('\t')) << "ids end with a tab";
    EXPECT_EQ(cells[2] == "退款", !cells[21].empty());
    EXPECT_EQ(cells[3], "茶 Tea");
    EXPECT_EQ(cells[11], cells[12]);
    EXPECT_EQ(cells[22], fees.at(cells[11])) << lines[i];
    amounts[cells[1].substr(0, 7) + cells[2]] = cells[11];
  }
  EXPECT_EQ(amounts, (std::map<std::string, std::string>{{"order_1交易", "12.34"},
                                                         {"order_1退款", "-2.34"},
                                                         {"order_2交易", "12.34"},
                                                         {"order_2退款", "-12.34"},
                                                         {"order_3交易", "12.34"},
                                                         {"order_3退款", "-12.34"}}));
}

TEST_F(AlipayBillTest, TheFundsOfADayAddUpToTheBalance) {
  do_business();
  const std::vector<ZipEntry> files = fetch("signcustomer");
  EXPECT_TRUE(files[0].name.ends_with("_账务明细.csv")) << files[0].name;
  EXPECT_TRUE(files[1].name.ends_with("_账务明细(汇总).csv")) << files[1].name;
  const std::vector<std::string> lines = split(files[0].content, "\r\n");
  ASSERT_EQ(lines.size(), 22u) << files[0].content;
  EXPECT_EQ(lines[0], "#支付宝账务明细查询");
  EXPECT_TRUE(lines[4].starts_with("账务流水号,业务流水号,商户订单号,")) << "the header is the fifth line";
  std::set<std::string> ids;
  for (std::size_t i = 5; i < 17; ++i) {
    const std::vector<std::string> cells = split(lines[i], ",");
    EXPECT_EQ(cells.size(), 12u) << lines[i];
    EXPECT_TRUE(ids.insert(cells[0]).second) << lines[i];
  }
  EXPECT_EQ(split(lines[16], ",")[8], "9.94");
  EXPECT_EQ(lines[18], "#支出合计：6笔，共-27.23元");
  EXPECT_EQ(lines[19], "#收入合计：6笔，共37.17元");
  EXPECT_TRUE(files[1].content.starts_with("#支付宝账务汇总查询\r\n"));
  EXPECT_TRUE(files[1].content.contains("合计,6,37.17,6,-27.23,9.94\r\n")) << files[1].content;
}

TEST_F(AlipayBillTest, ABillMayBeOfAMonth) {
  publish_early("alipay", today().substr(0, 7));
  visit("POST", "/wallet/" + open_page("order_1") + "/pay");
  const std::vector<ZipEntry> files = fetch("trade", today().substr(0, 7));
  EXPECT_TRUE(files[0].content.contains("月01日 00:00:00]   终止日期：[")) << files[0].content;
  EXPECT_TRUE(files[0].content.contains("order_1\t,"));
}

TEST_F(AlipayBillTest, ReportsWhyThereIsNoBill) {
  EXPECT_EQ(sub_code(call_download_url("trade", today())), "NO_BILL_DATA");
  EXPECT_EQ(sub_code(call_download_url("trade", "2999-01-01")), "BILL_NOT_EXIST");
  EXPECT_EQ(sub_code(call_download_url("wonder", today())), "TYPE_NOT_SUPPORTED");
  for (const char* date : {"yesterday", "2026-13-01", "2026-02-30", "2026/01/01"})
    EXPECT_EQ(sub_code(call_download_url("trade", date)), "INVAILID_ARGUMENTS") << date;
}

TEST_F(AlipayBillTest, AForgedLinkIsRejected) {
  visit("POST", "/wallet/" + open_page("order_1") + "/pay");
  std::string forged = link_of("trade", today());
  forged.replace(forged.find("bizType=trade"), 13, "bizType=signcustomer");
  EXPECT_EQ(exchange("GET", forged, "", {}).status, 403);
  EXPECT_EQ(exchange("GET", "/downloadBillFile.resource", "", {}).status, 403);
}

TEST(AlipayBillLinks, AreValidUntilTheirExpiryForTheirBillOnly) {
  using alipay::BillKind;
  const alipay::BillLinks links(alipay::kApplications[0], Secret("theirs"), Duration{30'000});
  const Time now{1'795'000'000'000};
  const std::string link = links.make(BillKind::funds, "2026-11-21", now);
  const std::string query = link.substr(link.find('?') + 1);
  const auto request = links.read(query, now + Duration{29'999});
  ASSERT_TRUE(request);
  EXPECT_EQ(request->kind, BillKind::funds);
  EXPECT_EQ(request->date, "2026-11-21");
  EXPECT_FALSE(links.read(query, now + Duration{30'000})) << "expired";
  EXPECT_FALSE(alipay::BillLinks(alipay::kApplications[0], Secret("another's"), Duration{30'000}).read(query, now));
  for (std::size_t i = 0; i < query.size(); ++i) {
    std::string altered = query;
    altered[i] = altered[i] == '0' ? '1' : '0';
    EXPECT_FALSE(links.read(altered, now)) << altered;
  }
}

}  // namespace
}  // namespace finality::sandbox
