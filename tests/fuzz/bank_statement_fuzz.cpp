// Arbitrary bytes as statements of a bank account: camt.053 and CSV, packed or not.
#include <cstddef>
#include <cstdint>

#include "channel/bank/bank_statements.h"
#include "channel/testing/statement_check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace finality;
  static const bank::BankStatements statements({"DE02120300000000202051", *parse_currency("EUR")});
  check_statement(statements, {reinterpret_cast<const char*>(data), size});
  return 0;
}
