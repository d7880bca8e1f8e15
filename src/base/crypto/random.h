// Unpredictable bytes from the operating system's generator. Banned below engine/: decide must be repeatable.
#pragma once

#include <cstddef>
#include <string>

namespace finality {

std::string random_bytes(std::size_t count);
/// `count` random bytes as lower-case hex.
std::string random_hex(std::size_t count);

}  // namespace finality
