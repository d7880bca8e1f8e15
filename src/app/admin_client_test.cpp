#include "app/admin_client.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/guarded.h"
#include "base/net/http_server.h"

namespace finality::app {
namespace {

TEST(KeyTarget, IsHttpsOrThisMachine) {
  for (const char* url : {"https://pay.example", "https://10.0.0.1:8443/", "http://127.0.0.1:8080", "http://127.9.9.9",
                          "http://localhost:8080/", "http://LOCALHOST:8080", "http://localhost.:8080",
                          "http://LocalHost./", "http://[::1]:8080"})
    EXPECT_TRUE(check_key_target(url, false)) << url;
  for (const char* url : {"http://pay.example", "http://10.0.0.1:8080", "http://192.168.0.1", "http://0.0.0.0:8080",
                          "http://[::]:8080", "http://[::ffff:10.0.0.1]", "http://localhost.example",
                          "http://localhost..", "http://LOCALHOST.example.", "http://127.0.0.1.example",
                          "http://127.0.0.1@pay.example", "http://127.1", "ftp://127.0.0.1", "127.0.0.1:8080", ""})
    EXPECT_FALSE(check_key_target(url, false)) << url;
  EXPECT_EQ(check_key_target("http://pay.example:8080", false).error().message,
            "the key is not sent over plain http to pay.example, because everyone on the path could read it: use an "
            "https URL, or --insecure-http if the network is trusted");
}

TEST(KeyTarget, AnOptionAllowsPlainHttp) {
  EXPECT_TRUE(check_key_target("http://pay.example", true));
  EXPECT_FALSE(check_key_target("http://127.0.0.1@pay.example", true)) << "not a URL of a server";
}

/// A server on this machine that counts requests and answers all alike.
class CountingServer {
 public:
  explicit CountingServer(net::HttpResponse response) : response_(std::move(response)) {
    server_ = std::move(
        *net::HttpServer::listen(io_, {}, [this](const net::HttpRequest& request, const net::Respond& respond) {
          keys_ += request.headers.get("Authorization") == "Bearer op_secret" ? 1 : 0;
          ++requests_;
          targets_.with([&](auto& targets) { targets.push_back(request.target); });
          respond(net::HttpResponse(response_));
        }));
  }
  std::string url(const std::string& host = "127.0.0.1") const {
    return "http://" + host + ":" + std::to_string(server_->port());
  }
  int requests() const { return requests_; }
  int keys() const { return keys_; }
  std::vector<std::string> targets() const { return targets_.get(); }

 private:
  net::HttpResponse response_;
  std::atomic<int> requests_{0};
  std::atomic<int> keys_{0};
  Guarded<std::vector<std::string>> targets_;
  net::IoPool io_{1};
  std::unique_ptr<net::HttpServer> server_;
};

class AdminClient : public testing::Test {
 protected:
  AdminClient() { setenv("FINALITY_KEY", "op_secret", 1); }
  ~AdminClient() override { unsetenv("FINALITY_KEY"); }
};

TEST_F(AdminClient, SendsTheKeyToThisMachine) {
  const CountingServer server({.status = 200, .headers = {}, .body = "{}"});
  for (const char* host : {"127.0.0.1", "localhost", "LOCALHOST", "localhost."})
    EXPECT_EQ(get_as_admin({.url = server.url(host)}, "/v1/statements").value_or(""), "{}") << host;
  EXPECT_EQ(server.keys(), 4);
}

TEST_F(AdminClient, IgnoresTrailingSlashesOfTheServer) {
  const CountingServer server({.status = 200, .headers = {}, .body = "{}"});
  EXPECT_TRUE(get_as_admin({.url = server.url() + "/"}, "/get"));
  EXPECT_TRUE(post_as_admin({.url = server.url() + "//"}, "/post", "{}"));
  EXPECT_TRUE(upload_as_admin({.url = server.url() + "/finality/"}, "/upload", "file"));
  EXPECT_EQ(server.targets(), (std::vector<std::string>{"/get", "/post", "/finality/upload"}));
}

TEST_F(AdminClient, ARedirectDoesNotSendTheKeyToAnotherServer) {
  const CountingServer other({.status = 200, .headers = {}, .body = "{}"});
  for (const int status : {301, 302, 303, 307, 308}) {
    net::HttpResponse moved{.status = status, .headers = {}, .body = ""};
    moved.headers.add("Location", other.url());
    const CountingServer server(std::move(moved));
    const auto posted = post_as_admin({.url = server.url()}, "/v1/merchants", "{}");
    ASSERT_FALSE(posted);
    EXPECT_TRUE(posted.error().message.contains("returned status")) << posted.error().message;
    EXPECT_FALSE(get_as_admin({.url = server.url()}, "/v1/statements"));
    EXPECT_EQ(server.requests(), 2);
  }
  EXPECT_EQ(other.requests(), 0);
}

TEST_F(AdminClient, EveryRequestWithTheKeyChecksItsTarget) {
  const AdminServer elsewhere{.url = "http://pay.example"};
  for (const auto& answer :
       {get_as_admin(elsewhere, "/"), post_as_admin(elsewhere, "/", "{}"), upload_as_admin(elsewhere, "/", "file")}) {
    ASSERT_FALSE(answer);
    EXPECT_TRUE(answer.error().message.starts_with("the key is not sent")) << answer.error().message;
  }
}

}  // namespace
}  // namespace finality::app
