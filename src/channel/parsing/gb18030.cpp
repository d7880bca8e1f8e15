#include "channel/parsing/gb18030.h"

#include <iconv.h>

#include <algorithm>
#include <cerrno>

#include "base/limits.h"

namespace finality {
namespace {

constexpr std::size_t kPiece = 16 << 10;
constexpr std::size_t kGrowthMax = 3;  // bytes of UTF-8 per byte of GB18030, including U+FFFD for an invalid byte
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

}  // namespace

void Gb18030Decoder::Close::operator()(void* converter) const { iconv_close(converter); }

Result<Gb18030Decoder> Gb18030Decoder::open(ParseBudget& budget, ByteSink sink) {
  iconv_t opened = iconv_open("UTF-8", "GB18030");
  if (opened == reinterpret_cast<iconv_t>(-1))
    return fail("the C library cannot convert GB18030: install its character set converters (gconv)");
  return Gb18030Decoder(opened, budget, std::move(sink));
}

Result<void> Gb18030Decoder::take(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::string_view piece = bytes.substr(0, kPiece);
    in_ += piece;
    bytes.remove_prefix(piece.size());
    if (auto done = convert(false); !done) return done;
  }
  return {};
}

Result<void> Gb18030Decoder::finish() { return convert(true); }

// Converts `in_` except an incomplete character at its end, which the next bytes complete unless `is_end`.
Result<void> Gb18030Decoder::convert(bool is_end) {
  if (auto spent = budget_->spend(in_.size()); !spent) return spent;
  out_.resize(in_.size() * kGrowthMax);
  char* from = in_.data();
  std::size_t remaining = in_.size();
  char* to = out_.data();
  std::size_t room = out_.size();
  while (remaining > 0 && iconv(converter_.get(), &from, &remaining, &to, &room) == static_cast<std::size_t>(-1)) {
    if (errno == EINVAL && !is_end) break;
    if (room < kReplacement.size()) return fail("a text in GB18030 cannot be converted");
    if (auto spent = budget_->spend(limits::kParseStepWork); !spent) return spent;
    has_replaced_ = true;
    to = std::ranges::copy(kReplacement, to).out;
    room -= kReplacement.size();
    ++from;
    --remaining;
  }
  in_.erase(0, in_.size() - remaining);
  const std::string_view converted(out_.data(), out_.size() - room);
  return converted.empty() ? Result<void>() : sink_(converted);
}

}  // namespace finality
