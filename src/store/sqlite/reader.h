// Reader of a SQLite store: look-ups and lists for the API on a read-only connection.
#pragma once

#include <memory>

#include "store/sqlite/database.h"
#include "store/store.h"

namespace finality::sqlite {

std::unique_ptr<Reader> make_reader(Database database);

}  // namespace finality::sqlite
