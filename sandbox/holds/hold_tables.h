// Tables of the sandbox's holds and of the requests to release them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "sandbox/core/database.h"
#include "sandbox/holds/hold.h"

namespace finality::sandbox {

/// Part of the Ledger: every method runs inside its transaction, on the ledger thread. Failures throw DatabaseError.
class HoldTables {
 public:
  /// REQUIRES: `database` has the tables of open_with_schema() and outlives this object.
  explicit HoldTables(Database& database);

  /// Return the hold with this identifier; empty if it does not exist. If the payer has authorized an out_order_no
  /// twice, find() returns the first hold.
  std::optional<Hold> find(std::string_view channel, std::string_view out_order_no);
  std::optional<Hold> find(std::string_view hold_no);
  /// Calls `visit` with each hold, oldest first.
  void for_each(const std::function<void(const Hold&)>& visit);
  /// Returns up to `count` holds, newest first.
  std::vector<Hold> latest(std::int64_t count);
  /// Returns up to `count` holds whose next event is due at `now`, earliest first.
  std::vector<Hold> due(Time now, std::int64_t count);

  /// Insert or update a hold. `next_at` is the time of its next event; empty: there is none.
  void insert(const Hold& hold, std::optional<Time> next_at);
  void update(const Hold& hold, std::optional<Time> next_at);

  std::optional<HoldRelease> find_release(std::string_view channel, std::string_view out_request_no);
  /// Returns the requests to release parts of the hold, oldest first, also the refused ones.
  std::vector<HoldRelease> releases_of(std::string_view hold_no);
  void insert(const HoldRelease& release);

 private:
  SqlStatement insert_hold_;
  SqlStatement update_hold_;
  SqlStatement by_out_order_no_;
  SqlStatement by_hold_no_;
  SqlStatement all_;
  SqlStatement latest_;
  SqlStatement due_;
  SqlStatement insert_release_;
  SqlStatement release_by_number_;
  SqlStatement releases_of_hold_;
};

}  // namespace finality::sandbox
