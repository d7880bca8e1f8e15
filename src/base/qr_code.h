// QR codes (ISO/IEC 18004) as SVG images, drawn with libqrencode. Pure, thread safe.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace finality {

/// The maximum content in bytes, at error correction level M.
inline constexpr std::size_t kQrCodeBytesMax = 2331;

/// Returns a scalable SVG element, black on white. Its white border makes it readable for scanners on a dark page too.
/// Error correction level M tolerates damage to 15 % of the code. Returns an error if the text is empty or longer than
/// kQrCodeBytesMax.
Result<std::string> qr_code_svg(std::string_view text);

}  // namespace finality
