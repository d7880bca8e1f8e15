// Files of statements as the store keeps them: compressed with GZIP unless the channel has compressed them, encrypted
// with AES-256-GCM, and cut into parts. The hash of the file as received is authenticated with every part, so a part
// cannot be exchanged for one of another file.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "base/secret.h"
#include "store/store.h"

namespace finality {

inline constexpr std::size_t kStatementKeyBytes = 32;

/// The key for the files: the SHA-256 of the configured secret.
Secret statement_key_of(const Secret& secret);

/// Returns the parts of the file. `sha256`: sha256_hex of the file. REQUIRES: `key` has kStatementKeyBytes bytes.
std::vector<Bytes> seal_file(const Secret& key, std::string_view sha256, std::string_view file);

/// Reads the parts of a statement and returns the file as received. Returns an error if a part is missing, was
/// encrypted with another key or was changed, or if the hash of the file differs from that of the statement.
Result<std::string> open_file(const Secret& key, const Statement& statement, Reader& reader);

/// Compresses and encrypts one part of what the store keeps of a file besides the file itself. `sha256`, `key`: as for
/// seal_file().
Bytes seal_part(const Secret& key, std::string_view sha256, std::int64_t part_no, std::string_view plain);

/// Reads a part that seal_part() has made; empty if the store has no such part. Returns an error if it was encrypted
/// with another key or was changed.
Result<std::optional<std::string>> open_part(const Secret& key, const Statement& statement, std::int64_t part_no,
                                             Reader& reader);

/// Whether the store still has the file of the statement: files expire.
Result<bool> has_file(Reader& reader, StatementId id);

/// The SHA-256 of a file in lower-case hexadecimal.
std::string sha256_hex(std::string_view file);

}  // namespace finality
