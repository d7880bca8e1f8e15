// Builds statements of Alipay as its documentation and real files show them: CSV files in GB18030 with lines that begin
// with #, in a ZIP archive.
#pragma once

#include <fmt/format.h>
#include <iconv.h>
#include <zlib.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "channel/alipay/testing/test_gateway.h"
#include "channel/testing/statement_fixtures.h"

namespace finality::alipay_test {

inline std::string to_gb18030(std::string_view utf8) {
  iconv_t converter = iconv_open("GB18030", "UTF-8");
  FINALITY_CHECK(converter != reinterpret_cast<iconv_t>(-1), "no GB18030");
  std::string in(utf8);
  std::string out(in.size() * 2 + 4, '\0');
  char* from = in.data();
  char* to = out.data();
  std::size_t remaining = in.size();
  std::size_t room = out.size();
  FINALITY_CHECK(iconv(converter, &from, &remaining, &to, &room) != static_cast<std::size_t>(-1), "iconv failed");
  iconv_close(converter);
  out.resize(out.size() - room);
  return out;
}

inline void put(std::string& out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i) & 255);
}

struct ZipFile {
  std::string name;
  std::string text;
  bool packed = true;
  unsigned flags = 0;
  unsigned method = 8;  // compression method of a packed file; 8: deflate
};

