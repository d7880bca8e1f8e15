// Statements of the bank account DE02120300000000202051 (EUR) for 2026-09-21, in all formats, for tests.
#pragma once

#include <string>
#include <string_view>

#include "channel/bank/bank_statements.h"
#include "channel/testing/statement_fixtures.h"

namespace finality::bank_test {

inline const bank::BankAccountNumber kAccount{"DE02120300000000202051", *parse_currency("EUR")};
inline const StatementCall kCall{.kind = StatementKind::bank, .date = "2026-09-21"};

/// A balance of camt.053.
inline std::string balance(std::string_view type, std::string_view amount, std::string_view date = "2026-09-21",
                           std::string_view direction = "CRDT") {
  return fmt::format(
      "      <Bal>\n        <Tp><CdOrPrtry><Cd>{}</Cd></CdOrPrtry></Tp>\n        <Amt Ccy=\"EUR\">{}</Amt>\n"
      "        <CdtDbtInd>{}</CdtDbtInd>\n        <Dt><Dt>{}</Dt></Dt>\n      </Bal>\n",
      type, amount, direction, date);
}

/// The entries of the file: a withdrawal of a channel, a fee, a returned transfer, and a pending entry.
inline const std::string kEntries = R"(      <Ntry>
        <NtryRef>1</NtryRef>
        <Amt Ccy="EUR">950.00</Amt>
        <CdtDbtInd>CRDT</CdtDbtInd>
        <Sts>BOOK</Sts>
        <BookgDt><Dt>2026-09-21</Dt></BookgDt>
        <ValDt><Dt>2026-09-22</Dt></ValDt>
        <AcctSvcrRef>2026092100000001</AcctSvcrRef>
        <BkTxCd><Domn><Cd>PMNT</Cd></Domn></BkTxCd>
        <NtryDtls><TxDtls>
          <Refs><AcctSvcrRef>OTHER</AcctSvcrRef><EndToEndId>WD-20260920-7</EndToEndId></Refs>
          <AmtDtls><TxAmt><Amt Ccy="USD">1.00</Amt></TxAmt></AmtDtls>
          <RmtInf><Ustrd>Sandbox Payments</Ustrd><Ustrd>withdrawal &amp; fees</Ustrd></RmtInf>
        </TxDtls></NtryDtls>
      </Ntry>
      <Ntry>
        <Amt Ccy="EUR">3.5</Amt>
        <CdtDbtInd>DBIT</CdtDbtInd>
        <Sts>BOOK</Sts>
        <BookgDt><DtTm>2026-09-19T23:30:00+02:00</DtTm></BookgDt>
        <NtryDtls>
          <TxDtls><Refs><AcctSvcrRef>2026092100000002</AcctSvcrRef><EndToEndId>A</EndToEndId></Refs></TxDtls>
          <TxDtls><Refs><EndToEndId>B</EndToEndId></Refs></TxDtls>
        </NtryDtls>
        <AddtlNtryInf>Fee, Gebühr</AddtlNtryInf>
      </Ntry>
      <Ntry>
        <Amt Ccy="EUR">20.00</Amt>
        <CdtDbtInd>CRDT</CdtDbtInd>
        <RvslInd>true</RvslInd>
        <Sts>BOOK</Sts>
        <BookgDt><Dt>2026-09-21</Dt></BookgDt>
        <NtryDtls><TxDtls><Refs><EndToEndId>NOTPROVIDED</EndToEndId></Refs></TxDtls></NtryDtls>
      </Ntry>
      <Ntry>
        <Amt Ccy="EUR">77.00</Amt>
        <CdtDbtInd>DBIT</CdtDbtInd>
        <Sts>PDNG</Sts>
      </Ntry>
)";

/// A statement (`Stmt`) with the contents after its account.
inline std::string camt_statement(std::string_view contents, std::string_view iban = "DE02 1203 0000 0000 2020 51") {
  return fmt::format(
      "    <Stmt>\n      <Id>1</Id>\n      <Acct><Id><IBAN>{}</IBAN></Id><Ccy>EUR</Ccy></Acct>\n{}    </Stmt>\n", iban,
      contents);
}

inline std::string camt_file(std::string_view statements, std::string_view version = "02") {
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Document "
      "xmlns=\"urn:iso:std:iso:20022:tech:xsd:camt.053.001.{}\">\n"
      "  <BkToCstmrStmt>\n    <GrpHdr><MsgId>M1</MsgId></GrpHdr>\n{}  </BkToCstmrStmt>\n</Document>\n",
      version, statements);
}

/// A complete file of version 02.
inline std::string camt_02() {
  return camt_file(
      camt_statement(balance("OPBD", "1000.00") + balance("CLBD", "1966.50") + balance("CLAV", "1.00") + kEntries));
}

/// The same statement in version 08: the status of entries is an element, and elements have a prefix.
inline std::string camt_08() {
  std::string text = replaced(camt_02(), "<Sts>", "<Sts>\n          <Cd>");
  text = replaced(std::move(text), "</Sts>", "</Cd>\n        </Sts>");
  text = replaced(std::move(text), "</", "\x01");
  text = replaced(std::move(text), "<", "<c:");
  text = replaced(std::move(text), "\x01", "</c:");
  text = replaced(std::move(text), "<c:?xml", "<?xml");
  return replaced(std::move(text), "xmlns=\"urn:iso:std:iso:20022:tech:xsd:camt.053.001.02\"",
                  "xmlns:c=\"urn:iso:std:iso:20022:tech:xsd:camt.053.001.08\"");
}

inline const std::string kCsv =
    "type,account,date,amount,currency,reference,text,balance\n"
    "opening_balance,DE02120300000000202051,2026-09-21,1000.00,EUR,,,\n"
    "line,DE02120300000000202051,2026-09-21,950,EUR,B1,Sandbox withdrawal,1950.00\n"
    "line,DE02 1203 0000 0000 2020 51,2026-09-21,-3.5,EUR,,\"Fee, September\",\n"
    "closing_balance,DE02120300000000202051,2026-09-21,1946.50,EUR,,,\n";

inline ParsedStatement read(std::string_view file, const StatementCall& call = kCall) {
  return parsed(bank::BankStatements(kAccount), call, file);
}

}  // namespace finality::bank_test
