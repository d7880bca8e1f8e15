// The API's look-ups and lists on a SQLite store, over a connection that cannot write.
#pragma once

#include <memory>

#include "store/sqlite/database.h"
#include "store/store.h"

namespace finality::sqlite {

std::unique_ptr<Reader> make_reader(Database database);

}  // namespace finality::sqlite
