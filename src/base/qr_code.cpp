#include "base/qr_code.h"

#include <fmt/format.h>
#include <qrencode.h>

#include <cerrno>
#include <cstring>
#include <iterator>
#include <memory>

namespace finality {
namespace {

constexpr int kBorder = 4;  // width in modules, required by ISO/IEC 18004

using Symbol = std::unique_ptr<QRcode, decltype(&QRcode_free)>;

bool is_dark(const QRcode& symbol, int x, int y) {
  return (symbol.data[static_cast<std::ptrdiff_t>(y) * symbol.width + x] & 1) != 0;
}

// SVG path with one rectangle per horizontal run of dark modules.
std::string outline_of(const QRcode& symbol) {
  std::string path;
  for (int y = 0; y < symbol.width; ++y) {
    for (int x = 0; x < symbol.width; ++x) {
      const int begin = x;
      while (x < symbol.width && is_dark(symbol, x, y)) ++x;
      if (x == begin) continue;
      fmt::format_to(std::back_inserter(path), "M{} {}h{}v1h-{}z", begin + kBorder, y + kBorder, x - begin, x - begin);
    }
  }
  return path;
}

}  // namespace

Result<std::string> qr_code_svg(std::string_view text) {
  if (text.empty()) return fail("a QR code needs a non-empty text");
  if (text.size() > kQrCodeBytesMax)
    return fail(fmt::format("{} bytes do not fit into a QR code: the maximum is {}", text.size(), kQrCodeBytesMax));
  constexpr int kSmallestThatFits = 0;
  const Symbol symbol(
      QRcode_encodeData(static_cast<int>(text.size()), reinterpret_cast<const unsigned char*>(text.data()),
                        kSmallestThatFits, QR_ECLEVEL_M),
      QRcode_free);
  if (!symbol) return fail(fmt::format("cannot draw a QR code: {}", std::strerror(errno)));
  return fmt::format(R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0} {0}" shape-rendering="crispEdges">)"
                     R"(<path fill="#fff" d="M0 0h{0}v{0}H0z"/><path fill="#000" d="{1}"/></svg>)",
                     symbol->width + 2 * kBorder, outline_of(*symbol));
}

}  // namespace finality