/// Builds a ZIP archive according to PKWARE's APPNOTE.
inline std::string zip_of(const std::vector<ZipFile>& files) {
  std::string archive;
  std::string directory;
  for (const ZipFile& file : files) {
    const std::size_t at = archive.size();
    const std::string data = file.packed ? raw_deflated(file.text) : file.text;
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

/// Builds a ZIP bomb: a directory with `count` CSV files of `size` bytes that share the packed bytes `kernel`. With
/// `is_quoted`, each file also contains the local headers of the files after it, so that no two files begin at the same
/// offset (David Fifield, "A better zip bomb").
inline std::string zip_bomb(std::size_t count, std::string_view kernel, std::size_t size, unsigned method,
                            bool is_quoted) {
  std::string archive;
  std::string directory;
  const std::size_t headers = is_quoted ? count : 1;
  constexpr std::size_t kHeaderBytes = 30 + 8;  // of a local header with a name of 8 bytes
  for (std::size_t i = 0; i < count; ++i) {
    const std::string name = fmt::format("{:04}.csv", i);
    const std::size_t packed = (is_quoted ? (count - 1 - i) * kHeaderBytes : 0) + kernel.size();
    std::string common;
    put(common, 0, 2);
    put(common, method, 2);
    put(common, 0, 8);
    put(common, packed, 4);
    put(common, size, 4);
    put(common, name.size(), 2);
    put(common, 0, 2);
    if (i < headers) archive += std::string("PK\3\4") + std::string("\x14\0", 2) + common + name;
    directory += std::string("PK\1\2") + std::string("\x14\0\x14\0", 4) + common;
    directory.append(10, '\0');
    put(directory, is_quoted ? i * kHeaderBytes : 0, 4);
    directory += name;
  }
  archive += kernel;
  const std::size_t from = archive.size();
  archive += directory + std::string("PK\5\6") + std::string(4, '\0');
  put(archive, count, 2);
  put(archive, count, 2);
  put(archive, directory.size(), 4);
  put(archive, from, 4);
  put(archive, 0, 2);
  return archive;
}

using Names = std::vector<std::string>;
using Cells = std::map<std::string, std::string>;  // by the name of the column; other cells are empty

inline const Names kTradeNames{
    "支付宝交易号",     "商户订单号",        "业务类型",         "商品名称",         "创建时间",
    "完成时间",         "门店编号",          "门店名称",         "操作员",           "终端号",
    "对方账户",         "订单金额（元）",    "商家实收（元）",   "支付宝红包（元）", "集分宝（元）",
    "支付宝优惠（元）", "商家优惠（元）",    "券核销金额（元）", "券名称",           "商家红包消费金额（元）",
    "卡消费金额（元）", "退款批次号/请求号", "服务费（元）",     "分润（元）",       "备注"};
/// The columns of 2012, and those of newer files.
inline const Names kAccountNames{"账务流水号",     "业务流水号", "商户订单号",      "商品名称",
                                 "发生时间",       "对方账号",   "收入金额（+元）", "支出金额（-元）",
                                 "账户余额（元）", "交易渠道",   "业务类型",        "备注"};
inline const Names kNewAccountNames{"账务流水号",      "业务流水号",     "商品名称",   "发生时间", "收入金额（+元）",
                                    "支出金额（-元）", "账户余额（元）", "交易渠道",   "业务类型", "业务描述",
                                    "业务账单来源",    "业务基础订单号", "业务订单号", "备注",     "商户订单号",
                                    "对方账号"};

/// A row. Cells end with a tab, as those of identifiers do in real files.
inline std::string row_of(const Names& names, const Cells& cells) {
  std::string row;
  for (const std::string& name : names) row += (cells.contains(name) ? cells.at(name) + "\t" : "") + ",";
  row.pop_back();
  return row + "\r\n";
}

/// A file with these rows. `what` is 业务 (trades) or 账务 (account); `totals` are the lines after the rows.
inline std::string csv(std::string_view what, const Names& names, const std::vector<Cells>& rows,
                       std::string_view totals) {
  const std::string list = fmt::format("#-----------------------------------------{}明细列表", what);
  std::string file = fmt::format("#支付宝{}明细查询\r\n#账号：[{}0156]\r\n", what, kSellerId);
  file += "#起始日期：[2026年09月21日 00:00:00]   终止日期：[2026年09月22日 00:00:00]\r\n";
  file += list + "----------------------------------------\r\n";
  for (const std::string& name : names) file += name + ",";
  file.back() = '\r';
  file += "\n";
  for (const Cells& row : rows) file += row_of(names, row);
  file += list + "结束------------------------------------\r\n" + std::string(totals);
  return file + "#导出时间：[2026年09月22日 08:00:00]\r\n";
}

/// `cells` with changes.
inline Cells changed(Cells cells, const Cells& changes) {
  for (const auto& [name, value] : changes) cells[name] = value;
  return cells;
}

/// A payment of 100.00, of which the merchant bears a discount of 5.00.
inline const Cells kPaymentRow{{"支付宝交易号", kTradeNo},
                               {"商户订单号", "00000000000070000000000008"},
                               {"业务类型", "交易"},
                               {"商品名称", "茶"},
                               {"创建时间", "2026-09-21 09:14:50"},
                               {"完成时间", "2026-09-21 09:15:00"},
                               {"对方账户", "*明(138****0000)"},
                               {"订单金额（元）", "100.00"},
                               {"商家实收（元）", "95.00"},
                               {"支付宝红包（元）", "0.00"},
                               {"商家优惠（元）", "5.00"},
                               {"服务费（元）", "-0.57"},
                               {"分润（元）", "0.00"}};
/// A refund of 30.00 of that payment.
inline const Cells kRefundRow = changed(kPaymentRow, {{"业务类型", "退款"},
                                                      {"完成时间", "2026-09-21 10:00:00"},
                                                      {"订单金额（元）", "-30.00"},
                                                      {"商家实收（元）", "-28.50"},
                                                      {"商家优惠（元）", "-1.50"},
                                                      {"退款批次号/请求号", "00000000000070000000000009"},
                                                      {"服务费（元）", "0.17"}});
inline constexpr std::string_view kTradeTotals =
    "#交易合计：1笔，商家实收共95.00元，商家优惠共5.00元\r\n"
    "#退款合计：1笔，商家实收退款共-28.50元，商家优惠退款共-1.50元\r\n";

inline std::string trade_csv() { return csv("业务", kTradeNames, {kPaymentRow, kRefundRow}, kTradeTotals); }

/// A line of the account about that payment.
inline const Cells kAccountRow{{"账务流水号", "200000000000001"},
                               {"业务流水号", kTradeNo},
                               {"商户订单号", "00000000000070000000000008"},
                               {"商品名称", "茶"},
                               {"发生时间", "2026-09-21 09:15:00"},
                               {"收入金额（+元）", "95.00"},
                               {"账户余额（元）", "1095.00"},
                               {"交易渠道", "支付宝"},
                               {"业务类型", "在线支付"},
                               {"业务基础订单号", kTradeNo},
                               {"备注", "1"}};
inline const Cells kAccountFeeRow = changed(kAccountRow, {{"账务流水号", "200000000000002"},
                                                          {"收入金额（+元）", "0.00"},
                                                          {"支出金额（-元）", "-0.57"},
                                                          {"账户余额（元）", "1094.43"},
                                                          {"业务类型", "收费"}});
inline const Cells kAccountRefundRow = changed(kAccountRow, {{"账务流水号", "200000000000003"},
                                                             {"发生时间", "2026-09-21 10:00:00"},
                                                             {"收入金额（+元）", ""},
                                                             {"支出金额（-元）", "-28.50"},
                                                             {"账户余额（元）", "1065.93"},
                                                             {"业务类型", "交易退款"},
                                                             {"业务描述", "002|交易退款"}});
inline constexpr std::string_view kAccountTotals = "#支出合计：2笔，共-29.07元\r\n#收入合计：1笔，共95.00元\r\n";

inline std::string account_csv() {
  return csv("账务", kAccountNames, {kAccountRow, kAccountFeeRow, kAccountRefundRow}, kAccountTotals);
}

}  // namespace finality::alipay_test
