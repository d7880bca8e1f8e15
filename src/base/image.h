// Recognizes raster images by their content. Pure, thread safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace finality {

/// What the bytes of an image state about it.
struct ImageInfo {
  std::string_view media_type;  // image/png, image/jpeg or image/webp
  std::int64_t width = 0;       // pixels, as in `height`
  std::int64_t height = 0;
};

/// Returns the type and size of a PNG, JPEG or WebP image; empty for anything else, for a truncated image, and for an
/// image that does not end as its format requires. Reads the structure of the file, but does not decode its pixels.
std::optional<ImageInfo> image_info_of(std::string_view bytes);

}  // namespace finality
