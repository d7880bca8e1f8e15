#include "channel/parsing/inflate.h"

#include <zlib.h>

#include <algorithm>
#include <memory>

#include "base/check.h"

namespace finality {
namespace {

constexpr std::size_t kStep = 64 << 10;
constexpr int kGzip = 16 + MAX_WBITS;  // zlib's windowBits for RFC 1952
constexpr int kRaw = -MAX_WBITS;       // zlib's windowBits for RFC 1951

Result<std::string> inflate_with(int window, std::string_view packed, std::size_t bytes_max) {
  z_stream stream{};
  FINALITY_CHECK(inflateInit2(&stream, window) == Z_OK, "inflateInit2 failed");
  const std::unique_ptr<z_stream, decltype(&inflateEnd)> end(&stream, inflateEnd);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  std::string out;
  for (int done = Z_OK; done != Z_STREAM_END;) {
    const std::size_t before = out.size();
    const std::size_t room = std::min(kStep, bytes_max - before + 1);  // +1: detects output above bytes_max
    out.resize(before + room);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + before);
    stream.avail_out = static_cast<uInt>(room);
    done = inflate(&stream, Z_NO_FLUSH);
    out.resize(out.size() - stream.avail_out);
    if (out.size() > bytes_max) return fail("the unpacked file exceeds the size limit");
    const bool stuck = done == Z_OK && out.size() == before && stream.avail_in == 0;
    if ((done != Z_OK && done != Z_STREAM_END) || stuck) return fail("the compressed file is corrupt or incomplete");
  }
  if (stream.avail_in != 0) return fail("other bytes follow the compressed file");
  return out;
}

}  // namespace

Result<std::string> inflate_gzip(std::string_view packed, std::size_t bytes_max) {
  return inflate_with(kGzip, packed, bytes_max);
}

Result<std::string> inflate_raw(std::string_view packed, std::size_t bytes_max) {
  return inflate_with(kRaw, packed, bytes_max);
}

}  // namespace finality
