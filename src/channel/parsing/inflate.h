// Unpacking what channels pack (RFC 1951, RFC 1952), within a limit: a few bytes can unpack to anything. By zlib.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace finality {

/// A whole GZIP file of one member. An error when it is broken, incomplete, followed by something else, or holds more
/// than `bytes_max`.
Result<std::string> inflate_gzip(std::string_view packed, std::size_t bytes_max);

/// The same for a bare deflate stream, as it lies in a ZIP file.
Result<std::string> inflate_raw(std::string_view packed, std::size_t bytes_max);

}  // namespace finality
