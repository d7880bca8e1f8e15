// QR codes (ISO/IEC 18004) as pictures, by libqrencode. Pure, thread safe.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace finality {

/// The most that fits into one, as bytes at level M.
inline constexpr std::size_t kQrCodeBytesMax = 2331;

/// An SVG element that scales to any size: dark on white with the white border that scanners need, so that it can be
/// read in a dark page too. Damage to 15 % of it (level M) does not hurt. An error when the text is empty or longer
/// than kQrCodeBytesMax.
Result<std::string> qr_code_svg(std::string_view text);

}  // namespace finality
