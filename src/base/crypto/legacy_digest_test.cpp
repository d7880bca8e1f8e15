#include "base/crypto/legacy_digest.h"

#include <gtest/gtest.h>

namespace finality {
namespace {

TEST(LegacyDigest, KnownAnswers) {  // RFC 1321, appendix A.5; FIPS 180-2, appendix A
  EXPECT_EQ(md5_hex(""), "d41d8cd98f00b204e9800998ecf8427e");
  EXPECT_EQ(md5_hex("abc"), "900150983cd24fb0d6963f7d28e17f72");
  EXPECT_EQ(sha1_hex(""), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
  EXPECT_EQ(sha1_hex("abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
}

TEST(LegacyDigest, TheDigestOfChunksIsThatOfTheWhole) {
  Sha1 digest;
  digest.add("a");
  digest.add("");
  digest.add("bc");
  EXPECT_EQ(digest.hex(), sha1_hex("abc"));
  EXPECT_EQ(Sha1().hex(), sha1_hex(""));
}

}  // namespace
}  // namespace finality
