// Decompresses files from channels with zlib (RFC 1951, RFC 1952), as streams. A budget limits the output and the work,
// as protection against decompression bombs.
#pragma once

#include <string_view>

#include "base/parse_budget.h"
#include "base/result.h"
#include "channel/parsing/byte_sink.h"

namespace finality {

/// Whether the bytes begin like a GZIP file.
bool is_gzip(std::string_view bytes);

/// Unpacks a GZIP file with one member and passes its content to `sink`. Returns an error if the file is corrupt,
/// incomplete or followed by other bytes, or if it exceeds the budget. The error is returned after the bytes before it
/// were passed to `sink`.
Result<void> inflate_gzip(std::string_view packed, ParseBudget& budget, const ByteSink& sink);

/// Unpacks a raw deflate stream, as in a ZIP file. Limits and errors are those of inflate_gzip.
Result<void> inflate_raw(std::string_view packed, ParseBudget& budget, const ByteSink& sink);

/// Passes bytes that are not packed to `sink`, in chunks. Returns an error if the work exceeds the budget.
Result<void> send_in_steps(std::string_view bytes, ParseBudget& budget, const ByteSink& sink);

/// Passes a file to `sink`, unpacked if it is a GZIP file. Limits and errors are those of inflate_gzip. Returns an
/// error that names the format if it is a ZIP file.
Result<void> unpack_gzip_or_plain(std::string_view file, ParseBudget& budget, const ByteSink& sink);

}  // namespace finality
