#include "query/statement_lines.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "decide/statement/compare_line.h"
#include "decide/statement/record_difference.h"
#include "model/natural_key.h"
#include "model/out_trade_no.h"
#include "query/refusals.h"
#include "query/statements.h"
#include "wire/statement_wire.h"
#include "wire/wire.h"

namespace finality::query {
namespace {

/// The lines of one page, with the keys that identify them in all versions of the statement.
struct IdentifiedPage {
  std::vector<StatementLine> lines;
  std::vector<Hash16> keys;
};

/// What the comparison found for a line, and where the result is stored.
struct ComparedLine {
  MerchantId merchant_id;
  ObjectRef document{ObjectType::receipt, 0};  // 0: the books have none
  // Keys of differences. The first one that exists is shown.
  Hash16 repetition{};           // the document has the line of another day, or another line
  Hash16 cost_difference{};      // the fee or discount of the line differs
  Hash16 line_difference{};      // about the money of the line
  Hash16 document_difference{};  // about its document
};

IdentifiedPage identify(LinePage page, ChannelAccountId account, bool are_balances_shown) {
  IdentifiedPage identified;
  for (IndexedLine& one : page.lines) {
    identified.keys.push_back(key_of_line(account, one.line, one.ordinal));
    if (!are_balances_shown) one.line.balance.reset();
    identified.lines.push_back(std::move(one.line));
  }
  return identified;
}

Refusal expired() {
  return {RefusalCode::file_expired,
          "The file of the statement was deleted after its retention. Its counts, totals, matches and differences are "
          "kept.",
          {},
          {}};
}

// Only a server with the account knows the format of the file.
Refusal not_indexable(const Statement& statement) {
  return {
      RefusalCode::not_found,
      fmt::format("The lines of the statement are not indexed, and this server cannot read the file: its configuration "
                  "has no account {}. Add the account again and restart the server, which then indexes the lines.",
                  statement.channel),
      {},
      {}};
}

// The refusal for a statement without an index.
Refusal not_indexed(Reader& reader, const Statement& statement, const StatementSources& sources) {
  if (statement.state == StatementState::rejected) return no_such("list of the lines of the rejected statement");
  const auto file = reader.statement_part(statement.id, 0);
  if (!file) return unreadable(file.error());
  if (!*file) return expired();
  if (!sources.contains(statement.channel)) return not_indexable(statement);
  return {RefusalCode::busy, "The lines of the statement are not indexed yet. Retry after a few seconds.", {}, {}};
}

// Reads a page. The first part of the index shows whether the file has expired: they are deleted together.
std::expected<LinePage, Refusal> read_page(Reader& reader, const Statement& statement, const LineQuery& query,
                                           const StatementSources& sources, const IndexOfLines& index_of) {
  if (statement.state == StatementState::empty) return LinePage{.is_of_merchant = !query.merchant};
  if (statement.parts == 0) return std::unexpected(no_such("file of the statement"));
  if (statement.index_parts == 0) return std::unexpected(not_indexed(reader, statement, sources));
  const auto first = reader.statement_part(statement.id, -1);
  if (!first) return std::unexpected(unreadable(first.error()));
  if (!*first) return std::unexpected(expired());
  auto page = index_of(statement, query, reader);
  if (!page) return std::unexpected(unreadable(page.error()));
  return *std::move(page);
}

// A merchant sees a statement only by its own lines. Without one, no answer reveals that the statement exists.
std::expected<LinePage, Refusal> shown_to_merchant(std::expected<LinePage, Refusal> page) {
  const bool is_shown = page ? page->is_of_merchant : page.error().code == RefusalCode::storage_read_error;
  if (!is_shown) return std::unexpected(no_such("statement"));
  return page;
}

/// Finds the results of the lines of a page.
class ResultReader {
 public:
  ResultReader(Reader& reader, const Statement& statement, const ChannelAccount& account)
      : reader_(reader), statement_(statement), account_(account) {}

  /// Returns the results in the order of the lines. `merchant`: without results that belong to the platform.
  Result<std::vector<wire::LineResult>> read(const IdentifiedPage& page, std::optional<MerchantId> merchant) {
    const auto compared = compare(page);
    if (!compared) return std::unexpected(compared.error());
    ReadSet reads;
    for (const ComparedLine& one : *compared) {
      if (one.document.value != 0) reads.statement_matches.push_back(one.document.value);
      for (const Hash16& key : {one.repetition, one.cost_difference, one.line_difference, one.document_difference})
        reads.keys.push_back({key, ObjectType::difference});
    }
    WorkingSet rows;
    if (auto loaded = reader_.load(reads, rows); !loaded) return std::unexpected(loaded.error());
    std::vector<wire::LineResult> results(page.lines.size());
    for (std::size_t i = 0; i < page.lines.size(); ++i)
      if (!merchant || (*compared)[i].merchant_id == *merchant)
        results[i] = result_of(page.keys[i], (*compared)[i], rows);
    return results;
  }

