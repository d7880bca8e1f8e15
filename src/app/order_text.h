// An order with its money and its timeline as text for the terminal. Reads the JSON objects of the API, whose text is
// untrusted: control characters are escaped. The summaries of the items come from query/timeline_text.h. Pure.
#pragma once

#include <boost/json/object.hpp>

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base/money.h"
#include "base/time/time.h"

namespace finality::app {

/// Returns whether the order (JSON of the API) is in a final state.
bool is_final_order(const boost::json::object& order);

/// Returns the order's identity, state, amount and times, and a table of its payments, authorizations and captures.
/// `final_at`: when it became final, if this is known.
std::string order_text(const boost::json::object& order, std::optional<Time> final_at);

/// Returns a duration with two units at most, such as `2 ms`, `3.1 s`, `2 min 5 s` or `2 d 4 h`. REQUIRES: not
/// negative.
std::string duration_text(Duration duration);

/// Renders the items of a timeline, in their order, and sums the money that they move.
class TimelineText {
 public:
  /// Returns the item as one line: its time in UTC, the time since the item before, and its summary with its cause. A
  /// line with the date precedes the first item of each day. Also adds the item's entry to the sums.
  std::string line_of(const boost::json::object& item);

  /// When the order became final; empty if no item so far shows it.
  std::optional<Time> final_at() const { return final_at_; }

  /// Returns the money of the order so far, from the entries of all items: the ordered, paid, refunded and charged
  /// amounts, and their sum, which the merchant gets. One sum per currency.
  std::string money_of(const boost::json::object& order) const;

 private:
  void add_entry(const boost::json::object& detail);
  void note_end(const boost::json::object& event, Time at);

  std::optional<Time> last_;
  std::optional<Time> final_at_;
  std::map<std::pair<Currency, int>, MinorUnits> sums_;  // by currency and number of the row
};

}  // namespace finality::app
