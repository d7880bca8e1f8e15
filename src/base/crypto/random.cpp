#include "base/crypto/random.h"

#include <openssl/rand.h>

#include "base/check.h"
#include "base/crypto/encoding.h"

namespace finality {

std::string random_bytes(std::size_t count) {
  std::string bytes(count, '\0');
  const int done = RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(count));
  FINALITY_CHECK(done == 1, "the operating system provides no random bytes");
  return bytes;
}

std::string random_hex(std::size_t count) { return to_hex(random_bytes(count)); }

}  // namespace finality