 private:
  // Finds the document of each line as the comparison does.
  Result<std::vector<ComparedLine>> compare(const IdentifiedPage& page) {
    const LineContext context{.account = account_, .date = statement_.date, .source = statement_.source, .rates = {}};
    ReadSet reads;
    for (const StatementLine& line : page.lines) add_reads(reads_of(account_, line), reads);
    WorkingSet rows;
    if (auto loaded = reader_.load(reads, rows); !loaded) return std::unexpected(loaded.error());
    std::vector<ComparedLine> compared;
    for (std::size_t i = 0; i < page.lines.size(); ++i) {
      const StatementLine& line = page.lines[i];
      const bool is_trades = statement_.kind == StatementKind::trades;
      auto one = is_trades ? compared_trade(line, page.keys[i], context, rows)
                           : compared_movement(line, page.keys[i], context, rows);
      if (!one) return std::unexpected(one.error());
      compared.push_back(std::move(*one));
    }
    return compared;
  }

  Result<ComparedLine> compared_trade(const StatementLine& line, const Hash16& key, const LineContext& context,
                                      const WorkingSet& rows) const {
    const Comparison found = is_trade(line.kind) ? compare_line(line, context, rows) : Comparison{};
    const auto key_of = [&](const std::string& subject) {
      return key_of_difference(found.merchant_id, account_.id, subject);
    };
    return ComparedLine{.merchant_id = found.merchant_id,
                        .document = found.document,
                        .repetition = key_of(subject_of_repetition(statement_.date, key)),
                        .cost_difference = key_of(subject_of_costs(key)),
                        .line_difference = key_of(subject_of_line(key)),
                        .document_difference = key_of(subject_of_document(found.document))};
  }

  // A line of a funds or bank statement. Its match is not shown.
  Result<ComparedLine> compared_movement(const StatementLine& line, const Hash16& key, const LineContext& context,
                                         const WorkingSet& rows) {
    Comparison found;
    if (statement_.kind == StatementKind::funds && has_document(line)) {
      found = compare_funds_line(line, context, rows);
      if (auto named = find_refund(line, found); !named) return std::unexpected(named.error());
    }
    const auto key_of = [&](const std::string& subject) {
      return key_of_difference(found.merchant_id, account_.id, subject);
    };
    return ComparedLine{.merchant_id = found.merchant_id,
                        .repetition = key_of(funds_subject_of_repetition(statement_.date, key)),
                        .line_difference = key_of(funds_subject_of(key)),
                        .document_difference = key_of(funds_subject_of(found.document))};
  }

  // Finds the refund or reversal of a line that states only its number, not that of the payment.
  Result<void> find_refund(const StatementLine& line, Comparison& found) {
    const auto number = line.out_trade_no.empty() ? parse_out_refund_no(line.out_refund_no) : std::nullopt;
    if (!number) return {};
    for (const ObjectRef document : {ObjectRef(RefundId{number->object}), ObjectRef(ReversalId{number->object})}) {
      const auto order = reader_.order_of(document);
      if (!order) return std::unexpected(order.error());
      if (!*order) continue;
      found.merchant_id = number->merchant_id;
      found.document = document;
      return {};
    }
    return {};
  }

  static wire::LineResult result_of(const Hash16& key, const ComparedLine& compared, const WorkingSet& rows) {
    wire::LineResult result;
    if (const Key* repeated = rows.keys.find(compared.repetition)) {
      result.difference = DifferenceId{repeated->id};  // the match is that of the other line
      return result;
    }
    if (compared.document.value != 0)
      if (const StatementMatch* match = rows.statement_matches.find(compared.document.value);
          match != nullptr && match->line == key)
        result.match = compared.document;
    if (const Key* cost = rows.keys.find(compared.cost_difference)) {
      result.difference = DifferenceId{cost->id};
    } else if (const Key* known = rows.keys.find(compared.line_difference)) {
      result.difference = DifferenceId{known->id};
    } else if (const Key* other = rows.keys.find(compared.document_difference)) {
      // The difference about a document can have been found in another line, or without a line.
      const DifferenceAggregate* found = rows.differences.find(DifferenceId{other->id});
      if (found != nullptr && found->difference.line == key) result.difference = found->difference.id;
    }
    return result;
  }

  Reader& reader_;
  const Statement& statement_;
  const ChannelAccount& account_;
};

}  // namespace

Shown list_statement_lines(Reader& reader, StatementId id, const LineQuery& query, const StatementSources& sources,
                           const IndexOfLines& index_of) {
  const auto found = find_statement(reader, id);
  if (!found) return std::unexpected(found.error());
  const Statement& statement = found->statement;
  auto page = read_page(reader, statement, query, sources, index_of);
  if (query.merchant) page = shown_to_merchant(std::move(page));
  if (!page) return std::unexpected(std::move(page.error()));
  const auto account = reader.channel_account(statement.channel_account_id);
  if (!account) return std::unexpected(unreadable(account.error()));
  if (!*account) return std::unexpected(no_such("channel account"));
  const bool has_more = page->has_more;
  // The balance after a line is that of all merchants together.
  const IdentifiedPage lines = identify(*std::move(page), statement.channel_account_id, !query.merchant);
  const auto results = ResultReader(reader, statement, **account).read(lines, query.merchant);
  if (!results) return std::unexpected(unreadable(results.error()));
  std::vector<std::string> items;
  for (std::size_t i = 0; i < lines.lines.size(); ++i)
    items.push_back(wire::statement_line_json(lines.lines[i], (*results)[i]));
  return wire::list_json(fmt::format("/v1/statements/{}/lines", to_text(id)), has_more, items);
}

}  // namespace finality::query
