#include "worker/statements/index/line_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "decide/statement/compare_line.h"
#include "worker/statements/sealed_file.h"

namespace finality {
namespace {

constexpr std::int64_t kLinesPerPart = 128;
constexpr std::size_t kNamedPerPart = 1024;
constexpr std::int64_t kHeaderPart = -1;
constexpr std::int64_t kFirstPart = -2;  // of the lines
constexpr std::uint64_t kFormat = 1;

/// Reads the parts of one index.
class LineIndex {
 public:
  LineIndex(const Secret& key, const Statement& statement, Reader& reader)
      : key_(key), statement_(statement), reader_(reader) {}

  Result<void> open() {
    const auto header = part(kHeaderPart);
    if (!header) return std::unexpected(header.error());
    ByteReader bytes(*header);
    if (bytes.number() != kFormat) return fail(damaged());
    line_parts_ = bytes.signed_number();
    named_parts_ = bytes.signed_number();
    return bytes.is_valid() ? Result<void>{} : fail(damaged());
  }

  // The lines of all merchants.
  Result<void> read_all(const LineQuery& query, LinePage& page) {
    auto begin = first_part(line_parts_, [&](std::int64_t number) -> Result<bool> {
      if (auto read = load_lines(number); !read) return std::unexpected(read.error());
      return lines_.back().line.line_no > query.after;
    });
    if (!begin) return std::unexpected(begin.error());
    for (std::int64_t number = *begin; number < line_parts_ && !page.has_more; ++number) {
      if (auto read = load_lines(number); !read) return read;
      for (const IndexedLine& line : lines_)
        if (line.line.line_no > query.after) add(line, query, page);
    }
    return {};
  }

  Result<void> read_of(MerchantId merchant, const LineQuery& query, LinePage& page) {
    const auto any = find_named({merchant.value, 0});
    if (!any) return std::unexpected(any.error());
    page.is_of_merchant = *any && (*any)->merchant == merchant.value;
    if (!page.is_of_merchant) return {};
    auto next = find_named({merchant.value, query.after + 1});
    while (next && *next && (*next)->merchant == merchant.value && !page.has_more) {
      if (auto read = load_lines((*next)->position / kLinesPerPart); !read) return read;
      const auto index = static_cast<std::size_t>((*next)->position % kLinesPerPart);
      if (index >= lines_.size()) return fail(damaged());
      add(lines_[index], query, page);
      next = next_named();
    }
    return next ? Result<void>{} : std::unexpected(next.error());
  }

 private:
  using Key = std::pair<std::int64_t, std::int64_t>;  // of a NamedLine: merchant and number of the line

  static Key key_of(const NamedLine& named) { return {named.merchant, named.line_no}; }
  static void add(const IndexedLine& line, const LineQuery& query, LinePage& page) {
    page.has_more = page.has_more || page.lines.size() == query.limit;
    if (!page.has_more) page.lines.push_back(line);
  }

  std::string damaged() const { return fmt::format("the index of the lines of {} is damaged", to_text(statement_.id)); }

  Result<std::string> part(std::int64_t part_no) {
    auto plain = open_part(key_, statement_, part_no, reader_);
    if (!plain) return std::unexpected(plain.error());
    if (!*plain) return fail(fmt::format("the index of the lines of {} is incomplete", to_text(statement_.id)));
    return **std::move(plain);
  }

  // Returns the first of the numbers from 0 for which `is_behind` is true, which is then true for all further ones;
  // `count` if no number meets it.
  template <class Predicate>
  static Result<std::int64_t> first_part(std::int64_t count, Predicate is_behind) {
    std::int64_t begin = 0;
    while (begin < count) {
      const std::int64_t middle = begin + (count - begin) / 2;
      const Result<bool> behind = is_behind(middle);
      if (!behind) return std::unexpected(behind.error());
      (*behind ? count : begin) = *behind ? middle : middle + 1;
    }
    return begin;
  }

  // Keeps the part, because consecutive lines of a merchant can be in one part.
  Result<void> load_lines(std::int64_t number) {
    if (lines_part_ == number) return {};
    if (number < 0 || number >= line_parts_) return fail(damaged());
    const auto plain = part(kFirstPart - number);
    if (!plain) return std::unexpected(plain.error());
    auto lines = lines_of(*plain);
    if (!lines || lines->empty()) return fail(damaged());
    lines_ = *std::move(lines);
    lines_part_ = number;
    return {};
  }

