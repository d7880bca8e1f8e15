#include "channel/parsing/inflate.h"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <vector>

#include "base/check.h"

namespace finality {
namespace {

constexpr std::size_t kStep = 64 << 10;
constexpr int kGzip = 16 + MAX_WBITS;  // zlib's windowBits for RFC 1952
constexpr int kRaw = -MAX_WBITS;       // zlib's windowBits for RFC 1951
constexpr std::string_view kGzipMagic = "\x1f\x8b";

std::unexpected<Error> too_large() { return fail("the unpacked file exceeds the size limit"); }

Result<void> inflate_with(int window, std::string_view packed, std::size_t bytes_max, const ByteSink& sink) {
  if (packed.size() > std::numeric_limits<uInt>::max()) return fail("the compressed file exceeds the size limit");
  z_stream stream{};
  FINALITY_CHECK(inflateInit2(&stream, window) == Z_OK, "inflateInit2 failed");
  const std::unique_ptr<z_stream, decltype(&inflateEnd)> end(&stream, inflateEnd);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  std::vector<char> out(kStep);
  std::size_t total = 0;
  for (int done = Z_OK; done != Z_STREAM_END;) {
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    done = inflate(&stream, Z_NO_FLUSH);
    const std::size_t bytes = out.size() - stream.avail_out;
    if (bytes > bytes_max - total) return too_large();
    total += bytes;
    if (bytes > 0)
      if (auto taken = sink({out.data(), bytes}); !taken) return taken;
    const bool stuck = done == Z_OK && bytes == 0 && stream.avail_in == 0;
    if ((done != Z_OK && done != Z_STREAM_END) || stuck) return fail("the compressed file is corrupt or incomplete");
  }
  if (stream.avail_in != 0) return fail("other bytes follow the compressed file");
  return {};
}

}  // namespace

bool is_gzip(std::string_view bytes) { return bytes.starts_with(kGzipMagic); }

Result<void> inflate_gzip(std::string_view packed, std::size_t bytes_max, const ByteSink& sink) {
  return inflate_with(kGzip, packed, bytes_max, sink);
}

Result<void> inflate_raw(std::string_view packed, std::size_t bytes_max, const ByteSink& sink) {
  return inflate_with(kRaw, packed, bytes_max, sink);
}

Result<void> unpack_gzip_or_plain(std::string_view file, std::size_t bytes_max, const ByteSink& sink) {
  if (is_gzip(file)) return inflate_gzip(file, bytes_max, sink);
  if (file.size() > bytes_max) return too_large();
  return sink(file);
}

}  // namespace finality
