// Recognizes the lines of a bank statement in its other versions. Another export of a day states the same movements
// with other numbers, or with none, so its lines have other keys.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "model/statement_line.h"

namespace finality {

/// Gives each line an identity: the key of the line of the first version that states the same movement. A line is that
/// of an earlier version if its key is the same. Otherwise it replaces a line that its version does not contain, of the
/// same currency and amount, with the same number, else with the same reference, else if one of them has no reference.
/// The same versions always give the same identities. Keeps the numbers of all lines in memory. Not thread safe.
class BankVersions {
 public:
  /// Adds a line of the next version. `key`: key_of_line(), unique in the version.
  void add(const StatementLine& line, const Hash16& key);
  /// Ends a version, from the oldest one on. Returns the identities of its lines in the order of add(), each one once.
  std::vector<Hash16> end_version();
  /// Whether a version was ended.
  bool has_versions() const { return versions_ > 0; }
  /// The identity of the line with that key in the newest version that contains it; `key` if none does.
  Hash16 identity_of(const Hash16& key) const;
  /// Whether the version that was ended last contains the identity, one before contains it too, and the one just before
  /// does not.
  bool has_returned(const Hash16& identity) const { return returned_.contains(identity); }

 private:
  /// What another export of the line has in common with it.
  struct Movement {
    Currency currency;
    MinorUnits amount = 0;
    std::string number;     // of the line at the bank
    std::string reference;  // of the payment, from end to end
  };
  struct Line {
    Movement movement;
    Hash16 key{};
    std::optional<Hash16> identity{};
  };
  enum class By : std::uint8_t { number, reference, amount };
  using Place = std::tuple<Currency, MinorUnits, By, std::string>;
  using Places = std::map<Place, std::deque<Hash16>>;
  /// A way to find the line that another one replaces; empty if the line has none.
  using Rule = std::optional<std::pair<By, std::string>> (*)(const Movement&);
  static const Rule kRules[];

  void take_known();
  void take_replaced();
  Places replaceable() const;
  bool take(Line& line, const Hash16& identity);

  std::vector<Line> lines_;                                              // of the version that is added
  boost::unordered_flat_set<Hash16, Hash16Hasher> taken_;                // identities of lines_
  boost::unordered_flat_map<Hash16, Hash16, Hash16Hasher> identities_;   // by key
  std::vector<Hash16> order_;                                            // all identities, oldest first
  boost::unordered_flat_map<Hash16, Movement, Hash16Hasher> movements_;  // by identity, as last stated
  boost::unordered_flat_set<Hash16, Hash16Hasher> newest_;               // identities of the version ended last
  boost::unordered_flat_set<Hash16, Hash16Hasher> returned_;
  int versions_ = 0;
};

}  // namespace finality
