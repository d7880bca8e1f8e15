#include "base/net/http_client.h"

#include <future>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/limits.h"
#include "base/net/http_server.h"
#include "base/net/test_dns_server.h"
#include "base/net/test_socket.h"

namespace finality::net {
namespace {

constexpr std::string_view kEmptyAnswer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";

class HttpClientTest : public testing::TestWithParam<std::size_t> {
 protected:
  CallResult call(Call call) { return start(std::move(call)).get(); }

  std::future<CallResult> start(Call call) {
    const auto promise = std::make_shared<std::promise<CallResult>>();
    client_->call(std::move(call), [promise](CallResult outcome) { promise->set_value(std::move(outcome)); });
    return promise->get_future();
  }

  void serve(Handler handler) {
    auto server = HttpServer::listen(io_, {}, std::move(handler));
    ASSERT_TRUE(server);
    server_ = std::move(*server);
  }

  static Call to(std::uint16_t port, std::string path = "/") {
    Call call;
    call.url = "http://127.0.0.1:" + std::to_string(port) + path;
    return call;
  }

  IoPool io_{GetParam()};
  std::unique_ptr<HttpServer> server_;
  std::unique_ptr<HttpClient> client_ = HttpClient::create(io_);
};

INSTANTIATE_TEST_SUITE_P(Threads, HttpClientTest, testing::Values(1, 3));

TEST_P(HttpClientTest, SendsTheRequestAndReturnsTheResponse) {
  serve([](HttpRequest request, Respond respond) {
    HttpResponse response;
    response.status = 202;
    response.headers.add("X-Host", std::string(request.headers.get("host")));
    response.headers.add("X-Note", std::string(request.headers.get("x-note")));
    response.body = request.method + " " + request.target + " " + request.body;
    respond(std::move(response));
  });
  Call call = to(server_->port(), "/path/of?a=1&b=%20#part");
  call.method = "POST";
  call.body = std::string(100'000, 'x');
  call.headers.add("X-Note", "seen");
  call.headers.add("content-length", "3");
  call.headers.add("Host", "elsewhere");
  const CallResult outcome = this->call(call);
  ASSERT_TRUE(outcome.answered) << outcome.failure;
  EXPECT_TRUE(outcome.sent);
  EXPECT_EQ(outcome.response.status, 202);
  EXPECT_EQ(outcome.response.headers.get("x-host"), "127.0.0.1:" + std::to_string(server_->port()));
  EXPECT_EQ(outcome.response.headers.get("x-note"), "seen");
  EXPECT_EQ(outcome.response.body, "POST /path/of?a=1&b=%20 " + call.body);
}

TEST_P(HttpClientTest, ReadsBodiesOfEveryFraming) {
  TestSocket listener = TestSocket::listen();
  std::thread server([&] {
    for (const char* answer : {
             "HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: "
             "chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n",
             "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\n"
             "Connection: close\r\nContent-Length: 5\r\n\r\nabcde",
             "HTTP/1.0 200 OK\r\n\r\nabcde",
         }) {
      TestSocket peer = listener.accept();
      peer.read_until("\r\n\r\n");
      peer.send(answer);
    }
  });
  for (int i = 0; i < 3; ++i) {
    const CallResult outcome = call(to(listener.port()));
    EXPECT_TRUE(outcome.answered) << outcome.failure;
    EXPECT_EQ(outcome.response.body, "abcde");
  }
  server.join();
}

TEST_P(HttpClientTest, ReadsAResponseToHeadWithoutABody) {
  serve([](HttpRequest, Respond respond) {
    HttpResponse response;
    response.body = "never sent";
    respond(std::move(response));
  });
  Call head = to(server_->port());
  head.method = "HEAD";
  for (int i = 0; i < 2; ++i) {
    const CallResult outcome = call(head);
    EXPECT_TRUE(outcome.answered) << outcome.failure;
    EXPECT_EQ(outcome.response.headers.get("Content-Length"), "10");
    EXPECT_EQ(outcome.response.body, "");
  }
}

TEST_P(HttpClientTest, EndsAtTheDeadlineWhenTheServerIsSilent) {
  TestSocket listener = TestSocket::listen();
  Call silent = to(listener.port());
  silent.timeout = Duration{50};
  const CallResult outcome = call(silent);
  EXPECT_FALSE(outcome.answered);
  EXPECT_TRUE(outcome.sent);
  EXPECT_NE(outcome.failure.find("within 50 ms"), std::string::npos) << outcome.failure;
}

TEST_P(HttpClientTest, EndsAtTheDeadlineWhenTheResponseTrickles) {
  TestSocket listener = TestSocket::listen();
  Call slow = to(listener.port());
  slow.timeout = Duration{50};
  std::future<CallResult> outcome = start(slow);
  TestSocket peer = listener.accept();
  peer.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf");
  EXPECT_FALSE(outcome.get().answered);
}

TEST_P(HttpClientTest, SendsNothingWhenTheConnectionIsRefused) {
  std::optional<TestSocket> listener(TestSocket::listen());
  const std::uint16_t port = listener->port();
  listener.reset();
  const CallResult outcome = call(to(port));
  EXPECT_FALSE(outcome.answered);
  EXPECT_FALSE(outcome.sent);
  EXPECT_NE(outcome.failure.find("cannot connect to 127.0.0.1 port "), std::string::npos) << outcome.failure;
}

TEST_P(HttpClientTest, SendsNothingWhenTheDeadlinePassesDuringTheTlsHandshake) {
  TestSocket listener = TestSocket::listen();
  Call call = to(listener.port());
  call.url.insert(4, "s");
  call.timeout = Duration{50};
  const CallResult outcome = this->call(call);
  EXPECT_FALSE(outcome.answered);
  EXPECT_FALSE(outcome.sent);
  EXPECT_NE(outcome.failure.find("setting up TLS"), std::string::npos) << outcome.failure;
}

TEST_P(HttpClientTest, SendsNothingWhenNoTimeIsLeftOrTheRequestIsInvalid) {
  Call late = to(9);
  late.timeout = Duration{0};
  Call split = to(9);
  split.headers.add("X-Note", "a\r\nX-Other: b");
  Call odd = to(9);
  odd.method = "GET / HTTP/1.1\r\nX:";
  for (const Call& bad : {late, split, odd}) {
    const CallResult outcome = call(bad);
    EXPECT_FALSE(outcome.answered);
    EXPECT_FALSE(outcome.sent);
    EXPECT_FALSE(outcome.failure.empty());
  }
}

TEST_P(HttpClientTest, ReusesAConnection) {
  TestSocket listener = TestSocket::listen();
  std::thread server([&] {
    TestSocket peer = listener.accept();
    for (int i = 0; i < 3; ++i) {
      peer.read_until("\r\n\r\n");
      peer.send(kEmptyAnswer);
    }
  });
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(call(to(listener.port())).answered);
  server.join();
}

TEST_P(HttpClientTest, ReusesTheConnectionsOfABurst) {
  constexpr std::size_t kCalls = 200;
  TestSocket listener = TestSocket::listen(kCalls);
  std::vector<TestSocket> peers;
  for (int burst = 0; burst < 2; ++burst) {
    std::vector<std::future<CallResult>> pending;
    for (std::size_t i = 0; i < kCalls; ++i) pending.push_back(start(to(listener.port())));
    while (peers.size() < kCalls) peers.push_back(listener.accept());
    for (TestSocket& peer : peers) EXPECT_NE(peer.read_until("\r\n\r\n"), "");
    for (TestSocket& peer : peers) peer.send(kEmptyAnswer);
    for (std::future<CallResult>& one : pending) EXPECT_TRUE(one.get().answered);
  }
}

TEST_P(HttpClientTest, KeepsNoConnectionTheServerWantsClosed) {
  TestSocket listener = TestSocket::listen();
  std::thread server([&] {
    for (int i = 0; i < 2; ++i) {
      TestSocket peer = listener.accept();
      peer.read_until("\r\n\r\n");
      peer.send("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
      EXPECT_TRUE(peer.at_end());
    }
  });
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(call(to(listener.port())).answered);
  server.join();
}

TEST_P(HttpClientTest, ReconnectsWhenAnIdleConnectionHasBeenClosed) {
  TestSocket listener = TestSocket::listen();
  std::future<CallResult> first = start(to(listener.port()));
  {
    TestSocket peer = listener.accept();
    peer.read_until("\r\n\r\n");
    peer.send(kEmptyAnswer);
    EXPECT_TRUE(first.get().answered);
  }
  std::future<CallResult> second = start(to(listener.port()));
  TestSocket peer = listener.accept();
  peer.read_until("\r\n\r\n");
  peer.send(kEmptyAnswer);
  EXPECT_TRUE(second.get().answered);
}

TEST_P(HttpClientTest, DoesNotRepeatARequestThatWasWrittenOnAReusedConnection) {
  TestSocket listener = TestSocket::listen();
  std::future<CallResult> first = start(to(listener.port()));
  std::optional<TestSocket> peer(listener.accept());
  peer->read_until("\r\n\r\n");
  peer->send(kEmptyAnswer);
  EXPECT_TRUE(first.get().answered);
  std::future<CallResult> second = start(to(listener.port()));
  peer->read_until("\r\n\r\n");
  peer.reset();
  const CallResult outcome = second.get();
  EXPECT_FALSE(outcome.answered);
  EXPECT_TRUE(outcome.sent);
}

TEST_P(HttpClientTest, FailsOnAnIncompleteResponse) {
  for (const char* answer : {"", "HTTP/1.1 20", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf", "not http\r\n\r\n",
                             "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n"}) {
    TestSocket listener = TestSocket::listen();
    std::future<CallResult> pending = start(to(listener.port()));
    {
      TestSocket peer = listener.accept();
      peer.read_until("\r\n\r\n");
      peer.send(answer);
    }
    const CallResult outcome = pending.get();
    EXPECT_FALSE(outcome.answered) << answer;
    EXPECT_TRUE(outcome.sent);
    EXPECT_FALSE(outcome.failure.empty());
  }
}

TEST_P(HttpClientTest, FailsOnAResponseOverTheLimit) {
  const std::string head = "HTTP/1.1 200 OK\r\n";
  std::string endless = head;
  while (endless.size() < 200'000) endless += "X-Field: and so on\r\n";
  for (const std::string& answer : {head + "Content-Length: 1001\r\n\r\n" + std::string(1001, 'x'),
                                    head + "\r\n" + std::string(5000, 'x'), endless}) {
    TestSocket listener = TestSocket::listen();
    Call bounded = to(listener.port());
    bounded.response_bytes_max = 1000;
    std::future<CallResult> pending = start(bounded);
    TestSocket peer = listener.accept();
    peer.read_until("\r\n\r\n");
    std::thread sender([&] { peer.send(answer); });
    EXPECT_FALSE(pending.get().answered);
    sender.join();
  }
}

TEST_P(HttpClientTest, ReadsARejectionThatArrivesBeforeTheBodyHasBeenSent) {
  serve([](HttpRequest, Respond respond) { respond({}); });
  Call large = to(server_->port());
  large.method = "POST";
  large.body = std::string(2 << 20, 'x');
  const CallResult outcome = call(large);
  ASSERT_TRUE(outcome.answered) << outcome.failure;
  EXPECT_EQ(outcome.response.status, 413);
}

TEST_P(HttpClientTest, DoesNotFollowARedirect) {
  serve([](HttpRequest, Respond respond) {
    HttpResponse response;
    response.status = 302;
    response.headers.add("Location", "/other");
    respond(std::move(response));
  });
  EXPECT_EQ(call(to(server_->port())).response.status, 302);
}

TEST_P(HttpClientTest, FailsACallOverTheLimitImmediately) {
  client_ = HttpClient::create(io_, {.calls_max = 1});
  TestSocket listener = TestSocket::listen();
  std::future<CallResult> first = start(to(listener.port()));
  TestSocket peer = listener.accept();
  const CallResult second = call(to(listener.port()));
  EXPECT_FALSE(second.answered);
  EXPECT_FALSE(second.sent);
  EXPECT_TRUE(second.over_limit);
  EXPECT_EQ(second.failure, "too many calls in flight: the limit is 1");
  peer.read_until("\r\n\r\n");
  peer.send(kEmptyAnswer);
  EXPECT_TRUE(first.get().answered);
}

TEST_P(HttpClientTest, CarriesConcurrentCalls) {
  serve([](HttpRequest request, Respond respond) {
    HttpResponse response;
    response.body = request.target;
    respond(std::move(response));
  });
  std::vector<std::future<CallResult>> pending;
  for (int i = 0; i < 200; ++i) pending.push_back(start(to(server_->port(), "/" + std::to_string(i))));
  for (int i = 0; i < 200; ++i) {
    EXPECT_EQ(pending[static_cast<std::size_t>(i)].get().response.body, "/" + std::to_string(i));
  }
}

TEST_P(HttpClientTest, CompletesCallsInFlightAfterTheClientIsDestroyed) {
  TestSocket listener = TestSocket::listen();
  std::future<CallResult> pending = start(to(listener.port()));
  TestSocket peer = listener.accept();
  client_.reset();
  peer.read_until("\r\n\r\n");
  peer.send(kEmptyAnswer);
  EXPECT_TRUE(pending.get().answered);
}

TEST_P(HttpClientTest, PublicOnlyConnectsToNoPrivateAddress) {
  TestSocket listener = TestSocket::listen();
  Call inside = to(listener.port());
  inside.public_only = true;
  const CallResult outcome = call(inside);
  EXPECT_FALSE(outcome.sent);
  EXPECT_TRUE(outcome.failure.starts_with("address not allowed")) << outcome.failure;
}

TEST_P(HttpClientTest, PublicOnlyAllowsExemptTargets) {
  serve([](HttpRequest, Respond respond) { respond({}); });
  Call by_address = to(server_->port());
  by_address.public_only = true;
  by_address.allow_private = {"10.0.0.1", "127.0.0.1"};
  EXPECT_TRUE(call(by_address).answered);
  Call by_host = by_address;
  by_host.url = "http://localhost:" + std::to_string(server_->port()) + "/";
  by_host.allow_private = {"LOCALHOST"};
  EXPECT_TRUE(call(by_host).answered);
  // The exempt calls above left an idle connection. A call without the exemption must not reuse it.
  for (const std::vector<std::string>& others : {std::vector<std::string>{}, {"127.0.0.2"}, {"localhos"}}) {
    by_host.allow_private = others;
    EXPECT_TRUE(call(by_host).failure.starts_with("address not allowed"));
  }
}

TEST_P(HttpClientTest, PublicOnlyRejectsANameWithOnePrivateAddress) {
  TestDnsServer names;
  names.set("shop.test", {.v4 = {"8.8.8.8", "127.0.0.1"}});
  client_ = HttpClient::create(io_, {.name_servers = names.place()});
  Call mixed;
  mixed.url = "http://shop.test/";
  mixed.public_only = true;
  const CallResult outcome = call(mixed);
  EXPECT_FALSE(outcome.sent);
  EXPECT_EQ(outcome.failure, "address not allowed: shop.test is not at a public address");
}

TEST_P(HttpClientTest, ACallOverTheLimitOfLookUpsFailsImmediately) {
  TestDnsServer names;
  client_ = HttpClient::create(io_, {.name_servers = names.place()});
  const auto call_of = [&](const std::string& host) {
    names.set(host, {.is_silent = true});
    Call call;
    call.url = "http://" + host + "/";
    call.url_owner = 7;
    return start(std::move(call));
  };
  std::vector<std::future<CallResult>> silent;
  for (std::size_t i = 0; i < limits::kLookupsPerMerchantMax; ++i)
    silent.push_back(call_of(std::to_string(i) + ".silent.test"));
  for (std::size_t i = 0; i < silent.size(); ++i) ASSERT_TRUE(names.wait_for_query(std::to_string(i) + ".silent.test"));
  const CallResult refused = call_of("one-more.silent.test").get();
  EXPECT_TRUE(refused.over_limit);
  EXPECT_EQ(refused.failure, "cannot look up one-more.silent.test: too many look-ups of host names in progress");
  client_.reset();
  for (auto& each : silent) EXPECT_FALSE(each.get().over_limit) << "shutdown ends the others";
}

TEST_P(HttpClientTest, PublicOnlyRejectsHostileUrls) {
  for (const char* url : {
           // loopback and private, in every spelling that a resolver accepts
           "http://127.0.0.1/",
           "http://127.1/",
           "http://127.0.1/",
           "http://0/",
           "http://0.0.0.0/",
           "http://0x7f.1/",
           "http://0x7f000001/",
           "http://0x7F.0x0.0x0.0x1/",
           "http://2130706433/",
           "http://017700000001/",
           "http://0177.0.0.1/",
           "http://0177.0.0.01/",
           "http://127.0.0.1:80/",
           "http://%31%32%37.0.0.1/",
           "http://127%2e0%2e0%2e1/",
           "http://localhost/",
           "http://LOCALHOST/",
           "http://10.0.0.1/",
           "http://10.1/",
           "http://167772161/",
           "http://0xa000001/",
           "http://172.16.0.1/",
           "http://192.168.1.1/",
           "http://192.168.257/",
           "http://3232235777/",
           "http://169.254.169.254/",
           "http://2852039166/",
           "http://0xa9fea9fe/",
           "http://0251.0376.0251.0376/",
           "http://169.254.43518/",
           "http://100.100.100.200/",
           "http://168.63.129.16/",
           "http://192.0.0.192/",
           "http://255.255.255.255/",
           "http://224.0.0.1/",
           "http://198.18.0.1/",
           // IPv6
           "http://[::1]/",
           "http://[::]/",
           "http://[0:0:0:0:0:0:0:1]/",
           "http://[::ffff:127.0.0.1]/",
           "http://[::ffff:7f00:1]/",
           "http://[::ffff:169.254.169.254]/",
           "http://[::127.0.0.1]/",
           "http://[64:ff9b::7f00:1]/",
           "http://[64:ff9b::169.254.169.254]/",
           "http://[2002:7f00:1::]/",
           "http://[2001:0:7f00:1::]/",
           "http://[fd00:ec2::254]/",
           "http://[fe80::1]/",
           "http://[fe80::1%25lo]/",
           "http://[fe80::1%lo]/",
           "http://[ff02::1]/",
           "http://[v1.7f]/",
           "http://[127.0.0.1]/",
           // the actual host differs from the host that a reader of the URL sees
           "http://example.com@127.0.0.1/",
           "http://user:word@example.com/",
           "http://@127.0.0.1/",
           "http://example.com%40127.0.0.1/",
           "http://127.0.0.1%00.example.com/",
           "http://127.0.0.1%09/",
           "http://127.0.0.1\\@example.com/",
           "http://127.0.0.1#@example.com/",
           "http://127.0.0.1?@example.com/",
           "http://127.0.0.1\t/",
           "http://127.0.0.1\r\n/",
           "http://exa mple.com/",
           "http:\\\\127.0.0.1\\",
           "http://\xe2\x91\xa0\xe2\x91\xa1\xe2\x91\xa6.0.0.1/",
           "http://127\xe3\x80\x82"
           "0.0.1/",
           // missing host, invalid scheme, invalid port
           "",
           "/",
           "//127.0.0.1/",
           "http:",
           "http:/",
           "http://",
           "http:///",
           "http:127.0.0.1",
           "http:/127.0.0.1/",
           "https://",
           "http://:80/",
           "http://example.com:0/",
           "http://example.com:65536/",
           "http://example.com:87036/",
           "https://./",
           "https://a..b/",
           "http://example.com:x/",
           "http://example.com:-1/",
           "http://example.com:80x/",
           "http://8.8.8.8x/",
           "http://[2606:4700::1]x/",
           "file:///etc/passwd",
           "ftp://127.0.0.1/",
           "gopher://127.0.0.1:6379/_x",
           "dict://127.0.0.1/",
           "ldap://127.0.0.1/",
           "jar:http://127.0.0.1!/",
           "unix:///var/run/docker.sock",
           "data:text/plain,x",
           "javascript:alert(1)",
           "httpx://127.0.0.1/",
           " http://127.0.0.1/",
       }) {
    Call hostile;
    hostile.url = url;
    hostile.public_only = true;
    const CallResult outcome = call(hostile);
    EXPECT_FALSE(outcome.sent) << url;
    EXPECT_TRUE(outcome.failure.starts_with("address not allowed")) << url << ": " << outcome.failure;
  }
}

}  // namespace
}  // namespace finality::net
