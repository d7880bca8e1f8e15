// Cost of signatures: verifying a channel's notification, signing a webhook delivery.
#include <benchmark/benchmark.h>

#include <fmt/format.h>

#include "base/crypto/crypto.h"
#include "base/crypto/encoding.h"
#include "channel/sandbox/signature.h"
#include "worker/effects/webhook_signature.h"

namespace finality {
namespace {

constexpr Time kNow{1'790'000'000'000};
constexpr std::size_t kBodyBytes = 900;

void check(benchmark::State& state) {
  const Secret secret("0123456789abcdef0123456789abcdef");
  const std::string body(kBodyBytes, 'x');
  const std::string timestamp = fmt::format("{}", kNow.ms / 1000);
  net::Headers headers;
  headers.add("Sandbox-Timestamp", timestamp);
  headers.add("Sandbox-Signature", to_hex(hmac_sha256(secret.reveal(), timestamp + "\n" + body)));
  for (auto _ : state)
    if (!sandbox_channel::check_signature(secret, headers, body, kNow)) {
      state.SkipWithError("a valid signature was rejected");
      return;
    }
}
BENCHMARK(check)->Name("a channel's signature is checked");

void sign(benchmark::State& state) {
  const std::vector<Secret> secrets{Secret("whsec_obBe9zSUeQXxqz355A90qgRikFHNInt90xCDr5A/qWY=")};
  const std::string body(kBodyBytes, 'x');
  for (auto _ : state) {
    auto signature = webhook_signature(secrets, "dlv_0akta7x4r007q", kNow, body);
    if (!signature) {
      state.SkipWithError("the secret was rejected");
      return;
    }
    benchmark::DoNotOptimize(*signature);
  }
}
BENCHMARK(sign)->Name("a notification is signed");

}  // namespace
}  // namespace finality
