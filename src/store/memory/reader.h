// Reads the rows in memory: look-ups are direct, lists walk over everything.
#pragma once

#include <memory>

#include "store/memory/tables.h"

namespace finality::memory {

std::unique_ptr<Reader> make_reader(std::shared_ptr<Tables> tables);

}  // namespace finality::memory
