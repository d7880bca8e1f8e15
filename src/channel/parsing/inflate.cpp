#include "channel/parsing/inflate.h"

#include <zlib.h>

#include <memory>
#include <vector>

#include "base/check.h"

namespace finality {
namespace {

constexpr std::size_t kStep = 64 << 10;  // bytes of input or output between two checks of the budget
constexpr int kGzip = 16 + MAX_WBITS;    // zlib's windowBits for RFC 1952
constexpr int kRaw = -MAX_WBITS;         // zlib's windowBits for RFC 1951
constexpr std::string_view kGzipMagic = "\x1f\x8b";
constexpr std::string_view kZipMagic = "PK\3\4";

// Moves the next bytes of `packed` to the input of the stream.
void feed(z_stream& stream, std::string_view& packed) {
  const std::string_view piece = packed.substr(0, kStep);
  packed.remove_prefix(piece.size());
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));
  stream.avail_in = static_cast<uInt>(piece.size());
}

Result<void> inflate_with(int window, std::string_view packed, ParseBudget& budget, const ByteSink& sink) {
  z_stream stream{};
  FINALITY_CHECK(inflateInit2(&stream, window) == Z_OK, "inflateInit2 failed");
  const std::unique_ptr<z_stream, decltype(&inflateEnd)> end(&stream, inflateEnd);
  std::vector<char> out(kStep);
  std::size_t total = 0;
  for (int done = Z_OK; done != Z_STREAM_END;) {
    if (stream.avail_in == 0) feed(stream, packed);
    const std::size_t waiting = stream.avail_in;
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    done = inflate(&stream, Z_NO_FLUSH);
    const std::size_t bytes = out.size() - stream.avail_out;
    if (auto within = budget.check_output(total += bytes); !within) return within;
    if (auto spent = budget.spend(waiting - stream.avail_in + bytes); !spent) return spent;
    if (bytes > 0)
      if (auto taken = sink({out.data(), bytes}); !taken) return taken;
    const bool stuck = done == Z_OK && bytes == 0 && stream.avail_in == 0 && packed.empty();
    if ((done != Z_OK && done != Z_STREAM_END) || stuck) return fail("the compressed file is corrupt or incomplete");
  }
  if (stream.avail_in != 0 || !packed.empty()) return fail("other bytes follow the compressed file");
  return {};
}

}  // namespace

Result<void> send_in_steps(std::string_view bytes, ParseBudget& budget, const ByteSink& sink) {
  while (!bytes.empty()) {
    const std::string_view step = bytes.substr(0, kStep);
    bytes.remove_prefix(step.size());
    if (auto spent = budget.spend(step.size()); !spent) return spent;
    if (auto taken = sink(step); !taken) return taken;
  }
  return {};
}

bool is_gzip(std::string_view bytes) { return bytes.starts_with(kGzipMagic); }

Result<void> inflate_gzip(std::string_view packed, ParseBudget& budget, const ByteSink& sink) {
  return inflate_with(kGzip, packed, budget, sink);
}

Result<void> inflate_raw(std::string_view packed, ParseBudget& budget, const ByteSink& sink) {
  return inflate_with(kRaw, packed, budget, sink);
}

Result<void> unpack_gzip_or_plain(std::string_view file, ParseBudget& budget, const ByteSink& sink) {
  if (is_gzip(file)) return inflate_gzip(file, budget, sink);
  if (file.starts_with(kZipMagic))
    return fail(
        "the file is a ZIP archive, and the statements of this account are not: upload the file in the archive");
  if (auto within = budget.check_output(file.size()); !within) return within;
  return send_in_steps(file, budget, sink);
}

}  // namespace finality
