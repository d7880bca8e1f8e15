// A copy of the populated store (populated_store.h) that a test may damage: on SQLite a copy of the file, on PostgreSQL
// a transaction that is never committed.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "store/audit/audit.h"

namespace finality::audit {

enum class Place : std::uint8_t { sqlite, postgres };

/// Not thread-safe. Only one instance may exist at a time. Every error stops the program.
class DamagedStore {
 public:
  virtual ~DamagedStore() = default;

  virtual std::vector<Violation> audit() = 0;
  /// Runs one statement or several. Events can be damaged like the rows of a table: before the first damage, a table
  /// replaces the view of the changes.
  void damage(const std::string& sql);
  /// Returns the values of a query for one column, as text.
  virtual std::vector<std::string> ask(const std::string& query) = 0;

 private:
  virtual void run(const std::string& sql) = 0;

  bool are_events_in_table_ = false;
};

/// Returns an undamaged store. The first call for a place writes the original; on PostgreSQL it also starts a server.
std::unique_ptr<DamagedStore> make_damaged_store(Place place);

}  // namespace finality::audit
