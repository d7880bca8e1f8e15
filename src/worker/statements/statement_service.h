// Expects, downloads and compares the statements (对账单) of the channel accounts of this server, on one thread. All
// progress is in the rows of the statements: a claim of another server, or a crash, leaves nothing half done.
//
//   day ends ──► ExpectStatement ──► StepStatement(fetch) ──► download ──► ReceiveStatement
//   received ──► StepStatement(match) ──► LineMatcher: matches, evidence, differences ──► StepStatement(finish)
//   comparison fails ──► StepStatement(not_ready) with the failure; repeated when the claim ends
//   file without an index of its lines ──► IndexStatement: before the comparison; after the start for all stored files
//   empty day ──► LineMatcher without lines ──► StepStatement(report_empty)
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/net/http_client.h"
#include "channel/statement_sources.h"
#include "decide/statement/step_statement.h"
#include "engine/engine.h"
#include "store/store.h"
#include "worker/engine_command_sender.h"
#include "worker/restore/order_restorer.h"
#include "worker/service_thread.h"
#include "worker/statements/due/statement_expectations.h"
#include "worker/statements/due/uncompared_statements.h"
#include "worker/statements/index/line_index.h"
#include "worker/statements/line_matcher.h"

namespace finality {

/// The caller owns the objects passed by reference, which outlive the service.
struct StatementServiceOptions {
  Engine& engine;
  Store& store;
  const StatementSources& sources;
  const Policy& policy;
  const Clock& clock;
  net::HttpClient& client;
  Secret key;                         // encrypts the files; 32 bytes (kStatementKeyBytes)
  OrderRestorer* restorer = nullptr;  // null: lines of archived orders are differences
};

/// Counters since the start of the server, for the metrics.
struct StatementCounters {
  std::atomic<std::uint64_t> downloads{0};
  std::atomic<std::uint64_t> download_failures{0};
  std::atomic<std::uint64_t> comparison_failures{0};  // without rejected files
  std::atomic<std::uint64_t> lines{0};                // lines that were compared
  std::atomic<std::uint64_t> differences{0};
  std::atomic<std::int64_t> waiting{0};  // documents that have waited for a line for too long
};

class StatementService {
 public:
  explicit StatementService(StatementServiceOptions options);
  /// Calls stop().
  ~StatementService();
  StatementService(const StatementService&) = delete;
  StatementService& operator=(const StatementService&) = delete;

  /// Starts the thread.
  void start();
  /// Ends the thread: waits for the current command or request. What was not finished is repeated after the next start.
  /// A second call does nothing.
  void stop();

  /// One round: expects the statements of ended days, then works on due statements. Returns whether it worked on any.
  /// For tests; otherwise only the thread calls it.
  bool work();

  const StatementCounters& counters() const { return counters_; }

 private:
  static constexpr std::size_t kStatementsPerRead = 100;

  void expect_all(Time now);
  void count_waiting(Time now);
  Result<void> add_waiting(DifferenceState state, const std::string& until,
                           std::unordered_set<std::int64_t>& documents);
  void handle(const Statement& statement);
  /// A statement that this server works on, and the event that renews its claim.
  struct Claimed {
    const Statement& statement;
    StatementEvent event;
  };
  Result<void> renew_claim(const Claimed& claimed);
  Result<void> download(const Statement& statement, const Statements& statements);
  Result<std::string> fetch_file(const StatementCall& call, const Statements& statements, NoStatement& none);
  Result<void> note_missing(const Statement& statement, const Statements& statements, const NoStatement& none);
  Result<void> compare_empty(const Statement& statement, const Statements& statements);
  Result<void> report_if_late(const Statement& statement, const StatementPlan& plan);
  Result<void> reject(const Statement& statement, const Error& why);
  Result<void> note_failure(const Statement& statement, const StatementPlan& plan, const Error& why);
  Result<void> match(const Statement& statement, const Statements& statements);
  MatchTask task_of(const Claimed& claimed, const Statements& statements, CommandSender& commands);
  Result<void> check_file(const Statement& statement, const Statements& statements, const std::string& file,
                          ParseBudget& budget, std::vector<StatementSums>& sums, LineIndexBuilder* index);
  Result<void> store_index(const Statement& statement, LineIndexBuilder& index);
  Result<void> index(const Statement& statement);
  bool try_to_index(const Statement& statement);
  void index_waiting(const Statement& statement, std::set<StatementId>& unindexable);
  bool index_next();
  Result<void> finish(const Statement& statement, StepStatement finish);
  Result<void> end_comparison(const Statement& statement, StepStatement end);
  Result<StepStatement> compare_all(const Statement& statement, const Statements& statements, const std::string& file,
                                    std::vector<StatementSums> sums);
  Result<void> read_lines(const Claimed& claimed, const Statement& of, const std::string& file,
                          const Statements& statements, const TakeLine& take);
  Result<void> read_earlier(const Claimed& claimed, const Statement& earlier, const Statements& statements,
                            const TakeLine& take);
  Result<void> read_again(const Claimed& claimed, const Statement& other, const Statements& statements,
                          const TakeLine& take);
  bool waits(const Statement& statement);
  Result<void> restore(std::span<const ArchivedOrder> orders);
  Result<Reply> step(const Statement& statement, StatementEvent event, const std::string& failure = {});
  EngineCommandSender new_sender();
  UpstreamResponse send(UpstreamRequest request, std::size_t bytes_max);
  const ChannelAccount& account_of(const Statement& statement) const;

  StatementServiceOptions options_;
  StatementCounters counters_;
  EngineCommandSender commands_;    // of all commands except those of a comparison
  std::unique_ptr<Reader> reader_;  // null after a failed read; the next round opens a new reader
  StatementExpectations expectations_;
  UncomparedStatements uncompared_;
  Time count_waiting_at_{};
  /// Position of the search for stored files without an index; empty at its end.
  std::optional<Page> unindexed_ = Page{.limit = kStatementsPerRead};
  /// Statements whose index could not be made, of those that waited in the last round.
  std::set<StatementId> unindexable_;
  Time claimed_until_{};  // due_at of the claimed statement
  ServiceThread thread_;
};

}  // namespace finality
