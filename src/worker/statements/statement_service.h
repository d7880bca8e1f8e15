// Expects, downloads and compares the statements (对账单) of the channel accounts of this server, on one thread. All
// progress is in the rows of the statements: a claim of another server, or a crash, leaves nothing half done.
//
//   day ends ──► ExpectStatement ──► StepStatement(fetch) ──► download ──► ReceiveStatement
//   received ──► StepStatement(match) ──► StatementMatcher: matches, evidence, differences ──► StepStatement(finish)
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "base/net/http_client.h"
#include "channel/channel.h"
#include "engine/engine.h"
#include "store/store.h"
#include "worker/restore/order_restorer.h"
#include "worker/statements/statement_matcher.h"

namespace finality {

/// The caller owns the objects passed by reference, which outlive the service.
struct StatementServiceOptions {
  Engine& engine;
  Store& store;
  const Channels& channels;
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
  std::atomic<std::uint64_t> lines{0};  // lines that were compared
  std::atomic<std::uint64_t> differences{0};
  std::atomic<std::int64_t> waiting{0};  // payments and refunds that have waited for a line for too long
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
  void expect_all(Time now);
  void count_waiting(Time now);
  Result<std::int64_t> waiting_in(DifferenceState state, const std::string& until);
  Result<void> expect(const ChannelAccount& account, const Statements& statements, Time now);
  void handle(const Statement& statement);
  Result<void> download(const Statement& statement, const Channel& channel);
  Result<std::string> fetch_file(const StatementCall& call, const Statements& statements, NoStatement& none);
  Result<void> note_missing(const Statement& statement, const Channel& channel, const NoStatement& none);
  Result<void> report_if_late(const Statement& statement, const Channel& channel);
  Result<void> report_late(const Statement& statement, DifferenceEvent event);
  Result<void> match(const Statement& statement, const Channel& channel);
  Result<void> check_file(const Statement& statement, const Statements& statements, const std::string& file,
                          std::vector<StatementSums>& sums);
  Result<void> compare(const Statement& statement, const Statements& statements, StatementMatcher& matcher,
                       const std::string& file, const std::vector<Statement>& earlier);
  Result<std::vector<Statement>> earlier_versions(const Statement& statement);
  Result<void> compare_earlier(const Statement& earlier, const Statements& statements, StatementMatcher& matcher);
  Result<Reply> step(const Statement& statement, StatementEvent event, const std::string& failure = {});
  Result<Reply> submit(Command command, MerchantId merchant);
  Result<bool> restore(const ArchivedOrder& order);
  Result<Reply> require(Command command, MerchantId merchant);
  UpstreamResponse send(UpstreamRequest request, std::size_t bytes_max);
  bool sleep(Duration pause);
  const ChannelAccount& account_of(const Statement& statement) const;

  StatementServiceOptions options_;
  StatementCounters counters_;
  std::unique_ptr<Reader> reader_;               // null after a failed read; the next round opens a new reader
  std::map<std::string, std::string> expected_;  // last day that was expected, by account, kind and funds account
  Time count_waiting_at_{};
  Time claimed_until_{};  // due_at of the claimed statement
  std::jthread thread_;
  std::mutex mutex_;
  std::condition_variable stopping_;
  bool is_stopping_ = false;
};

}  // namespace finality
