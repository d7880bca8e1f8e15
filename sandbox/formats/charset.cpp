#include "sandbox/formats/charset.h"

#include <iconv.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <type_traits>

#include "base/check.h"
#include "base/net/http_message.h"

namespace finality::sandbox {
namespace {

constexpr std::size_t kCharacterMax = 4;  // maximum bytes of one character in each of the character sets

constexpr std::array<Charset, 4> kCharsets{kUtf8, kGbk, {"GB2312", "GBK"}, {"GB18030", "GB18030"}};

struct Close {
  void operator()(void* converter) const { iconv_close(converter); }
};

using Converter = std::unique_ptr<std::remove_pointer_t<iconv_t>, Close>;

Converter converter_of(std::string_view to, std::string_view from) {
  iconv_t opened = iconv_open(std::string(to).c_str(), std::string(from).c_str());
  FINALITY_CHECK(opened != reinterpret_cast<iconv_t>(-1), "the C library lacks a Chinese character set");
  return Converter(opened);
}

bool continues_character(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) == 0x80; }

// Buffers of one conversion.
struct Conversion {
  explicit Conversion(std::string_view text) : in(text), out(in.size() * kCharacterMax, '\0') {}

  // Converts until the end of `in`, or until an invalid character. Returns whether the end was reached.
  bool run(const Converter& converter) {
    if (iconv(converter.get(), &from, &remaining, &to, &free_bytes) != static_cast<std::size_t>(-1)) return true;
    FINALITY_CHECK(errno != E2BIG, "the buffer of a conversion is too small");
    return false;
  }
  std::string converted() && {
    out.resize(out.size() - free_bytes);
    return std::move(out);
  }

  std::string in;
  std::string out;
  char* from = in.data();
  std::size_t remaining = in.size();
  char* to = out.data();
  std::size_t free_bytes = out.size();
};

}  // namespace

const Charset* find_charset(std::string_view name) {
  const auto* found = std::ranges::find_if(
      kCharsets, [&](const Charset& charset) { return net::equals_ignoring_case(charset.name, name); });
  return found != kCharsets.end() ? found : nullptr;
}

std::string encode(const Charset& charset, std::string_view utf8) {
  if (charset.converter.empty()) return std::string(utf8);
  const Converter converter = converter_of(charset.converter, "UTF-8");
  Conversion conversion(utf8);
  while (conversion.remaining > 0 && !conversion.run(converter)) {
    do {
      ++conversion.from;
      --conversion.remaining;
    } while (conversion.remaining > 0 && continues_character(*conversion.from));
    *conversion.to++ = '?';
    --conversion.free_bytes;
  }
  return std::move(conversion).converted();
}

std::optional<std::string> decode(const Charset& charset, std::string_view text) {
  if (charset.converter.empty()) return std::string(text);
  Conversion conversion(text);
  if (!conversion.run(converter_of("UTF-8", charset.converter))) return std::nullopt;
  return std::move(conversion).converted();
}

}  // namespace finality::sandbox
