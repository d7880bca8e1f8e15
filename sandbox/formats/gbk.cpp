#include "sandbox/formats/gbk.h"

#include <iconv.h>

#include <cerrno>
#include <memory>
#include <type_traits>

#include "base/check.h"

namespace finality::sandbox {
namespace {

constexpr std::size_t kCharacterMax = 4;  // maximum bytes of one character, in UTF-8 and in GBK

struct Close {
  void operator()(void* converter) const { iconv_close(converter); }
};

bool continues_character(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) == 0x80; }

}  // namespace

std::string to_gbk(std::string_view utf8) {
  iconv_t opened = iconv_open("GBK", "UTF-8");
  FINALITY_CHECK(opened != reinterpret_cast<iconv_t>(-1), "the C library has no GBK");
  const std::unique_ptr<std::remove_pointer_t<iconv_t>, Close> converter(opened);
  std::string in(utf8);
  std::string out(in.size() * kCharacterMax, '\0');
  char* from = in.data();
  std::size_t remaining = in.size();
  char* to = out.data();
  std::size_t free_bytes = out.size();
  while (remaining > 0 && iconv(converter.get(), &from, &remaining, &to, &free_bytes) == static_cast<std::size_t>(-1)) {
    FINALITY_CHECK(errno != E2BIG, "the GBK output buffer is too small");
    do {
      ++from;
      --remaining;
    } while (remaining > 0 && continues_character(*from));
    *to++ = '?';
    --free_bytes;
  }
  out.resize(out.size() - free_bytes);
  return out;
}

}  // namespace finality::sandbox
