// Endpoints for statements, only for operators except for the lines: POST /v1/statements · POST /v1/statements/fetch ·
// GET /v1/statements · GET /v1/statements/{id} · GET /v1/statements/{id}/lines
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/limits.h"
#include "base/time/date.h"
#include "channel/statements.h"
#include "http/input/fields.h"
#include "http/input/query_params.h"
#include "http/resources/resources.h"
#include "http/server/call.h"
#include "http/server/problem.h"
#include "query/refusals.h"
#include "query/statement_lines.h"
#include "query/statement_quota.h"
#include "query/statements.h"
#include "wire/statement_wire.h"
#include "worker/statements/index/line_index.h"
#include "worker/statements/sealed_file.h"

namespace finality::http {
namespace {

constexpr std::size_t kDateMax = 10;
constexpr std::string_view kDateRule = "must be a calendar day, such as 2026-01-31";
constexpr std::size_t kFundsAccountMax = 32;
constexpr std::int64_t kLineNoMax = 9'999'999'999;

Refusal no_key() {
  return {RefusalCode::not_found,
          "This server stores no files of statements. Set statements.key_file in its configuration.",
          {},
          {}};
}

/// The statement that a request names, before its account is known.
struct Named {
  ChannelAccountId account;
  StatementKind kind = StatementKind::trades;
  std::string date;
  std::string funds_account;
};

// Checks that the account provides statements of that kind from that source.
std::expected<void, Refusal> check_kind(const StatementPlan& plan, StatementKind kind, StatementSource source) {
  if (source == StatementSource::fetched && plan.kinds.empty())
    return invalid_parameter("channel_account",
                             "must not be a bank account: its statements are uploaded, not downloaded.");
  const bool is_only_uploaded = plan.can_upload(kind) && !plan.can_download(kind);
  if (is_only_uploaded && source == StatementSource::uploaded) return {};
  if (plan.kinds.empty()) return invalid_parameter("kind", "must be bank, because the account is a bank account.");
  if (source == StatementSource::uploaded && kind != StatementKind::trades)
    return invalid_parameter(
        "kind",
        "must be trades, because the account is at a channel. Only a downloaded funds statement is "
        "evidence: fetch it.");
  if (!plan.can_download(kind))
    return invalid_parameter("kind", "must be trades or funds, because the account is at a channel.");
  return {};
}

// Checks that the channel has the funds account. A channel with one funds account needs no name.
std::expected<void, Refusal> check_funds_account(const StatementPlan& plan, Named& named) {
  if (named.kind != StatementKind::funds) {
    if (named.funds_account.empty()) return {};
    return invalid_parameter("funds_account", "is only allowed with kind funds.");
  }
  const auto& known = plan.funds_accounts;
  if (named.funds_account.empty() && known.size() == 1) named.funds_account = known.front();
  if (known.empty() && named.funds_account.empty()) return {};
  if (known.empty())
    return invalid_parameter("funds_account", "is not allowed: the channel has only one funds account.");
  if (std::ranges::find(known, named.funds_account) != known.end()) return {};
  return invalid_parameter("funds_account", fmt::format("must be one of {}.", fmt::join(known, ", ")));
}

// Returns the day of the statement if the account provides statements of that kind and the day has ended.
std::expected<StatementDay, Refusal> day_of(Api& api, Reader& reader, Named named, StatementSource source) {
  const auto account = reader.channel_account(named.account);
  if (!account) return std::unexpected(query::unreadable(account.error()));
  if (!*account) return std::unexpected(query::no_such("channel account"));
  const Statements* statements = find_statements(api.services.statement_sources, (*account)->channel);
  if (statements == nullptr) return invalid_parameter("channel_account", "provides no statements on this server.");
  const StatementPlan& plan = statements->statement_plan();
  if (const auto checked = check_kind(plan, named.kind, source); !checked) return std::unexpected(checked.error());
  if (const auto checked = check_funds_account(plan, named); !checked) return std::unexpected(checked.error());
  const std::string today = date_of(api.services.clock.now(), plan.utc_offset);
  if (named.date >= today)
    return invalid_parameter("date", "must be a day that has ended in the time zone of the channel.");
  if (named.date < add_days(today, -plan.history_days))
    return invalid_parameter("date", fmt::format("must be one of the last {} days.", plan.history_days));
  return StatementDay{named.account, (*account)->channel, named.kind, named.funds_account, named.date};
}

/// The newest version of the statement of a day; 0 before the first one.
struct Newest {
  StatementId id;
  std::int64_t file_version = 0;
  std::string sha256{};  // empty without a file
  bool is_rejected = false;
};

std::expected<Newest, Refusal> newest_of(Reader& reader, const StatementDay& day, StatementSource source) {
  const auto newest = reader.newest_statement(day.channel_account_id, day.kind, day.funds_account, day.date, source);
  if (!newest) return std::unexpected(query::unreadable(newest.error()));
  if (!*newest) return Newest{};
  const Statement& row = **newest;
  return Newest{row.id, row.file_version, row.sha256, row.state == StatementState::rejected};
}

// Checks that the account may store a further file of `bytes` bytes. Concurrent requests are counted when they are
// stored, so that together they can exceed a limit by their own size.
std::expected<void, Refusal> check_quota(Api& api, Reader& reader, ChannelAccountId account, std::size_t bytes) {
  const auto stored =
      query::count_stored_files(reader, account, api.services.clock.now(), api.services.policy.file_retention);
  if (!stored) return std::unexpected(query::unreadable(stored.error()));
  const query::StatementQuota& quota = api.services.statement_quota;
  const auto limit = query::exceeded_limit(*stored, quota, static_cast<std::int64_t>(bytes));
  if (!limit) return {};
  api.statements_refused[static_cast<std::size_t>(*limit)]->Increment();
  return std::unexpected(query::quota_refusal(*limit, quota));
}

void accept(Reply& reply) {
  if (!reply.refusal) reply.status = 202;
}

void fetch(Api& api, const HttpExchangePtr& exchange) {
  auto fields = Fields::parse(exchange->request().body);
  if (!fields) return exchange->refuse(fields.error());
  Named named{.account = fields->id<ChannelAccountId>("channel_account")};
  named.kind = parse_enum<StatementKind>(fields->choice("kind", kNames<StatementKind>)).value_or(StatementKind::trades);
  named.date = fields->text("date", kDateMax);
  if (!is_date(named.date)) fields->refuse("date", kDateRule);
  named.funds_account = fields->optional_text("funds_account", kFundsAccountMax).value_or("");
  if (const auto checked = fields->finish(); !checked) return exchange->refuse(checked.error());
  if (api.services.statement_key.empty()) return exchange->refuse(no_key());
  read_then(api, exchange, [&api, exchange, named = std::move(named)](Reader& reader) {
    auto day = day_of(api, reader, named, StatementSource::fetched);
    if (!day) return exchange->refuse(day.error());
    const auto newest = newest_of(reader, *day, StatementSource::fetched);
    if (!newest) return exchange->refuse(newest.error());
    if (newest->file_version != 0 && !newest->sha256.empty())
      if (const auto checked = check_quota(api, reader, day->channel_account_id, 0); !checked)
        return exchange->refuse(checked.error());
    ExpectStatement command{.day = std::move(*day), .newest = newest->id, .is_again = newest->file_version != 0};
    command.due_at = api.services.clock.now();
    submit(api, exchange, {.command = std::move(command), .merchant_id = kPlatform, .on_reply = accept});
  });
}

void upload(Api& api, const HttpExchangePtr& exchange) {
  QueryParams params(exchange->request().query());
  Named named{.account = params.id<ChannelAccountId>("channel_account").value_or(ChannelAccountId{})};
  if (!named.account) params.refuse("channel_account", "is required");
  const auto kind = params.choice<StatementKind>("kind");
  if (!kind) params.refuse("kind", "is required");
  named.kind = kind.value_or(StatementKind::trades);
  const auto date = params.date("date");
  if (!date) params.refuse("date", "is required");
  named.date = date.value_or("");
  named.funds_account = params.text("funds_account", kFundsAccountMax).value_or("");
  if (const auto checked = params.finish(); !checked) return exchange->refuse(checked.error());
  if (exchange->request().body.empty())
    return exchange->refuse({RefusalCode::invalid_request, "The body must be the file of the statement.", {}, {}});
  if (api.services.statement_key.empty()) return exchange->refuse(no_key());
  read_then(api, exchange, [&api, exchange, named = std::move(named)](Reader& reader) {
    auto day = day_of(api, reader, named, StatementSource::uploaded);
    if (!day) return exchange->refuse(day.error());
    const auto newest = newest_of(reader, *day, StatementSource::uploaded);
    if (!newest) return exchange->refuse(newest.error());
    const std::string& file = exchange->request().body;
    std::string hash = sha256_hex(file);
    if (newest->is_rejected || newest->sha256 != hash)  // the same file again stores nothing
      if (const auto checked = check_quota(api, reader, day->channel_account_id, file.size()); !checked)
        return exchange->refuse(checked.error());
    ReceiveStatement command{.day = std::move(*day),
                             .newest = newest->id,
                             .newest_version = newest->file_version,
                             .source = StatementSource::uploaded};
    command.sha256 = std::move(hash);
    command.bytes = static_cast<std::int64_t>(file.size());
    command.parts = seal_file(api.services.statement_key, command.sha256, file);
    submit(api, exchange, {.command = std::move(command), .merchant_id = kPlatform, .on_reply = [](Reply& reply) {
                             if (reply.status == 201) reply.status = 202;
                           }});
  });
}

void list_statements(Api& api, const HttpExchangePtr& exchange) {
  QueryParams params(exchange->request().query());
  const Page page = params.page<StatementId>();
  auto [from, to] = params.date_range();
  StatementFilter filter{.channel_account_id = params.id<ChannelAccountId>("channel_account"),
                         .kind = params.choice<StatementKind>("kind"),
                         .from = std::move(from),
                         .to = std::move(to),
                         .state = params.choice<StatementState>("state")};
  if (const auto checked = params.finish(); !checked) return exchange->refuse(checked.error());
  read(api, exchange, [filter = std::move(filter), page](Reader& reader) {
    return shown(query::list_statements(reader, filter, page));
  });
}

void get_statement(Api& api, const HttpExchangePtr& exchange) {
  read(api, exchange, [exchange](Reader& reader) -> HttpReply {
    const auto id = parse_id<StatementId>(exchange->parameter()).value_or(StatementId{});
    const auto found = query::find_statement(reader, id);
    if (!found) return std::unexpected(found.error());
    return json_response(200, wire::statement_json(*found));
  });
}

void list_lines(Api& api, const HttpExchangePtr& exchange) {
  QueryParams params(exchange->request().query());
  LineQuery query{.merchant = exchange->principal().only_merchant(),
                  .after = params.integer("starting_after", 0, kLineNoMax).value_or(0),
                  .limit = params.limit(limits::kListLimitDefault, limits::kListLimitMax)};
  if (const auto checked = params.finish(); !checked) return exchange->refuse(checked.error());
  if (api.services.statement_key.empty()) return exchange->refuse(no_key());
  read(api, exchange, [&api, exchange, query](Reader& reader) -> HttpReply {
    const auto id = parse_id<StatementId>(exchange->parameter()).value_or(StatementId{});
    const auto index_of = [&api](const Statement& statement, const LineQuery& lines, Reader& parts) {
      return read_line_index(api.services.statement_key, statement, lines, parts);
    };
    return shown(query::list_statement_lines(reader, id, query, api.services.statement_sources, index_of));
  });
}

}  // namespace

void add_statements(Api& api) {
  add_route(api, "POST", "/v1/statements", Access::platform, Role::operator_, upload,
            {.reads_query = true, .body_bytes_max = limits::kStatementBytesMax});
  add_route(api, "POST", "/v1/statements/fetch", Access::platform, Role::operator_, fetch);
  add_route(api, "GET", "/v1/statements", Access::platform, Role::viewer, list_statements, {.reads_query = true});
  add_route(api, "GET", "/v1/statements/{id}", Access::platform, Role::viewer, get_statement);
  add_route(api, "GET", "/v1/statements/{id}/lines", Access::shared, Role::viewer, list_lines, {.reads_query = true});
}

}  // namespace finality::http
