#include "query/statement_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "channel/statements.h"
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
struct ParsedPage {
  std::vector<StatementLine> lines;
  std::vector<Hash16> keys;
  bool has_more = false;
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

bool is_of(const StatementLine& line, std::optional<MerchantId> merchant) {
  return !merchant || merchant_of(line) == merchant;
}

/// Reads pages of one file. Ignores the result of the parser: a malformed file has been rejected, and its lines up to
/// the malformed one are shown.
class FileOfLines {
 public:
  FileOfLines(const Statements& format, const Statement& statement, std::string_view file, std::stop_token stop)
      : format_(format),
        call_{.kind = statement.kind, .funds_account = statement.funds_account, .date = statement.date},
        account_(statement.channel_account_id),
        file_(file),
        stop_(std::move(stop)) {}

  /// Returns an error if the parser was stopped.
  Result<ParsedPage> read(std::optional<MerchantId> merchant, const LinePage& bounds) const {
    ParsedPage page;
    const auto stopped = parse([&](StatementLine&& line) {
      if (line.line_no <= bounds.after || !is_of(line, merchant)) return true;
      page.has_more = page.lines.size() == bounds.limit;
      if (!page.has_more) page.lines.push_back(std::move(line));
      return !page.has_more;
    });
    if (!stopped) return std::unexpected(stopped.error());
    if (auto identified = identify(bounds, page); !identified) return std::unexpected(identified.error());
    if (merchant)  // the balance after a line is that of all merchants together
      for (StatementLine& line : page.lines) line.balance.reset();
    return page;
  }

 private:
  // Sets the keys. Parses the lines before the page again, because equal lines differ only in their number. Computes
  // the hashes only of lines with a time that is on the page.
  Result<void> identify(const LinePage& bounds, ParsedPage& page) const {
    std::vector<Hash16> first;  // keys of the first equal lines
    std::vector<std::int64_t> ordinals;
    std::vector<Time> times;
    for (const StatementLine& line : page.lines) {
      const Hash16 key = key_of_line(account_, line, 0);
      ordinals.push_back(std::ranges::count(first, key));
      first.push_back(key);
      times.push_back(line.at);
    }
    std::ranges::sort(times);
    Result<void> stopped;
    if (bounds.after > 0 && !page.lines.empty())
      stopped = parse([&](StatementLine&& line) {
        if (line.line_no > bounds.after) return false;
        if (!std::ranges::binary_search(times, line.at)) return true;
        const Hash16 key = key_of_line(account_, line, 0);
        for (std::size_t i = 0; i < first.size(); ++i) ordinals[i] += first[i] == key ? 1 : 0;
        return true;
      });
    for (std::size_t i = 0; i < page.lines.size(); ++i)
      page.keys.push_back(ordinals[i] == 0 ? first[i] : key_of_line(account_, page.lines[i], ordinals[i]));
    return stopped;
  }

  // Returns an error only if the parser was stopped.
  Result<void> parse(const LineSink& sink) const {
    ParseBudget budget(file_.size(), stop_);
    const auto parsed = format_.parse(call_, file_, budget, sink);
    return budget.is_stopped() && !parsed ? std::unexpected(parsed.error()) : Result<void>{};
  }

  const Statements& format_;
  StatementCall call_;
  ChannelAccountId account_;
  std::string_view file_;
  std::stop_token stop_;
};

/// Finds the results of the lines of a page.
class ResultReader {
 public:
  ResultReader(Reader& reader, const Statement& statement, const ChannelAccount& account)
      : reader_(reader), statement_(statement), account_(account) {}

  /// Returns the results in the order of the lines. `merchant`: without results that belong to the platform.
  Result<std::vector<wire::LineResult>> read(const ParsedPage& page, std::optional<MerchantId> merchant) {
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
  Result<std::vector<ComparedLine>> compare(const ParsedPage& page) {
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

Shown list_statement_lines(Reader& reader, StatementId id, std::optional<MerchantId> merchant, const LinePage& page,
                           const StatementSources& sources, const FileOfStatement& file_of,
                           const std::stop_token& stop) {
  const auto found = find_statement(reader, id);
  if (!found) return std::unexpected(found.error());
  const Statement& statement = found->statement;
  const Statements* format = find_statements(sources, statement.channel);
  if (statement.parts == 0 || format == nullptr) return std::unexpected(no_such("file of the statement"));
  const auto account = reader.channel_account(statement.channel_account_id);
  if (!account) return std::unexpected(unreadable(account.error()));
  if (!*account) return std::unexpected(no_such("channel account"));
  const auto part = reader.statement_part(id, 0);
  if (!part) return std::unexpected(unreadable(part.error()));
  if (!*part)
    return std::unexpected(Refusal{RefusalCode::file_expired,
                                   "The file of the statement was deleted after its retention. Its counts, totals, "
                                   "matches and differences are kept.",
                                   {},
                                   {}});
  const auto file = file_of(statement, reader);
  if (!file) return std::unexpected(unreadable(file.error()));
  const auto parsed = FileOfLines(*format, statement, *file, stop).read(merchant, page);
  if (!parsed) return std::unexpected(Refusal{RefusalCode::busy, "The server is shutting down.", {}, {}});
  const auto results = ResultReader(reader, statement, **account).read(*parsed, merchant);
  if (!results) return std::unexpected(unreadable(results.error()));
  std::vector<std::string> items;
  for (std::size_t i = 0; i < parsed->lines.size(); ++i)
    items.push_back(wire::statement_line_json(parsed->lines[i], (*results)[i]));
  return wire::list_json(fmt::format("/v1/statements/{}/lines", to_text(id)), parsed->has_more, items);
}

}  // namespace finality::query
