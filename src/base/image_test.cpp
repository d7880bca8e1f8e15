#include "base/image.h"

#include <gtest/gtest.h>

#include <string>

namespace finality {
namespace {

std::string bytes_of(std::initializer_list<int> numbers) {
  std::string bytes;
  for (const int number : numbers) bytes += static_cast<char>(number);
  return bytes;
}

// A PNG of 3 x 2 pixels: the chunks IHDR and IEND, without pixels.
std::string png() {
  return "\x89PNG\r\n\x1a\n" + bytes_of({0, 0, 0, 13}) + "IHDR" + bytes_of({0, 0, 0, 3, 0, 0, 0, 2, 8, 6, 0, 0, 0}) +
         "CRC1" + bytes_of({0, 0, 0, 0}) + "IEND" + "CRC2";
}

// A JPEG of 3 x 2 pixels: a comment, and a segment with the size.
std::string jpeg() {
  return bytes_of({0xFF, 0xD8, 0xFF, 0xFE, 0, 4, 'h', 'i', 0xFF, 0xC0, 0, 11, 8, 0, 2, 0, 3, 1, 1, 17, 0, 0xFF, 0xD9});
}

std::string webp(const std::string& type, const std::string& data) {
  const std::string chunk = type + bytes_of({static_cast<int>(data.size()), 0, 0, 0}) + data;
  return "RIFF" + bytes_of({static_cast<int>(chunk.size()) + 4, 0, 0, 0}) + "WEBP" + chunk;
}

TEST(ImageInfo, HasTypeAndSizeOfTheImage) {
  struct Row {
    std::string bytes;
    std::string_view media_type;
  };
  const Row rows[] = {{png(), "image/png"},
                      {jpeg(), "image/jpeg"},
                      {webp("VP8X", bytes_of({0, 0, 0, 0, 2, 0, 0, 1, 0, 0})), "image/webp"},
                      {webp("VP8L", bytes_of({0x2F, 2, 0x40, 0, 0, 0})), "image/webp"},
                      {webp("VP8 ", bytes_of({0, 0, 0, 0x9D, 1, 0x2A, 3, 0, 2, 0})), "image/webp"}};
  for (const Row& row : rows) {
    const auto info = image_info_of(row.bytes);
    ASSERT_TRUE(info) << row.media_type << row.bytes.size();
    EXPECT_EQ(info->media_type, row.media_type);
    EXPECT_EQ(info->width, 3);
    EXPECT_EQ(info->height, 2);
  }
}

TEST(ImageInfo, IsEmptyForAnythingElse) {
  for (const std::string& bytes :
       {std::string(), std::string("<svg xmlns=\"http://www.w3.org/2000/svg\"/>"), std::string("GIF89a"),
        std::string("\x89PNG\r\n\x1a\n"), png() + "<script>", png().substr(0, 40), jpeg() + "x", jpeg().substr(0, 8),
        webp("VP8X", "") + "x", webp("VP8?", "0123456789"), webp("VP8 ", "")})
    EXPECT_FALSE(image_info_of(bytes)) << bytes;
}

}  // namespace
}  // namespace finality
