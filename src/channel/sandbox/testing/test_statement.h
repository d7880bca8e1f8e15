// Statements of the simple channel as docs/reference/simple-statement.md describes them.
#pragma once

#include <string>
#include <string_view>

#include "model/objects/statement.h"

namespace finality::sandbox_test {

inline const std::string kTrades =
    "statement,version,channel,kind,date,time_zone\n"
    "statement,1,sandbox,trades,2026-09-21,+08:00\n"
    "columns,type,time,trade_no,out_trade_no,refund_no,out_refund_no,currency,amount,discount,fee,status\n"
    "line,payment,2026-09-21T09:15:00+08:00,sbt_1,00000000000070000000000008,,,CNY,100.00,5.00,0.57,success\n"
    "line,refund,2026-09-21T10:00:00+08:00,sbt_1,00000000000070000000000008,sbr_1,00000000000070000000000009,CNY,30,1."
    "5,"
    "-0.171,processing\n"
    "line,payment,2026-09-21T11:00:00.250+08:00,sbt_2,000000000000700000000000x2,,,JPY,500,0,0,failed\n"
    "totals_columns,currency,lines,payments,paid,refunds,refunded,fees\n"
    "totals,CNY,2,1,100.00,1,30.00,0.399\n"
    "totals,JPY,1,1,500,0,0,0\n";

inline const std::string kFunds =
    "statement,version,channel,kind,date,time_zone\n"
    "statement,1,sandbox,funds,2026-09-21,+08:00\n"
    "columns,line_id,time,type,trade_no,out_trade_no,refund_no,out_refund_no,currency,amount,balance,memo\n"
    "line,sbl_1,2026-09-21T09:15:00+08:00,payment,sbt_1,00000000000070000000000008,,,CNY,95.00,1095.00,\n"
    "line,sbl_2,2026-09-21T09:15:00+08:00,fee,sbt_1,00000000000070000000000008,,,CNY,-0.57,1094.43,\"0.6 %, "
    "\"\"rate\"\"\"\n"
    "line,sbl_3,2026-09-21T10:00:00+08:00,refund,sbt_1,00000000000070000000000008,sbr_1,00000000000070000000000009,CNY,"
    "-28.50,1065.93,\n"
    "totals_columns,currency,lines,credits,debits,opening_balance,closing_balance\n"
    "totals,CNY,3,95.00,29.07,1000.00,1065.93\n";

inline std::string statement_file(StatementKind kind) { return kind == StatementKind::trades ? kTrades : kFunds; }

}  // namespace finality::sandbox_test
