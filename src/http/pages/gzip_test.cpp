#include "http/pages/gzip.h"

#include <gtest/gtest.h>
#include <zlib.h>

namespace finality::http {
namespace {

std::string unpacked(const std::string& packed, std::size_t size) {
  z_stream stream{};
  EXPECT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);
  std::string text(size + 1, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));  // NOLINT: zlib only reads it
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = static_cast<uInt>(text.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  text.resize(stream.total_out);
  inflateEnd(&stream);
  return text;
}

TEST(Gzip, IsUnpackedToTheSameText) {
  for (const std::string& text : {std::string(), std::string("a"), std::string(300'000, 'x'), std::string("\0\xff", 2)})
    EXPECT_EQ(unpacked(gzip(text), text.size()), text);
  EXPECT_LT(gzip(std::string(300'000, 'x')).size(), 1000u);
}

TEST(Gzip, IsAcceptedIfItIsListedWithAWeight) {
  for (const char* header :
       {"gzip", "gzip, deflate, br", "br;q=1.0, GZIP;q=0.8", "*", "deflate , x-gzip", "*;q=0, gzip"})
    EXPECT_TRUE(accepts_gzip(header)) << header;
  for (const char* header : {"", "identity", "br", "gzip;q=0", "gzip; q=0.000", "*;q=0", "*, gzip;q=0", "gzipped"})
    EXPECT_FALSE(accepts_gzip(header)) << header;
}

}  // namespace
}  // namespace finality::http
