#include "base/image.h"

#include <cstddef>

namespace finality {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kPngSignature = "\x89PNG\r\n\x1a\n"sv;
constexpr std::size_t kPngFrame = 12;  // length, type and checksum of a chunk
constexpr std::size_t kRiffHead = 12;  // "RIFF", size, "WEBP"

std::int64_t byte_at(std::string_view bytes, std::size_t at) {
  return at < bytes.size() ? static_cast<unsigned char>(bytes[at]) : 0;
}

// Returns the number of `count` bytes from `at` on, with the most significant byte first; missing bytes are 0.
std::int64_t big_endian(std::string_view bytes, std::size_t at, std::size_t count) {
  std::int64_t number = 0;
  for (std::size_t i = 0; i < count; ++i) number = number * 256 + byte_at(bytes, at + i);
  return number;
}

// As big_endian(), with the least significant byte first.
std::int64_t little_endian(std::string_view bytes, std::size_t at, std::size_t count) {
  std::int64_t number = 0;
  for (std::size_t i = count; i > 0; --i) number = number * 256 + byte_at(bytes, at + i - 1);
  return number;
}

std::optional<ImageInfo> sized(std::string_view media_type, std::int64_t width, std::int64_t height) {
  if (width <= 0 || height <= 0) return std::nullopt;
  return ImageInfo{media_type, width, height};
}

// A PNG consists of chunks, from IHDR to IEND.
std::optional<ImageInfo> png_info(std::string_view bytes) {
  const std::string_view chunks = bytes.substr(kPngSignature.size());
  if (!chunks.substr(0, 8).ends_with("IHDR")) return std::nullopt;
  for (std::size_t at = 0; at + kPngFrame <= chunks.size();) {
    const bool is_end = chunks.substr(at + 4, 4) == "IEND";
    at += static_cast<std::size_t>(big_endian(chunks, at, 4)) + kPngFrame;
    if (is_end && at == chunks.size())
      return sized("image/png", big_endian(chunks, 8, 4), big_endian(chunks, kPngFrame, 4));
  }
  return std::nullopt;
}

// Whether the JPEG segment of that marker contains the size of the image (SOF0 to SOF15 without DHT, JPG and DAC).
bool has_size(std::int64_t marker) {
  return marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
}

// A JPEG consists of segments with their length, up to the pixels, and ends with the marker EOI.
std::optional<ImageInfo> jpeg_info(std::string_view bytes) {
  if (!bytes.ends_with("\xFF\xD9"sv)) return std::nullopt;
  for (std::size_t at = 2; at + 9 <= bytes.size() && byte_at(bytes, at) == 0xFF;) {
    if (has_size(byte_at(bytes, at + 1)))
      return sized("image/jpeg", big_endian(bytes, at + 7, 2), big_endian(bytes, at + 5, 2));
    at += 2 + static_cast<std::size_t>(big_endian(bytes, at + 2, 2));
  }
  return std::nullopt;
}

// A WebP is a RIFF file. The first chunk contains the size: VP8X (extended), VP8L (lossless) or VP8 (lossy).
std::optional<ImageInfo> webp_info(std::string_view bytes) {
  if (little_endian(bytes, 4, 4) + 8 != static_cast<std::int64_t>(bytes.size())) return std::nullopt;
  const std::string_view type = bytes.substr(kRiffHead, 4);
  const std::string_view data = bytes.size() > kRiffHead + 8 ? bytes.substr(kRiffHead + 8) : ""sv;
  constexpr std::int64_t kSide = 0x3FFF;  // 14 bits
  if (type == "VP8X") return sized("image/webp", little_endian(data, 4, 3) + 1, little_endian(data, 7, 3) + 1);
  if (type == "VP8 ") return sized("image/webp", little_endian(data, 6, 2) & kSide, little_endian(data, 8, 2) & kSide);
  if (type != "VP8L" || byte_at(data, 0) != 0x2F) return std::nullopt;
  const std::int64_t sides = little_endian(data, 1, 4);
  return sized("image/webp", (sides & kSide) + 1, ((sides >> 14) & kSide) + 1);
}

}  // namespace

std::optional<ImageInfo> image_info_of(std::string_view bytes) {
  if (bytes.starts_with(kPngSignature)) return png_info(bytes);
  if (bytes.starts_with("\xFF\xD8\xFF"sv)) return jpeg_info(bytes);
  if (bytes.starts_with("RIFF") && bytes.substr(0, kRiffHead).ends_with("WEBP")) return webp_info(bytes);
  return std::nullopt;
}

}  // namespace finality
