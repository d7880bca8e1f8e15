#include "worker/statements/sealed_file.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>

#include "base/check.h"
#include "base/crypto/aes_gcm.h"
#include "base/crypto/crypto.h"
#include "base/crypto/encoding.h"
#include "base/crypto/random.h"
#include "base/limits.h"
#include "channel/parsing/byte_sink.h"
#include "channel/parsing/inflate.h"

namespace finality {
namespace {

constexpr std::size_t kNonceBytes = 12;
constexpr char kAsReceived = 'r';  // first byte of the plain text: the file was compressed when it was received
constexpr char kCompressed = 'c';  // the file was compressed here
constexpr int kGzipWindow = 15 + 16;
constexpr std::size_t kCompressStep = 16 << 10;

bool is_compressed(std::string_view file) { return file.starts_with("\x1f\x8b") || file.starts_with("PK"); }

/// Passes on the bytes of a file as GZIP (RFC 1952).
void compress(std::string_view file, const ByteSink& sink) {
  z_stream stream{};
  FINALITY_CHECK(deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWindow, 8, Z_DEFAULT_STRATEGY) == Z_OK,
                 "zlib has memory");
  std::array<char, kCompressStep> out;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(file.data()));
  stream.avail_in = static_cast<uInt>(file.size());
  for (int done = Z_OK; done != Z_STREAM_END;) {
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    done = deflate(&stream, Z_FINISH);
    (void)sink({out.data(), out.size() - stream.avail_out});
  }
  deflateEnd(&stream);
}

// Unpacks bytes that compress() has packed. `size`: the size of the file, or a limit of it.
Result<std::string> unpacked(std::string_view packed, std::size_t size) {
  std::string file;
  ParseBudget budget({.input_bytes = packed.size(), .output_bytes_max = size, .work_max = packed.size() + size});
  const auto done = inflate_gzip(packed, budget, [&file](std::string_view bytes) {
    file += bytes;
    return Result<void>{};
  });
  return done ? Result<std::string>(std::move(file)) : std::unexpected(done.error());
}

std::string associated(std::string_view sha256, std::int64_t part_no) { return fmt::format("{}/{}", sha256, part_no); }

Bytes encrypt(const Secret& key, std::string_view hash, std::int64_t part_no, std::string_view plain) {
  const std::string nonce = random_bytes(kNonceBytes);
  return {nonce + aes_256_gcm_encrypt(key.reveal(), nonce, associated(hash, part_no), plain)};
}

Result<std::string> decrypt(const Secret& key, const Statement& statement, const StatementPart& part) {
  const std::string_view content = part.content.data();
  auto plain = content.size() < kNonceBytes
                   ? std::nullopt
                   : aes_256_gcm_decrypt(key.reveal(), content.substr(0, kNonceBytes),
                                         associated(statement.sha256, part.part_no), content.substr(kNonceBytes));
  if (!plain)
    return fail(
        fmt::format("cannot decrypt part {} of the file of {}: statements.key_file has another key, or the "
                    "stored file was changed",
                    part.part_no, to_text(statement.id)));
  return *std::move(plain);
}

/// Cuts the plain text of a file into parts and encrypts them, so that only one part is in memory as plain text.
class FileSealer {
 public:
  FileSealer(const Secret& key, std::string_view hash) : key_(key), hash_(hash) {}

  void add(std::string_view bytes) {
    while (!bytes.empty()) {
      const std::string_view piece = bytes.substr(0, limits::kStatementPartBytes - pending_.size());
      pending_ += piece;
      bytes.remove_prefix(piece.size());
      if (pending_.size() == limits::kStatementPartBytes) seal();
    }
  }
  std::vector<Bytes> finish() {
    if (!pending_.empty()) seal();
    return std::move(parts_);
  }

 private:
  void seal() {
    parts_.push_back(encrypt(key_, hash_, static_cast<std::int64_t>(parts_.size()), pending_));
    pending_.clear();
  }

  const Secret& key_;
  std::string_view hash_;
  std::string pending_;
  std::vector<Bytes> parts_;
};

}  // namespace

Secret statement_key_of(const Secret& secret) { return Secret(sha256(secret.reveal())); }

Result<bool> has_file(Reader& reader, StatementId id) {
  const auto first = reader.statement_part(id, 0);
  return first ? Result<bool>(first->has_value()) : std::unexpected(first.error());
}

std::string sha256_hex(std::string_view file) { return to_hex(sha256(file)); }

std::vector<Bytes> seal_file(const Secret& key, std::string_view hash, std::string_view file) {
  FINALITY_CHECK(key.reveal().size() == kStatementKeyBytes, "the key has the length of AES-256");
  FileSealer sealer(key, hash);
  const char form = is_compressed(file) ? kAsReceived : kCompressed;
  sealer.add({&form, 1});
  if (form == kAsReceived)
    sealer.add(file);
  else
    compress(file, [&sealer](std::string_view bytes) {
      sealer.add(bytes);
      return Result<void>{};
    });
  return sealer.finish();
}

Bytes seal_part(const Secret& key, std::string_view hash, std::int64_t part_no, std::string_view plain) {
  std::string packed;
  compress(plain, [&packed](std::string_view bytes) {
    packed += bytes;
    return Result<void>{};
  });
  return encrypt(key, hash, part_no, packed);
}

Result<std::optional<std::string>> open_part(const Secret& key, const Statement& statement, std::int64_t part_no,
                                             Reader& reader) {
  const auto part = reader.statement_part(statement.id, part_no);
  if (!part) return std::unexpected(part.error());
  if (!*part) return std::optional<std::string>();
  const auto packed = decrypt(key, statement, **part);
  if (!packed) return std::unexpected(packed.error());
  auto plain = unpacked(*packed, limits::kStatementUnpackedMax);
  if (!plain) return std::unexpected(plain.error());
  return std::optional(*std::move(plain));
}

Result<std::string> open_file(const Secret& key, const Statement& statement, Reader& reader) {
  std::string plain;
  plain.reserve(static_cast<std::size_t>(statement.parts) * limits::kStatementPartBytes);
  for (std::int64_t part_no = 0; part_no < statement.parts; ++part_no) {
    const auto part = reader.statement_part(statement.id, part_no);
    if (!part) return std::unexpected(part.error());
    if (!*part) return fail(fmt::format("the file of {} is not complete: it has expired", to_text(statement.id)));
    auto opened = decrypt(key, statement, **part);
    if (!opened) return opened;
    plain += *opened;
  }
  if (plain.empty()) return fail(fmt::format("{} has no file", to_text(statement.id)));
  const char form = plain.front();
  plain.erase(0, 1);
  auto file = form == kCompressed ? unpacked(plain, static_cast<std::size_t>(statement.bytes)) : std::move(plain);
  if (!file) return file;
  if (sha256_hex(*file) != statement.sha256)
    return fail(fmt::format("the hash of the stored file of {} differs from the statement's", to_text(statement.id)));
  return file;
}

}  // namespace finality
