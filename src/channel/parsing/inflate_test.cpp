#include "channel/parsing/inflate.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <zlib.h>

namespace finality {
namespace {

constexpr int kGzip = 16 + MAX_WBITS;
constexpr int kRaw = -MAX_WBITS;

std::string packed(std::string text, int window) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(text.data());
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

TEST(Inflate, UnpacksGzipAndRawDeflate) {
  for (const std::size_t size : {0, 1, 65'535, 65'536, 65'537, 1'000'000}) {
    const std::string text(size, 'a');
    EXPECT_EQ(inflate_gzip(packed(text, kGzip), size).value(), text) << size;
    EXPECT_EQ(inflate_raw(packed(text, kRaw), size).value(), text) << size;
  }
}

TEST(Inflate, OutputAboveTheLimitIsRejected) {
  const std::string text(1'000'000, 'a');
  EXPECT_LT(packed(text, kGzip).size(), 2'000U);
  for (const std::size_t allowed : {0, 1, 65'536, 999'999}) EXPECT_FALSE(inflate_gzip(packed(text, kGzip), allowed));
}

TEST(Inflate, TruncatedAndExtendedInputIsRejected) {
  const std::string whole = packed("the statement of one day", kGzip);
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(inflate_gzip(whole.substr(0, size), 1000)) << size;
  EXPECT_FALSE(inflate_gzip(whole + "x", 1000));
  EXPECT_FALSE(inflate_gzip(whole + whole, 1000));
}

TEST(Inflate, GzipAndRawDeflateAreNotInterchangeable) {
  EXPECT_FALSE(inflate_raw(packed("abc", kGzip), 1000));
  EXPECT_FALSE(inflate_gzip(packed("abc", kRaw), 1000));
}

TEST(Inflate, ArbitraryBytesAreUnpackedWithinTheLimitOrRejected) {
  EXPECT_TRUE(rc::check([](const std::string& bytes) {
    const auto out = inflate_raw(bytes, 100);
    RC_ASSERT(!out || out->size() <= 100);
  }));
}

}  // namespace
}  // namespace finality
