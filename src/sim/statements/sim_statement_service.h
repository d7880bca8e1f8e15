// Expects, downloads and compares the statements of the simulated channels, and uploads and compares those of the
// banks, as StatementService and people do, but on the simulation's only thread. While the work waits for a reply, the
// other tasks of the simulation run, such as the comparison of the same statement by another engine.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/statements/sim_command_sender.h"
#include "sim/statements/statement_book.h"
#include "sim/world/client.h"
#include "store/store.h"
#include "worker/statements/compare_statement.h"

namespace finality::sim {

class SimStatementService {
 public:
  /// `bug` may be null. REQUIRES: all arguments outlive this object.
  SimStatementService(SimScheduler& scheduler, Client& client, Reader& reader, StatementBook& book, Auditor& auditor,
                      const Policy& policy, const Bug* bug)
      : scheduler_(scheduler),
        client_(client),
        reader_(reader),
        book_(book),
        auditor_(auditor),
        policy_(policy),
        bug_(bug),
        rates_(StatementBook::rates_of(policy)) {}

  /// Schedules rounds until the end of the simulation: each is executed by a random engine. Statements are expected
  /// from the day on which the accounts were created.
  void start();

 private:
  /// The work of one engine on one statement. It ends when the engine crashes.
  struct Work {
    SimEngine& engine;
    SimCommandSender commands;  // of all commands except those of a comparison
    Time claimed_until;         // due_at of the claimed statement
  };

  void plan();
  void round();
  Result<void> expect(Work& work, const ChannelAccount& account);
  Result<void> fetch_again(Work& work, const ChannelAccount& account, StatementKind kind);
  void upload(const ChannelAccount& account);
  void upload(const FileName& name, const std::optional<Statement>& newest);
  bool waits(const Statement& statement);
  void handle(Work& work, const Statement& statement);
  Result<void> download(Work& work, const Statement& statement);
  Result<void> note_missing(Work& work, const Statement& statement, bool is_empty_day);
  Result<void> match(Work& work, const Statement& statement);
  StatementFiles files();
  MatchTask task_of(Work& work, const Statement& statement, StatementEvent claim, std::span<const StatementId> earlier,
                    CommandSender& commands);
  Result<void> finish(Work& work, const Statement& statement, StepStatement finish);
  Result<void> report_if_late(Work& work, const Statement& statement);
  Result<void> report_late(Work& work, const Statement& statement, DifferenceEvent event);
  const ChannelAccount& account_of(const Statement& statement) const { return policy_.accounts.at(statement.channel); }
  const StatementPlan& plan_of(const Statement& statement) const { return book_.plan_of(account_of(statement)); }
  Result<Reply> step(Work& work, const Statement& statement, StatementEvent event, const std::string& failure = {});

  SimScheduler& scheduler_;
  Client& client_;
  Reader& reader_;
  StatementBook& book_;
  Auditor& auditor_;
  const Policy& policy_;
  const Bug* bug_;
  const std::vector<ChannelRate> rates_;
  std::vector<const Statement*> in_work_;  // statements of the rounds that wait for a reply
};

}  // namespace finality::sim
