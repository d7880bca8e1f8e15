// Lines of funds statements that had no document when they were compared: their differences `funds_line_unknown` are
// open. A statement of trades, or the result of a query, can book the document later. The next funds statement of the
// account, also that of an empty day, compares them again.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>

#include <functional>
#include <optional>
#include <set>

#include "worker/statements/match_task.h"

namespace finality {

/// Not thread safe.
class OpenLines {
 public:
  using Take = std::function<Result<void>(StatementLine&& line, const Hash16& key)>;

  explicit OpenLines(const MatchTask& task) : task_(task) {}

  /// Reads the open differences of the last days and of later ones. Only the first call reads.
  Result<void> load();
  /// Returns the merchant of the open difference about the line; empty if load() has read none.
  std::optional<MerchantId> owner_of(const Hash16& line) const;
  /// Passes on the lines of other days, with their identities, from the files of their statements. Lines of statements
  /// that are not compared completely are omitted: their own comparison handles them. REQUIRES: load() was called.
  Result<void> read(const Take& take);

 private:
  bool is_of_this_day(StatementId statement) const;

  MatchTask task_;
  boost::unordered_flat_map<Hash16, MerchantId, Hash16Hasher> owners_;  // by line
  std::set<StatementId> others_;                                        // statements of other days with such lines
  bool is_loaded_ = false;
};

}  // namespace finality
