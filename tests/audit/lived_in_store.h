// A store in which everything has happened, written by real commands through a real engine.
//
// Its orders are called by what became of them: succeeded, failed, closed, pending, waiting, processing, closing,
// in_vain, returned, blocked, wrong, after_failure, foreign, contradicted, refunded, parked, idempotent.
#pragma once

#include <string>

namespace finality::audit {

/// Writes such a store at `path`, which must not exist, and closes it.
void write_lived_in_store(const std::string& path);

}  // namespace finality::audit
