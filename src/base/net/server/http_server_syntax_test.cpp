#include "base/net/http_server.h"

#include <ctime>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/limits.h"
#include "base/net/server/response_head.h"
#include "base/net/server/test_http_server.h"

namespace finality::net {
namespace {

class HttpServerSyntaxTest : public HttpServerTest {};

INSTANTIATE_TEST_SUITE_P(Threads, HttpServerSyntaxTest, testing::Values(1, 3));

TEST_P(HttpServerSyntaxTest, RejectsHeadersOverTheLimitHoweverTheyArrive) {
  options_.header_bytes_max = 2000;
  serve_echo();
  const std::string start = "GET /x HTTP/1.1\r\nHost: h\r\n";
  std::string many;
  for (int i = 0; i < 100; ++i) many += "X-Field-" + std::to_string(i) + ": some value or other\r\n";
  for (const std::string& request : {start + "X: " + std::string(3000, 'x') + "\r\n\r\n", start + many + "\r\n",
                                     "GET /" + std::string(3000, 'x') + " HTTP/1.1\r\nHost: h\r\n\r\n"}) {
    TestSocket at_once = connect();
    at_once.send(request);
    EXPECT_EQ(status_of(at_once.read_response()), "431");
    EXPECT_TRUE(at_once.at_end());
    TestSocket line_by_line = connect();
    for (std::size_t at = 0; at < request.size(); at += 40) line_by_line.send(request.substr(at, 40));
    EXPECT_EQ(status_of(line_by_line.read_response()), "431");
  }
}

TEST_P(HttpServerSyntaxTest, RejectsInvalidHttp) {
  serve_echo();
  for (const std::string request : {
           "nonsense\r\n\r\n",
           "GET / HTTP/2.0\r\nHost: h\r\n\r\n",
           "GET / HTTP/1.1\r\n\r\n",
           "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
           "GET / HTTP/1.1\r\nHost: h\r\nbad field\r\n\r\n",
           "GET / HTTP/1.1\r\nHost: h\r\nName : value\r\n\r\n",
           "GET / HTTP/1.1\nHost: h\n\n",
           "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: x\r\n\r\n",
           "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: -1\r\n\r\n",
           "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
           "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
           "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip\r\n\r\n",
           "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
           "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
           "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
           "GET / HTTP/1.1\r\nHost: h\r\n: value\r\n\r\n",
           "GET / HTTP/1.1\r\nHost: h\r\nNote: a\r\n b\r\n\r\n",
           "GET / HTTP/1.1\r\nHost: h\r\nNote:\r\n\tb\r\n\r\n",
           "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n",
           "GET / HTTP/1.1\r\n Host: h\r\n\r\n",
           "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\ncontent-length: 3\r\n\r\nabc",
           "GET / HTTP/1.1\r\nHost: h\r\nAuthorization: a\r\nauthorization: a\r\n\r\n",
           "GET path HTTP/1.1\r\nHost: h\r\n\r\n",
           "GET * HTTP/1.1\r\nHost: h\r\n\r\n",
           "GET ftp://h/ HTTP/1.1\r\nHost: h\r\n\r\n",
           "GET http:///p HTTP/1.1\r\nHost: h\r\n\r\n",
           "GET http://user@h/p HTTP/1.1\r\nHost: h\r\n\r\n",
           "GET http://h/p#f HTTP/1.1\r\nHost: h\r\n\r\n",
           "GET http://h/p HTTP/1.1\r\n\r\n",
           "CONNECT h:80 HTTP/1.1\r\nHost: h\r\n\r\n",
       }) {
    TestSocket client = connect();
    client.send(request);
    EXPECT_EQ(status_of(client.read_response()), "400") << request;
    EXPECT_TRUE(client.at_end()) << request;
  }
}

TEST_P(HttpServerSyntaxTest, AnswersTheRequestsBeforeAMalformedOne) {
  serve_held();
  TestSocket client = connect();
  client.send(post("/good", "") + "bad\r\n\r\n");
  held_.expect();
  held_.respond("/good")(text("fine"));
  EXPECT_EQ(body_of(client.read_response()), "fine");
  EXPECT_EQ(status_of(client.read_response()), "400");
  EXPECT_TRUE(client.at_end());
}

TEST_P(HttpServerSyntaxTest, TheReasonNamesARepeatedHeader) {
  options_.singleton_headers = {"X-Tenant"};
  serve_echo();
  for (const std::string name : {"Host", "Authorization", "Content-Length", "X-Tenant"}) {
    const std::string field = name + ": 1\r\n";
    TestSocket client = connect();
    client.send("GET / HTTP/1.1\r\n" + (name == "Host" ? "" : std::string("Host: h\r\n")) + field + field + "\r\n");
    const std::string response = client.read_response();
    EXPECT_EQ(status_of(response), "400");
    EXPECT_TRUE(says(response, "Reason: The header " + name + " must not be repeated.")) << response;
  }
  TestSocket client = connect();
  client.send("GET / HTTP/1.1\r\nHost: h\r\nX-Tenant: 1\r\nX-Other: 1\r\nX-Other: 2\r\n\r\n");
  EXPECT_EQ(status_of(client.read_response()), "200");
}

TEST_P(HttpServerSyntaxTest, RejectsAFoldedLineThatArrivesInPieces) {
  serve_echo();
  TestSocket client = connect();
  for (const std::string piece : {"GET / HTTP/1.1\r\nHost: h\r\nA: b\r\nNote: a\r", "\n", " b\r\n", "C: d\r\n\r\n"})
    client.send(piece);
  const std::string response = client.read_response();
  EXPECT_EQ(status_of(response), "400");
  EXPECT_TRUE(says(response, "Reason: A header line must not be folded."));
}

TEST_P(HttpServerSyntaxTest, RejectsTooManyHeaders) {
  serve_echo();
  std::string fields;
  for (std::size_t i = 1; i < limits::kHeaderFieldsMax; ++i) fields += "A: b\r\n";
  TestSocket client = connect();
  client.send("GET /few HTTP/1.1\r\nHost: h\r\n" + fields + "\r\n");
  EXPECT_EQ(status_of(client.read_response()), "200");
  client.send("GET /many HTTP/1.1\r\nHost: h\r\nA: b\r\n" + fields + "\r\n");
  EXPECT_EQ(status_of(client.read_response()), "431");
}

TEST_P(HttpServerSyntaxTest, TakesPathQueryAndHostFromAnAbsoluteTarget) {
  serve([](HttpRequest request, Respond respond) {
    respond(text(std::string(request.path()) + "|" + std::string(request.query()) + "|" +
                 std::string(request.headers.get("Host"))));
  });
  const std::vector<std::pair<std::string, std::string>> rows{
      {"http://pay.example/v1/orders?a=1", "/v1/orders|a=1|pay.example"},
      {"HTTPS://pay.example:8443/x", "/x||pay.example:8443"},
      {"http://pay.example", "/||pay.example"},
      {"http://pay.example?a=http://b/", "/|a=http://b/|pay.example"},
      {"http://[::1]:80/x", "/x||[::1]:80"},
      {"/x?u=http://b/c", "/x|u=http://b/c|h"},
  };
  TestSocket client = connect();
  for (const auto& [target, seen] : rows) {
    client.send("GET " + target + " HTTP/1.1\r\nHost: h\r\n\r\n");
    EXPECT_EQ(body_of(client.read_response()), seen);
  }
  client.send("OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(body_of(client.read_response()), "*||h");
}

TEST_P(HttpServerSyntaxTest, EveryResponseHasTheDate) {
  serve([](HttpRequest, Respond respond) {
    HttpResponse response = text("");
    response.headers.add("Date", "yesterday");
    respond(std::move(response));
  });
  TestSocket client = connect();
  const std::time_t before = std::time(nullptr);
  client.send(post("/", ""));
  const std::string response = client.read_response();
  bool found = false;
  for (std::time_t at = before; at <= std::time(nullptr); ++at) found |= says(response, "Date: " + http_date(at));
  EXPECT_TRUE(found) << response;
  EXPECT_EQ(response.find("Date"), response.rfind("Date"));
  client.send("bad\r\n\r\n");
  EXPECT_NE(client.read_response().find("\r\nDate: "), std::string::npos);
}

TEST(HttpDateTest, HasTheFormOfRfc9110) {
  EXPECT_EQ(http_date(784'111'777), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(http_date(1'709'164'800), "Thu, 29 Feb 2024 00:00:00 GMT");
}

}  // namespace
}  // namespace finality::net
