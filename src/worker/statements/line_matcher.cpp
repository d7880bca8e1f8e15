#include "worker/statements/line_matcher.h"

#include "worker/statements/bank/bank_matcher.h"
#include "worker/statements/funds_matcher.h"
#include "worker/statements/statement_matcher.h"

namespace finality {

std::unique_ptr<LineMatcher> make_matcher(const MatchTask& task, const StatementAggregate* earlier) {
  switch (task.statement.kind) {
    case StatementKind::trades:
      return std::make_unique<StatementMatcher>(task);
    case StatementKind::funds:
      return std::make_unique<FundsMatcher>(task, earlier);
    case StatementKind::bank:
      return std::make_unique<BankMatcher>(task);
  }
  return nullptr;
}

}  // namespace finality
