// Decompresses files from channels with zlib (RFC 1951, RFC 1952), as streams. Callers limit the output size, as
// protection against decompression bombs.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/result.h"
#include "channel/parsing/byte_sink.h"

namespace finality {

/// Whether the bytes begin like a GZIP file.
bool is_gzip(std::string_view bytes);

/// Unpacks a GZIP file with one member and passes its content to `sink`. Returns an error if the file is corrupt,
/// incomplete or followed by other bytes, or if it unpacks to more than `bytes_max` bytes. The error is returned after
/// the bytes before it were passed to `sink`.
Result<void> inflate_gzip(std::string_view packed, std::size_t bytes_max, const ByteSink& sink);

/// Unpacks a raw deflate stream, as in a ZIP file. Limits and errors are those of inflate_gzip.
Result<void> inflate_raw(std::string_view packed, std::size_t bytes_max, const ByteSink& sink);

/// Passes a file to `sink`, unpacked if it is a GZIP file. Limits and errors are those of inflate_gzip.
Result<void> unpack_gzip_or_plain(std::string_view file, std::size_t bytes_max, const ByteSink& sink);

}  // namespace finality
