// Lines of an earlier version of a statement that the newest version replaces: a line of the same kind with the same
// numbers, but with other content, such as another amount.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include <optional>

#include "model/statement_line.h"

namespace finality {

/// Not thread safe.
class ReplacedLines {
 public:
  /// Adds a line of the earlier version that the newest version does not contain, with its identity.
  void add(const StatementLine& line, const Hash16& key);
  /// Whether a line with that identity was added.
  bool contains(const Hash16& key) const { return added_.contains(key); }
  /// Returns the identity of an added line with the kind and the numbers of `line`, in the order of add(), each one
  /// once; empty if all are taken.
  std::optional<Hash16> take(const StatementLine& line);

 private:
  struct Times {
    std::int64_t added = 0;
    std::int64_t taken = 0;
  };

  boost::unordered_flat_set<Hash16, Hash16Hasher> added_;
  boost::unordered_flat_map<Hash16, Times, Hash16Hasher> times_;  // by kind and numbers
  boost::unordered_flat_map<Hash16, Hash16, Hash16Hasher> keys_;  // by kind, numbers and how many were added before
};

}  // namespace finality
