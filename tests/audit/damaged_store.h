// The lived-in store of populated_store.h, to be damaged without harm: on SQLite in a copy of its file, on PostgreSQL
// in a transaction that is never committed.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "store/audit/audit.h"

namespace finality::audit {

enum class Place : std::uint8_t { sqlite, postgres };

/// Not thread safe; one at a time. Everything that does not succeed stops the program.
class DamagedStore {
 public:
  virtual ~DamagedStore() = default;

  virtual std::vector<Violation> audit() = 0;
  /// Runs one statement or several.
  virtual void damage(const std::string& sql) = 0;
  /// The answer to a query of one column, as text.
  virtual std::vector<std::string> ask(const std::string& query) = 0;
};

/// The store as the commands left it. The first call of a place writes it; on PostgreSQL it starts a server too.
std::unique_ptr<DamagedStore> make_damaged_store(Place place);

}  // namespace finality::audit
