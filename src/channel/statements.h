// Optional interface of a channel: download and parsing of statements (对账单). channel/bank/ implements the parsing
// for bank accounts, which are no channels.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/parse_budget.h"
#include "base/result.h"
#include "base/time/time.h"
#include "channel/upstream.h"
#include "model/objects/statement.h"
#include "model/statement_line.h"

namespace finality {

/// The statements that a channel provides, and when. All spans have static storage duration.
struct StatementPlan {
  std::span<const StatementKind> kinds;                // kinds that can be downloaded, and uploaded
  std::span<const StatementKind> uploaded_kinds{};     // kinds that can only be uploaded
  std::span<const std::string_view> funds_accounts{};  // accounts with `funds` statements; empty: one, without name
  std::chrono::minutes utc_offset{0};                  // time zone in which the channel cuts the days
  Duration ready_after = std::chrono::hours(10);       // from the end of the day; then the first download
  Duration retry_every = std::chrono::minutes(30);     // while the channel has no statement
  Duration late_after = std::chrono::hours(12);        // from the end of the day; then a missing statement is reported
  std::int64_t history_days = 90;                      // age of the oldest statement that the channel provides
  bool are_uploads_expected = false;  // of each day, in uploaded_kinds; a missing one is reported after `late_after`

  /// The accounts at the channel with a statement of that kind; one without a name unless the channel names them.
  std::vector<std::string> accounts_of(StatementKind kind) const {
    if (kind != StatementKind::funds || funds_accounts.empty()) return {""};
    return {funds_accounts.begin(), funds_accounts.end()};
  }
  bool can_download(StatementKind kind) const { return std::ranges::find(kinds, kind) != kinds.end(); }
  bool can_upload(StatementKind kind) const {
    return can_download(kind) || std::ranges::find(uploaded_kinds, kind) != uploaded_kinds.end();
  }
};

/// Call for the statement (对账单) of one day.
struct StatementCall {
  StatementKind kind = StatementKind::trades;
  std::string funds_account{};  // one of StatementPlan::funds_accounts; empty for `trades`
  std::string date;             // YYYY-MM-DD, in the time zone of the channel
};

/// Link to a statement, valid for a short time. The caller sends `download` and passes the response to
/// Statements::file_of().
struct StatementLink {
  UpstreamRequest download;
  std::string sha1{};  // hash of the unpacked file in hexadecimal; empty if the channel does not report it
};
/// The statement itself, as received.
struct StatementFile {
  std::string content;
};
/// The channel has no statement of that day. `is_empty_day`: and never will, because nothing happened on that day.
struct NoStatement {
  bool is_empty_day = false;
  std::string code;  // of the channel, for operators
};
using StatementAnswer = std::variant<StatementLink, StatementFile, NoStatement>;

/// Receives the lines of a file, in order. Returns false to stop the parser.
using LineSink = std::function<bool(StatementLine&&)>;

/// Download and parsing of statements. Pure and thread safe, like Channel.
class Statements {
 public:
  virtual const StatementPlan& statement_plan() const = 0;

  /// Returns the signed request for the statement of a day, or for a link to it. Returns an error, a message for
  /// operators, if the call is invalid.
  virtual Result<UpstreamRequest> request_of(const StatementCall& call, Time now) const = 0;
  /// Returns what the response to `call` contains. After an error, it is unknown whether a statement exists.
  virtual Result<StatementAnswer> statement_answer_of(const StatementCall& call, const UpstreamResponse& response,
                                                      Time asked_at) const = 0;
  /// Returns the downloaded file as received, still packed, after verifying its hash if `link` has one. Returns an
  /// error if the download failed or the file is corrupt. Needs memory for the packed file only. Budget as in parse().
  virtual Result<std::string> file_of(const StatementLink& link, const UpstreamResponse& response,
                                      ParseBudget& budget) const = 0;

  /// Parses a file, downloaded or uploaded, packed or not, and passes its lines to `sink`. Returns the sums of all
  /// lines. Returns an error that names the line and the column if the file is malformed, belongs to another account or
  /// day, or if its lines differ from its totals. Needs memory for one line, not for the unpacked file. The error is
  /// returned after earlier lines have been passed to `sink`. If `sink` stops the parser, returns the sums of the lines
  /// so far, without comparing them with the totals. Returns an error if the file exceeds `budget`, or if the stop
  /// token of the budget stops the parser (ParseBudget::is_stopped()).
  virtual Result<std::vector<StatementSums>> parse(const StatementCall& call, std::string_view file,
                                                   ParseBudget& budget, const LineSink& sink) const = 0;

 protected:
  ~Statements() = default;
};

}  // namespace finality
