// Statements (对账单) of the simulated channels. The lines come from the channels' own records (Upstream), not from
// rows of the engines. The seed injects faults into files and lines, and the book records each of them for the auditor.
#pragma once

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
#include "sim/upstream/upstream.h"
#include "sim/world/sim_scheduler.h"

namespace finality::sim {

/// What a channel charges for every payment: 0.6 %.
inline constexpr std::int64_t kCostBasisPoints = 60;

/// One file: a version of the statement of a day.
struct ChannelFile {
  std::string channel;
  std::string date;
  std::string sha256;
  std::vector<StatementLine> lines;  // line_no counts from 1
  bool is_malformed = false;         // has no lines: a parser rejects the file
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
};
BOOST_DESCRIBE_ENUM(LineFault, dropped, postponed, doubled, repeated, other_amount, other_cost, restated, withdrawn)

struct InjectedFault {
  LineFault fault = LineFault::dropped;
  std::string channel;
  std::string date;      // day of the payment or refund
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
  /// REQUIRES: all arguments outlive this object.
  StatementBook(SimScheduler& scheduler, const Upstream& upstream, const OrderAuditor& orders);

  const StatementPlan& plan() const { return plan_; }
  /// The rates with which the lines are compared, for these channel accounts.
  static std::vector<ChannelRate> rates_of(const Policy& policy);
  /// Records a payment at the channel that no engine has requested.
  void add_unknown_payment(const std::string& channel, const std::string& trade_no, const std::string& out_trade_no,
                           MinorUnits amount, Currency currency);
  /// Returns the statement of the day. The files of the first call and of later calls can differ, see offers_another().
  Download download(const std::string& channel, const std::string& date);
  /// Records that a download failed, or that the channel had no statement, at that time of the server's clock.
  void note_failure(const std::string& channel, const std::string& date, Time at);
  /// Returns true if the channel now has another statement than the one that a server received and worked on. The next
  /// download returns it.
  bool offers_another(const Statement& received);

  /// Returns the file; null if no file has this hash.
  const ChannelFile* file(const std::string& sha256) const;
  const std::vector<InjectedFault>& injected() const { return injected_; }
  /// Returns true if the line reports a payment that no engine has requested.
  bool is_unknown_payment(const std::string& channel, const StatementLine& line) const;
  /// The last failure that note_failure() recorded for the day; empty without a failure.
  std::optional<Time> last_failure(const std::string& channel, const std::string& date) const;
  /// Returns true if the statement of that day must have been compared by now, however late it was.
  bool is_overdue(const std::string& date) const;
  /// Returns true if a malformed file of that day was offered.
  bool was_malformed(const std::string& channel, const std::string& date) const;
  /// The days of which a server has asked for the statement.
  template <class Visit>
  void each_day(Visit visit) const {
    for (const auto& [name, day] : days_) visit(name.first, name.second);
  }

 private:
  using Name = std::pair<std::string, std::string>;  // channel and date, or channel and number

  struct Day {
    Time available_at;
    bool claims_empty = false;        // the channel reports an empty day, although it has a file
    bool is_malformed = false;        // the next file is malformed
    bool was_malformed = false;       // a malformed file was offered
    bool lists_nothing = false;       // an empty day is a file without lines
    std::optional<Time> restates_at;  // when a second version exists
    const ChannelFile* current = nullptr;
    std::optional<Time> last_failure;
  };

  Day draw_day(const std::string& date);
  const ChannelFile& add_file(const std::string& channel, const std::string& date, std::vector<StatementLine> lines,
                              bool is_malformed);
  std::vector<StatementLine> records_of(const std::string& channel, const std::string& date) const;
  std::vector<StatementLine> draw_lines(const std::string& channel, const std::string& date);
  void draw_line(const Name& day, const StatementLine& line, std::vector<StatementLine>& lines);
  void draw_unbooked_line(const Name& day, const StatementLine& line, std::vector<StatementLine>& lines);
  StatementLine inject(LineFault fault, const Name& day, const StatementLine& line);
  const ChannelFile* restate(const ChannelFile& before);
  bool is_booked(const StatementLine& line) const;
  void shuffle(std::vector<StatementLine>& lines);

  SimScheduler& scheduler_;
  const Upstream& upstream_;
  const OrderAuditor& orders_;
  StatementPlan plan_;
  std::map<Name, Day> days_;
  std::map<std::string, std::unique_ptr<ChannelFile>> files_;         // by sha256
  std::map<std::string, std::vector<StatementLine>> for_later_days_;  // by channel
  std::map<std::string, std::vector<StatementLine>> unknown_;         // payments of unknown numbers, by channel
  std::vector<InjectedFault> injected_;
  std::set<Name> touched_;  // channel and number of the lines with a fault
};

/// The number that identifies the payment, capture or refund of a line at its channel.
const std::string& number_of(const StatementLine& line);

}  // namespace finality::sim
