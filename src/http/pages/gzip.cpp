#include "http/pages/gzip.h"

#include <zlib.h>

#include <algorithm>

#include "base/check.h"
#include "base/net/http_message.h"

namespace finality::http {
namespace {

constexpr int kGzipWindow = 15 + 16;  // the largest window, with the header of a gzip file
constexpr int kMemoryLevel = 8;       // the default of zlib

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ') || text.starts_with('\t')) text.remove_prefix(1);
  while (text.ends_with(' ') || text.ends_with('\t')) text.remove_suffix(1);
  return text;
}

// Whether the parameters of a coding are a weight of 0: "q=0", "q=0.000".
bool is_refused(std::string_view parameters) {
  const std::string_view weight = trimmed(parameters);
  return (weight.starts_with("q=") || weight.starts_with("Q=")) && weight.size() > 2 &&
         weight.find_first_not_of("0.", 2) == std::string_view::npos;
}

}  // namespace

std::string gzip(std::string_view text) {
  z_stream stream{};
  FINALITY_CHECK(
      deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, kGzipWindow, kMemoryLevel, Z_DEFAULT_STRATEGY) == Z_OK,
      "zlib cannot compress");
  std::string packed(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));  // NOLINT: zlib only reads it
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  const int done = deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  FINALITY_CHECK(done == Z_STREAM_END, "the compressed text exceeds its bound");
  return packed;
}

bool accepts_gzip(std::string_view accept_encoding) {
  bool accepts = false;
  while (!accept_encoding.empty()) {
    const std::string_view item = accept_encoding.substr(0, accept_encoding.find(','));
    accept_encoding.remove_prefix(std::min(item.size() + 1, accept_encoding.size()));
    const std::size_t end = std::min(item.find(';'), item.size());
    const std::string_view coding = trimmed(item.substr(0, end));
    const bool is_gzip = net::equals_ignoring_case(coding, "gzip") || net::equals_ignoring_case(coding, "x-gzip");
    if (!is_gzip && coding != "*") continue;
    const bool is_wanted = !is_refused(end < item.size() ? item.substr(end + 1) : std::string_view());
    if (is_gzip) return is_wanted;
    accepts = is_wanted;
  }
  return accepts;
}

}  // namespace finality::http
