// Statements of a bank account: files in ISO 20022 camt.053 or in CSV (docs/reference/bank-statement.md), which people
// upload. A bank account is no channel: Finality sends it no requests.
#pragma once

#include <optional>

#include "channel/bank/bank_account.h"
#include "channel/statements.h"

namespace finality::bank {

class BankStatements final : public Statements {
 public:
  /// `expected_within`: from the end of each day to the upload of its statement, if statements are expected.
  explicit BankStatements(BankAccountNumber account, std::optional<Duration> expected_within = std::nullopt);

  const StatementPlan& statement_plan() const override;
  /// The next three return an error: the statements are uploaded, not downloaded.
  Result<UpstreamRequest> request_of(const StatementCall& call, Time now) const override;
  Result<StatementAnswer> statement_answer_of(const StatementCall& call, const UpstreamResponse& response,
                                              Time asked_at) const override;
  Result<std::string> file_of(const StatementLink& link, const UpstreamResponse& response,
                              ParseBudget& budget) const override;

  /// Accepts files packed with GZIP. The lines have the kinds `bank_credit` and `bank_debit`.
  Result<std::vector<StatementSums>> parse(const StatementCall& call, std::string_view file, ParseBudget& budget,
                                           const LineSink& sink) const override;

 private:
  BankAccountNumber account_;
  StatementPlan plan_;
};

/// The statements of all bank accounts, without the settings of one account.
const StatementPlan& statement_plan();

}  // namespace finality::bank
