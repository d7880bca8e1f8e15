#include "app/difference_text.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

namespace finality::app {
namespace {

namespace json = boost::json;

const json::array kAccounts = json::parse(R"([{"id":"cha_1","channel":"alipay"}])").as_array();

std::string table_of(const char* differences) {
  return difference_table(json::parse(differences).as_array(), kAccounts);
}

TEST(DifferenceTable, ShowsAccountMerchantOrderNumberAndDecimalAmount) {
  EXPECT_EQ(table_of(R"([{"id":"dif_1","date":"2026-11-02","channel_account":"cha_1","class":"amount_mismatch",
                          "state":"open","amount":-48,"currency":"CNY","merchant":"mer_1","merchant_order_no":"tea-1",
                          "subject":"trade 2026"},
                         {"id":"dif_2","date":"2026-11-02","channel_account":"cha_2","class":"unknown_receipt",
                          "state":"open","amount":1200,"currency":"JPY","subject":"trade 7"}])"),
            "id     date        account  class            state     amount  merchant  merchant_order_no  subject\n"
            "dif_1  2026-11-02  alipay   amount_mismatch  open   -0.48 CNY  mer_1     tea-1              trade 2026\n"
            "dif_2  2026-11-02  cha_2    unknown_receipt  open    1200 JPY  -         -                  trade 7\n");
}

TEST(DifferenceTable, AMissingStatementHasNoAmount) {
  EXPECT_TRUE(table_of(R"([{"id":"dif_1","class":"statement_missing","state":"open","amount":0,"subject":""}])")
                  .ends_with("dif_1  -     -        statement_missing  open        -  -         -\n"));
}

TEST(DifferenceTable, TextOfAChannelCannotControlTheTerminal) {
  EXPECT_FALSE(table_of(R"([{"id":"dif_1","subject":"\u001b[31m"}])").contains('\x1b'));
}

}  // namespace
}  // namespace finality::app
