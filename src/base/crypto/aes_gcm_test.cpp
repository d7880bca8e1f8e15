#include "base/crypto/aes_gcm.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "base/crypto/encoding.h"

namespace finality {
namespace {

std::string bytes(std::string_view hex) { return *from_hex(hex); }

struct Vector {
  const char* key;
  const char* nonce;
  const char* associated;
  const char* plain;
  const char* cipher;
  const char* tag;
};

constexpr const char* kZeroKey = "0000000000000000000000000000000000000000000000000000000000000000";
constexpr const char* kKey = "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308";

// McGrew and Viega, "The Galois/Counter Mode of Operation", appendix B, cases 13 to 16.
constexpr Vector kVectors[] = {
    {kZeroKey, "000000000000000000000000", "", "", "", "530f8afbc74536b9a963b4f1c4cb738b"},
    {kZeroKey, "000000000000000000000000", "", "00000000000000000000000000000000", "cea7403d4d606b6e074ec5d3baf39d18",
     "d0d1c8a799996bf0265b98b5d48ab919"},
    {kKey, "cafebabefacedbaddecaf888", "",
     "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
     "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255",
     "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
     "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662898015ad",
     "b094dac5d93471bdec1a502270e3cc6c"},
    {kKey, "cafebabefacedbaddecaf888", "feedfacedeadbeeffeedfacedeadbeefabaddad2",
     "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
     "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39",
     "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
     "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662",
     "76fc6ece0f4e1768cddf8853bb2d551b"},
};

TEST(AesGcm, KnownAnswers) {
  for (const Vector& row : kVectors) {
    const std::string cipher = bytes(row.cipher) + bytes(row.tag);
    EXPECT_EQ(aes_256_gcm_encrypt(bytes(row.key), bytes(row.nonce), bytes(row.associated), bytes(row.plain)), cipher)
        << row.tag;
    EXPECT_EQ(aes_256_gcm_decrypt(bytes(row.key), bytes(row.nonce), bytes(row.associated), cipher), bytes(row.plain))
        << row.tag;
  }
}

class AesGcmTest : public testing::Test {
 protected:
  std::optional<std::string> opened(std::string_view cipher) const {
    return aes_256_gcm_decrypt(key_, nonce_, associated_, cipher);
  }

  std::string key_ = bytes(kKey);
  std::string nonce_ = "twelve bytes";
  std::string associated_ = "certificate";
  std::string cipher_ = aes_256_gcm_encrypt(key_, nonce_, associated_, "a secret");
};

TEST_F(AesGcmTest, EveryChangedBitIsDetected) {
  ASSERT_EQ(opened(cipher_), "a secret");
  for (std::size_t bit = 0; bit < cipher_.size() * 8; ++bit) {
    std::string changed = cipher_;
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << bit % 8));
    EXPECT_FALSE(opened(changed)) << bit;
  }
}

TEST_F(AesGcmTest, EveryTruncationIsDetected) {
  for (std::size_t size = 0; size < cipher_.size(); ++size) EXPECT_FALSE(opened(cipher_.substr(0, size))) << size;
  EXPECT_FALSE(opened(cipher_ + '\0'));
}

TEST_F(AesGcmTest, DecryptionNeedsTheSameKeyNonceAndAssociatedData) {
  EXPECT_FALSE(aes_256_gcm_decrypt(bytes(kZeroKey), nonce_, associated_, cipher_));
  EXPECT_FALSE(aes_256_gcm_decrypt(key_, "twelve Bytes", associated_, cipher_));
  EXPECT_FALSE(aes_256_gcm_decrypt(key_, nonce_, "", cipher_));
  EXPECT_FALSE(aes_256_gcm_decrypt(key_, nonce_, "Certificate", cipher_));
}

TEST_F(AesGcmTest, KeysAndNoncesOfOtherLengthsAreRejected) {
  for (const std::size_t size : {0, 16, 24, 31, 33})
    EXPECT_FALSE(aes_256_gcm_decrypt(std::string(size, 'k'), nonce_, associated_, cipher_)) << size;
  for (const std::size_t size : {0, 11, 13, 16})
    EXPECT_FALSE(aes_256_gcm_decrypt(key_, std::string(size, 'n'), associated_, cipher_)) << size;
}

TEST_F(AesGcmTest, RoundTrip) {
  EXPECT_TRUE(rc::check([&](const std::string& plain, const std::string& associated) {
    const std::string cipher = aes_256_gcm_encrypt(key_, nonce_, associated, plain);
    RC_ASSERT(cipher.size() == plain.size() + 16);
    RC_ASSERT(aes_256_gcm_decrypt(key_, nonce_, associated, cipher) == plain);
  }));
}

}  // namespace
}  // namespace finality
