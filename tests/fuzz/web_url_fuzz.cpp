// Arbitrary bytes as a URL: the parsed parts must equal the input, and the target must fit into a request line.
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "channel/parsing/web_url.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace finality;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto url = parse_web_url(text);
  if (!url) return 0;
  const std::string whole = (url->tls ? "https://" : "http://") + url->authority + url->target;
  const std::string without_path = (url->tls ? "https://" : "http://") + url->authority + url->target.substr(1);
  FINALITY_CHECK(whole == text || without_path == text, "the parts differ from the input");
  FINALITY_CHECK(url->target.find_first_of(" \r\n#") == std::string::npos,
                 "the target does not fit into a request line");
  FINALITY_CHECK(!url->authority.empty() && !url->authority.contains('@'),
                 "the authority has no host, or has user information");
  return 0;
}