  Result<void> load_named(std::int64_t number) {
    if (named_part_ == number) return {};
    const auto plain = part(kFirstPart - line_parts_ - number);
    if (!plain) return std::unexpected(plain.error());
    ByteReader bytes(*plain);
    named_.clear();
    while (!bytes.at_end()) {
      NamedLine& one = named_.emplace_back();
      for (std::int64_t* value : {&one.merchant, &one.position, &one.line_no}) *value = bytes.signed_number();
    }
    if (!bytes.is_valid() || named_.empty()) return fail(damaged());
    named_part_ = number;
    return {};
  }

  // Returns the first line from this key on; empty after the last one.
  Result<std::optional<NamedLine>> find_named(Key from) {
    const auto found = first_part(named_parts_, [&](std::int64_t number) -> Result<bool> {
      if (auto read = load_named(number); !read) return std::unexpected(read.error());
      return key_of(named_.back()) >= from;
    });
    if (!found) return std::unexpected(found.error());
    if (*found == named_parts_) return std::optional<NamedLine>();
    if (auto read = load_named(*found); !read) return std::unexpected(read.error());
    named_at_ = static_cast<std::size_t>(std::ranges::lower_bound(named_, from, {}, key_of) - named_.begin());
    return std::optional(named_[named_at_]);
  }

  Result<std::optional<NamedLine>> next_named() {
    if (++named_at_ == named_.size()) {
      if (named_part_ + 1 >= named_parts_) return std::optional<NamedLine>();
      if (auto read = load_named(named_part_ + 1); !read) return std::unexpected(read.error());
      named_at_ = 0;
    }
    return std::optional(named_[named_at_]);
  }

  const Secret& key_;
  const Statement& statement_;
  Reader& reader_;
  std::int64_t line_parts_ = 0;
  std::int64_t named_parts_ = 0;
  std::vector<IndexedLine> lines_;  // of the part that was read last
  std::int64_t lines_part_ = -1;
  std::vector<NamedLine> named_;  // of the part that was read last
  std::int64_t named_part_ = -1;
  std::size_t named_at_ = 0;
};

}  // namespace

LineIndexBuilder::LineIndexBuilder(Secret key, std::string sha256, ChannelAccountId account)
    : key_(std::move(key)), sha256_(std::move(sha256)), keys_(account), parts_(1) {}

void LineIndexBuilder::add(const StatementLine& line) {
  put_line(pending_, {line, keys_.next_ordinal(line)});
  if (const auto merchant = merchant_of(line)) named_.push_back({merchant->value, lines_, line.line_no});
  if (++lines_ % kLinesPerPart == 0) seal();
}

void LineIndexBuilder::seal() {
  const std::int64_t part_no = -1 - static_cast<std::int64_t>(parts_.size());
  parts_.push_back(seal_part(key_, sha256_, part_no, pending_.take()));
}

std::vector<Bytes> LineIndexBuilder::finish() {
  if (lines_ % kLinesPerPart != 0) seal();
  const auto line_parts = static_cast<std::int64_t>(parts_.size()) - 1;
  std::ranges::sort(named_, {}, [](const NamedLine& one) { return std::pair(one.merchant, one.position); });
  for (std::size_t i = 0; i < named_.size(); ++i) {
    for (const std::int64_t value : {named_[i].merchant, named_[i].position, named_[i].line_no})
      pending_.put_signed(value);
    if ((i + 1) % kNamedPerPart == 0 || i + 1 == named_.size()) seal();
  }
  pending_.put(kFormat);
  pending_.put_signed(line_parts);
  pending_.put_signed(static_cast<std::int64_t>(parts_.size()) - 1 - line_parts);
  parts_.front() = seal_part(key_, sha256_, kHeaderPart, pending_.take());
  return std::move(parts_);
}

Result<LinePage> read_line_index(const Secret& key, const Statement& statement, const LineQuery& query,
                                 Reader& reader) {
  LineIndex index(key, statement, reader);
  if (auto opened = index.open(); !opened) return std::unexpected(opened.error());
  LinePage page;
  const auto read = query.merchant ? index.read_of(*query.merchant, query, page) : index.read_all(query, page);
  if (!read) return std::unexpected(read.error());
  return page;
}

}  // namespace finality
