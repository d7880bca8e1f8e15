// Expects the statement of a day: the server submits this command when the day has ended, and operators to fetch a
// statement again (POST /v1/statements/fetch).
#pragma once

#include <string>

#include "decide/context.h"
#include "model/read_set.h"

namespace finality {

/// Names the statement of one day.
struct StatementDay {
  ChannelAccountId channel_account_id;
  std::string channel;  // NAME of the channel account
  StatementKind kind = StatementKind::trades;
  std::string funds_account;  // Statement::funds_account
  std::string date;           // YYYY-MM-DD
};

struct ExpectStatement {
  StatementDay day;
  StatementId newest;     // newest fetched version of the statement; 0: there is none
  bool is_again = false;  // fetch the statement although it exists, to find a newer version
  Time due_at;            // of the download
};

void add_reads(const ExpectStatement& command, ReadSet& reads);

/// Creates the statement in state `expected` if there is none. Otherwise changes nothing, or with `is_again` makes the
/// newest version due. The commit conflicts if the statement was created concurrently. Refuses with `not_found` if
/// `newest` is not a statement of that day.
Decision decide(const ExpectStatement& command, Context& context);

}  // namespace finality
