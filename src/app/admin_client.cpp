#include "app/admin_client.h"

#include <fmt/format.h>

#include <cstdlib>
#include <future>

#include "base/net/http_client.h"

namespace finality::app {

Result<std::string> post_as_admin(const std::string& server, const std::string& path, const std::string& body) {
  const char* key = std::getenv("FINALITY_KEY");
  if (key == nullptr) return fail("FINALITY_KEY is not set: set it to an admin key (op_…)");
  net::IoPool io(1);
  const auto client = net::HttpClient::create(io);
  net::Call call;
  call.url = server + path;
  call.method = "POST";
  call.headers.add("Authorization", std::string("Bearer ") + key);
  call.headers.add("Content-Type", "application/json");
  call.body = body;
  std::promise<net::CallResult> answered;
  client->call(std::move(call), [&](net::CallResult outcome) { answered.set_value(std::move(outcome)); });
  net::CallResult outcome = answered.get_future().get();
  if (!outcome.answered) return fail(fmt::format("no response from {}: {}", server, outcome.failure));
  if (outcome.response.status >= 300)
    return fail(fmt::format("{} returned status {}: {}", server, outcome.response.status, outcome.response.body));
  return outcome.response.body;
}

}  // namespace finality::app
