// Tests of the quotas of stored files of statements over HTTP.
#include <gtest/gtest.h>

#include "channel/bank/bank_statements.h"
#include "http/testing/test_server.h"
#include "worker/statements/sealed_file.h"

namespace finality::http {
namespace {

constexpr ChannelAccountId kAccount{5};
constexpr std::int64_t kMib = 1 << 20;

class StatementQuotas : public Server {
 protected:
  StatementQuotas() {
    store_.rows.channel_accounts[kAccount] = {.id = kAccount, .channel = "icbc", .kind = std::string(kBankKind)};
    Services services{engine_, store_, channels_, policy_, clock_, io_, registry_};
    services.statement_key = statement_key_of(Secret("a secret of at least 32 characters"));
    services.statement_sources = {{"icbc", &statements_}};
    services.statement_quota = {.max_files_per_day = 2, .max_mib_per_day = 3, .max_mib_stored = 4};
    services.metrics_kept = Duration(0);
    server_.reset();
    server_ = std::move(*ApiServer::start(services, {}, net::ServerOptions()));
  }

  // Adds a version of the statement of a day with a file, received before now.
  Statement& add(std::int64_t version, std::int64_t bytes, Duration before = std::chrono::hours(1)) {
    const StatementId id{version};
    Statement& row = store_.rows.statements[id].statement;
    row.id = id;
    row.channel_account_id = kAccount;
    row.channel = "icbc";
    row.kind = StatementKind::bank;
    row.date = kDate;
    row.file_version = version;
    row.source = StatementSource::uploaded;
    row.state = StatementState::matched;
    row.sha256 = sha256_hex("file of version " + std::to_string(version));
    row.bytes = bytes;
    row.parts = 1;
    row.received_at = kNow - before;
    return row;
  }
  std::future<net::HttpResponse> upload(const std::string& file) {
    net::Headers headers;
    headers.add("Idempotency-Key", "key-1");
    return send("POST", "/v1/statements?kind=bank&date=" + std::string(kDate) + "&channel_account=" + to_text(kAccount),
                "op_operator", file, headers);
  }
  void expect_refused_by(const std::string& setting) {
    const net::HttpResponse response = upload("another file").get();
    EXPECT_EQ(response.status, 429);
    EXPECT_EQ(code_of(response), "rate_limited");
    EXPECT_EQ(response.headers.get("Retry-After"), "3600");
    const auto problem = boost::json::parse(response.body).as_object();
    EXPECT_EQ(problem.at("param"), "channel_account");
    EXPECT_TRUE(std::string_view(problem.at("detail").as_string()).contains("statements." + setting)) << response.body;
    EXPECT_TRUE(engine_.empty()) << "nothing is stored";
    const std::string metrics = fetch("GET", "/metrics", "").body;
    EXPECT_TRUE(metrics.contains("finality_rate_limited_total{limit=\"" + setting + "\"} 1")) << metrics;
  }

  static constexpr const char* kDate = "2026-09-21";
  bank::BankStatements statements_{{"DE02120300000000202051", *parse_currency("EUR")}};
};

TEST_F(StatementQuotas, LimitTheFilesOfADayWithAllVersions) {
  add(1, 10);
  add(2, 10).state = StatementState::rejected;
  expect_refused_by("max_files_per_day");
}

TEST_F(StatementQuotas, LimitTheBytesOfADay) {
  add(1, 3 * kMib);
  expect_refused_by("max_mib_per_day");
}

TEST_F(StatementQuotas, LimitTheStoredBytes) {
  add(1, 4 * kMib, std::chrono::days(30));
  expect_refused_by("max_mib_stored");
}

TEST_F(StatementQuotas, AFileWithinThemAndTheSameFileAgainAreAccepted) {
  add(1, 10, std::chrono::hours(2));
  auto further = upload("another file");
  engine_.take().reply({.status = 201});
  EXPECT_EQ(further.get().status, 202);

  add(2, 10);
  auto same = upload("file of version 2");
  engine_.take().reply({.status = 200});
  EXPECT_EQ(same.get().status, 200);
}

}  // namespace
}  // namespace finality::http
