// Reader of the in-memory tables. Look-ups by id use hash tables; lists scan whole tables.
#pragma once

#include <memory>

#include "store/memory/tables.h"

namespace finality::memory {

std::unique_ptr<Reader> make_reader(std::shared_ptr<Tables> tables);

}  // namespace finality::memory
