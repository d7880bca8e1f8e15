// Statements (对账单) of the simulated channels and banks, of all kinds. The lines come from the records of the
// channels (Upstream, FundsBook), not from rows of the engines. The seed injects faults into files and lines, and the
// book records each of them for the auditor.
#pragma once

#include <compare>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "channel/statements.h"
#include "model/objects/channel_rate.h"
#include "sim/auditors/order_auditor.h"
#include "sim/statements/funds_book.h"
#include "sim/statements/line_number.h"
#include "sim/upstream/upstream.h"
#include "sim/world/sim_scheduler.h"

namespace finality::sim {

/// The statement of a day of a channel account or bank account.
struct FileName {
  std::string channel;  // NAME of the account
  std::string date;
  StatementKind kind = StatementKind::trades;
  auto operator<=>(const FileName&) const = default;
};
FileName name_of_file(const Statement& statement);

/// One file: a version of a statement.
struct ChannelFile {
  FileName name;
  std::string sha256;
  std::vector<StatementLine> lines;  // line_no counts from 1
  std::vector<StatementSums> sums;   // of the lines; with balances unless the file lists trades
  bool is_malformed = false;         // the parser rejects the file, which has no lines or is misread
};

/// A fault of one line.
enum class LineFault : std::uint8_t {
  dropped,       // no statement lists it
  postponed,     // a file of a later day lists it
  doubled,       // the file lists it twice
  repeated,      // a file of a later day lists it too
  other_amount,  // the file lists it with another amount
  other_cost,    // the file lists it with another fee
  restated,      // a second version of the file lists it with another amount
  withdrawn,     // a second version of the file does not list it
  foreign,       // the file lists a movement without a document
};
BOOST_DESCRIBE_ENUM(LineFault, dropped, postponed, doubled, repeated, other_amount, other_cost, restated, withdrawn,
                    foreign)

struct InjectedFault {
  LineFault fault = LineFault::dropped;
  std::string channel;
  std::string date;  // day of the payment or refund
  StatementKind kind = StatementKind::trades;
  StatementLine line;    // as the channel's records have it
  StatementLine listed;  // as the file has it
};

class StatementBook {
 public:
  /// What a channel replies to the download of a statement: a file, no file yet, or an empty day.
  struct Download {
    const ChannelFile* file = nullptr;
    bool is_empty_day = false;
  };

  /// Draws the plan of the channels. `orders`: most faults of lines only affect payments and refunds that are booked.
  /// `has_funds`: whether the channels and banks provide statements of funds and of bank accounts too. REQUIRES: all
  /// arguments outlive this object.
  StatementBook(SimScheduler& scheduler, const Upstream& upstream, const OrderAuditor& orders, const Policy& policy,
                bool has_funds = false);

  /// Draws movements of the balances. Statements are expected from the current day on.
  void start();
  bool has_funds() const { return has_funds_; }
  /// The plan of the channels.
  const StatementPlan& plan() const { return plan_; }
  const StatementPlan& plan_of(const ChannelAccount& account) const { return account.is_bank() ? bank_plan_ : plan_; }
  /// The rates with which the lines are compared, for these channel accounts.
  static std::vector<ChannelRate> rates_of(const Policy& policy);
  /// Records a payment at the channel that no engine has requested.
  void add_unknown_payment(const std::string& channel, const std::string& trade_no, const std::string& out_trade_no,
                           MinorUnits amount, Currency currency);
  /// Returns the statement of the day. The files of the first call and of later calls can differ, see offers_another().
  Download download(const FileName& name);
  /// Records that a download failed, or that the channel had no statement, at that time of the server's clock.
  void note_failure(const FileName& name, Time at);
  /// Returns true if the channel now has another statement than the one that a server received and worked on. The next
  /// download returns it.
  bool offers_another(const Statement& received);

  /// Returns the file; null if no file has this hash.
  const ChannelFile* file(const std::string& sha256) const;
  const std::vector<InjectedFault>& injected() const { return injected_; }
  /// Returns true if the line reports a payment that no engine has requested.
  bool is_unknown_payment(const std::string& channel, const StatementLine& line) const;
  /// The last failure that note_failure() recorded for the day; empty without a failure.
  std::optional<Time> last_failure(const FileName& name) const;
  /// Returns true if the statement of that day must have been compared by now, however late it was.
  bool is_overdue(const std::string& date) const;
  /// Returns true if a malformed file of that day was offered.
  bool was_malformed(const FileName& name) const;
  /// The days of which a server has asked for the statement.
  template <class Visit>
  void each_day(Visit visit) const {
    for (const auto& [name, day] : days_) visit(name);
  }

 private:
  using Name = std::pair<FileName, std::string>;  // a line: its statement, without the day, and identity_of()

  struct Day {
    Time available_at;
    bool claims_empty = false;        // the channel reports an empty day, although it has a file
    bool is_malformed = false;        // the next file is malformed
    bool is_misread = false;          // that file is right: the parser rejects it until it is mended
    bool was_malformed = false;       // a malformed file was offered
    bool lists_nothing = false;       // an empty day is a file without lines
    std::optional<Time> restates_at;  // when a second version exists
    const ChannelFile* current = nullptr;
    std::optional<Time> last_failure;
    std::optional<std::vector<StatementLine>> lines;  // of the newest version; empty before they are drawn
    MinorUnits opening = 0;                           // balance before the lines
  };

  Day& day_of(const FileName& name);
  Day draw_day(const FileName& name);
  const std::vector<StatementLine>& lines_of(const FileName& name, Day& day);
  MinorUnits balance_before(const FileName& name);
  bool replaces_rejected(const Statement& rejected, Day& day);
  const ChannelFile& add_file(const FileName& name, const Day& day, std::vector<StatementLine> lines,
                              bool is_malformed);
  std::vector<StatementLine> records_of(const FileName& name) const;
  std::vector<StatementLine> trades_of(const FileName& name) const;
  std::vector<StatementLine> draw_lines(const FileName& name);
  void draw_line(const FileName& day, const StatementLine& line, std::vector<StatementLine>& lines);
  void draw_unbooked_line(const FileName& day, const StatementLine& line, std::vector<StatementLine>& lines);
  void draw_movement(const FileName& day, const StatementLine& line, std::vector<StatementLine>& lines);
  StatementLine inject(LineFault fault, const FileName& day, const StatementLine& line);
  StatementLine restated(LineFault fault, const FileName& day, const StatementLine& line);
  bool can_restate(const FileName& day, const StatementLine& line) const;
  const ChannelFile* restate(const ChannelFile& before, Day& day);
  bool is_booked(const StatementLine& line) const;
  void shuffle(std::vector<StatementLine>& lines);

  SimScheduler& scheduler_;
  const Upstream& upstream_;
  const OrderAuditor& orders_;
  const bool has_funds_;
  StatementPlan plan_;
  StatementPlan bank_plan_;
  FundsBook funds_;
  std::string first_date_;  // of the statements with balances
  std::map<FileName, Day> days_;
  std::map<std::string, std::unique_ptr<ChannelFile>> files_;      // by sha256
  std::map<FileName, std::vector<StatementLine>> for_later_days_;  // by statement, without the day
  std::map<std::string, std::vector<StatementLine>> unknown_;      // payments of unknown numbers, by channel
  std::vector<InjectedFault> injected_;
  std::set<Name> touched_;  // the lines with a fault
};

}  // namespace finality::sim
