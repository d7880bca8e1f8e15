// The client against a TLS server, with certificates made for the test.

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <unistd.h>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/write.hpp>

#include "base/net/http_client.h"

namespace finality::net {
namespace {

namespace asio = boost::asio;
namespace ssl = boost::asio::ssl;
using asio::ip::tcp;
using boost::system::error_code;

struct Certificate {
  std::string certificate;
  std::string key;
};

std::string text_of(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return std::string(data, static_cast<std::size_t>(size));
}

/// A self-signed certificate for `names`, in the form of OpenSSL ("DNS:localhost,IP:127.0.0.1").
Certificate make_certificate(const std::string& names) {
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(EVP_EC_gen("P-256"), &EVP_PKEY_free);
  const std::unique_ptr<X509, decltype(&X509_free)> certificate(X509_new(), &X509_free);
  X509_set_version(certificate.get(), X509_VERSION_3);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -3600);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 3600);
  X509_set_pubkey(certificate.get(), key.get());
  X509_NAME* name = X509_get_subject_name(certificate.get());
  const auto* common_name = reinterpret_cast<const unsigned char*>(names.c_str());
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, common_name, -1, -1, 0);
  X509_set_issuer_name(certificate.get(), name);
  X509_EXTENSION* alternatives = X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, names.c_str());
  X509_add_ext(certificate.get(), alternatives, -1);
  X509_EXTENSION_free(alternatives);
  X509_sign(certificate.get(), key.get(), EVP_sha256());

  const std::unique_ptr<BIO, decltype(&BIO_free)> certificate_text(BIO_new(BIO_s_mem()), &BIO_free);
  const std::unique_ptr<BIO, decltype(&BIO_free)> key_text(BIO_new(BIO_s_mem()), &BIO_free);
  PEM_write_bio_X509(certificate_text.get(), certificate.get());
  PEM_write_bio_PrivateKey(key_text.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  return {text_of(certificate_text.get()), text_of(key_text.get())};
}

/// Takes one connection and answers up to two requests on it, on a thread of its own.
class TlsServer {
 public:
  explicit TlsServer(const Certificate& certificate, int version_max = TLS1_3_VERSION) {
    tls_.use_certificate_chain(asio::buffer(certificate.certificate));
    tls_.use_private_key(asio::buffer(certificate.key), ssl::context::pem);
    SSL_CTX_set_security_level(tls_.native_handle(), 0);
    SSL_CTX_set_min_proto_version(tls_.native_handle(), TLS1_VERSION);
    SSL_CTX_set_max_proto_version(tls_.native_handle(), version_max);
    thread_ = std::jthread([this] { run(); });
  }

  std::uint16_t port() const { return acceptor_.local_endpoint().port(); }
  /// The requests it has read, once its client has gone.
  int requests() {
    thread_.join();
    return requests_;
  }
  std::string server_name() const { return server_name_; }

 private:
  void run() {
    error_code error;
    ssl::stream<tcp::socket> stream(acceptor_.accept(), tls_);
    stream.handshake(ssl::stream_base::server, error);
    if (error) return;
    if (const char* name = SSL_get_servername(stream.native_handle(), TLSEXT_NAMETYPE_host_name)) server_name_ = name;
    std::string input;
    while (requests_ < 2) {
      const std::size_t size = asio::read_until(stream, asio::dynamic_buffer(input), "\r\n\r\n", error);
      if (error) return;
      input.erase(0, size);
      ++requests_;
      asio::write(stream, asio::buffer(std::string("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecret")), error);
    }
  }

  asio::io_context context_;
  ssl::context tls_{ssl::context::tls_server};
  tcp::acceptor acceptor_{context_, tcp::endpoint(asio::ip::address_v4::loopback(), 0)};
  int requests_ = 0;
  std::string server_name_;
  std::jthread thread_;
};

class HttpClientTlsTest : public testing::Test {
 protected:
  /// The client trusts `trusted`, by way of the system's trust store.
  void make_client(const Certificate& trusted) {
    std::ofstream(store_) << trusted.certificate;
    ::setenv("SSL_CERT_FILE", store_.c_str(), 1);
    client_ = HttpClient::create(io_);
    ::unsetenv("SSL_CERT_FILE");
  }
  ~HttpClientTlsTest() override { std::filesystem::remove(store_); }

  CallResult get(const std::string& host, std::uint16_t port) {
    Call call;
    call.url = "https://" + host + ":" + std::to_string(port) + "/";
    const auto promise = std::make_shared<std::promise<CallResult>>();
    client_->call(std::move(call), [promise](CallResult outcome) { promise->set_value(std::move(outcome)); });
    return promise->get_future().get();
  }

  const std::string store_ = testing::TempDir() + "finality_trusted_" + std::to_string(::getpid()) + ".pem";
  IoPool io_{2};
  std::unique_ptr<HttpClient> client_;
};

TEST_F(HttpClientTlsTest, TalksToATrustedServerAndKeepsTheConnection) {
  const Certificate certificate = make_certificate("DNS:localhost");
  make_client(certificate);
  TlsServer server(certificate);
  for (int i = 0; i < 2; ++i) {
    const CallResult outcome = get("localhost", server.port());
    EXPECT_TRUE(outcome.answered) << outcome.failure;
    EXPECT_EQ(outcome.response.body, "secret");
  }
  EXPECT_EQ(server.requests(), 2);
  EXPECT_EQ(server.server_name(), "localhost");
}

TEST_F(HttpClientTlsTest, TalksToAServerWhoseCertificateNamesTheAddress) {
  const Certificate certificate = make_certificate("IP:127.0.0.1");
  make_client(certificate);
  TlsServer server(certificate, TLS1_2_VERSION);
  EXPECT_TRUE(get("127.0.0.1", server.port()).answered);
  client_.reset();
  EXPECT_EQ(server.requests(), 1);
  EXPECT_EQ(server.server_name(), "");
}

TEST_F(HttpClientTlsTest, SendsNothingToAServerItCannotTrust) {
  const Certificate trusted = make_certificate("DNS:localhost");
  const Certificate other_key = make_certificate("DNS:localhost");
  make_client(trusted);
  TlsServer server(other_key);
  const CallResult outcome = get("localhost", server.port());
  EXPECT_FALSE(outcome.answered);
  EXPECT_FALSE(outcome.sent);
  EXPECT_NE(outcome.failure.find("certificate verify failed"), std::string::npos) << outcome.failure;
  EXPECT_EQ(server.requests(), 0);
}

TEST_F(HttpClientTlsTest, SendsNothingToAServerWithAnotherName) {
  const Certificate certificate = make_certificate("DNS:elsewhere.test");
  make_client(certificate);
  TlsServer server(certificate);
  const CallResult outcome = get("localhost", server.port());
  EXPECT_FALSE(outcome.answered);
  EXPECT_FALSE(outcome.sent);
  EXPECT_EQ(server.requests(), 0);
}

TEST_F(HttpClientTlsTest, SendsNothingOverAnOldVersion) {
  const Certificate certificate = make_certificate("DNS:localhost");
  make_client(certificate);
  TlsServer server(certificate, TLS1_1_VERSION);
  const CallResult outcome = get("localhost", server.port());
  EXPECT_FALSE(outcome.answered);
  EXPECT_FALSE(outcome.sent);
  EXPECT_EQ(server.requests(), 0);
}

}  // namespace
}  // namespace finality::net
