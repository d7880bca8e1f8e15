// Random bytes from the operating system's generator. The layers below engine/ must
// not use it, because their decisions must be reproducible.
#pragma once

#include <cstddef>
#include <string>

namespace finality {

/// Returns `count` random bytes.
std::string random_bytes(std::size_t count);
/// Returns `count` random bytes as lower-case hex.
std::string random_hex(std::size_t count);

}  // namespace finality
