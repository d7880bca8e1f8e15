#include "channel/alipay/statement/zip.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <span>

#include "base/limits.h"
#include "channel/parsing/inflate.h"

namespace finality::alipay {
namespace {

constexpr std::string_view kLocal("PK\3\4", 4);
constexpr std::string_view kListed("PK\1\2", 4);
constexpr std::string_view kEnd("PK\5\6", 4);
constexpr std::size_t kLocalBytes = 30;  // size of the fixed-length part of a record; also the next two
constexpr std::size_t kListedBytes = 46;
constexpr std::size_t kEndBytes = 22;
constexpr std::size_t kCommentMax = 0xFFFF;
constexpr unsigned kEncrypted = 1;

// Reads an unsigned little-endian integer of `bytes` bytes at offset `at`. REQUIRES: `text` contains these bytes.
std::uint32_t number_at(std::string_view text, std::size_t at, std::size_t bytes) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < bytes; ++i) value |= std::uint32_t{static_cast<unsigned char>(text[at + i])} << (8 * i);
  return value;
}

std::unexpected<Error> broken() { return fail("the ZIP file is incomplete or malformed"); }

// Returns the `bytes` bytes of the archive at offset `at`; empty if the range exceeds the archive.
std::string_view part(std::string_view archive, std::size_t at, std::size_t bytes) {
  return at <= archive.size() && bytes <= archive.size() - at ? archive.substr(at, bytes) : std::string_view();
}

// Returns the packed bytes of a file, which follow its local header at offset `at`.
Result<std::string_view> packed_at(std::string_view archive, std::size_t at, std::size_t bytes) {
  const std::string_view header = part(archive, at, kLocalBytes);
  if (!header.starts_with(kLocal)) return broken();
  const std::size_t from = at + kLocalBytes + number_at(header, 26, 2) + number_at(header, 28, 2);
  const std::string_view packed = part(archive, from, bytes);
  if (from > archive.size() || packed.size() != bytes) return broken();
  return packed;
}

Result<ZipEntry> read_listed(std::string_view archive, std::string_view listed) {
  const std::uint32_t method = number_at(listed, 10, 2);
  if ((number_at(listed, 8, 2) & kEncrypted) != 0) return fail("a file in the ZIP file is encrypted");
  if (method != 0 && method != 8) return fail("a file in the ZIP file uses an unsupported compression method");
  const std::size_t at = number_at(listed, 42, 4);
  const auto packed = packed_at(archive, at, number_at(listed, 20, 4));
  if (!packed) return std::unexpected(packed.error());
  return ZipEntry{.packed = *packed,
                  .at = at,
                  .is_deflated = method == 8,
                  .size = number_at(listed, 24, 4),
                  .crc32 = number_at(listed, 16, 4)};
}

bool is_archive(const ZipEntry& entry) {
  constexpr std::string_view kSuffixes[] = {".zip", ".ZIP", ".gz", ".GZ"};
  return std::ranges::any_of(kSuffixes, [&](std::string_view suffix) { return entry.name.ends_with(suffix); }) ||
         (!entry.is_deflated && (is_zip(entry.packed) || is_gzip(entry.packed)));
}

// Checks what the entries state, before anything is unpacked. `directory`: offset of the central directory.
Result<void> check_entries(std::string_view archive, std::span<const ZipEntry> entries, std::size_t directory,
                           const ParseBudget& budget) {
  struct Range {
    std::size_t begin;
    std::size_t end;
  };
  std::vector<Range> ranges{{directory, archive.size()}};
  std::uint64_t total = 0;
  for (const ZipEntry& entry : entries) {
    if (is_archive(entry)) return fail("a file in the ZIP file is an archive itself");
    if (!entry.is_deflated && entry.size != entry.packed.size()) return broken();
    ranges.push_back({entry.at, static_cast<std::size_t>(entry.packed.end() - archive.begin())});
    total += entry.size;
  }
  if (auto within = budget.check_output(total); !within)
    return fail("the files in the ZIP file together: " + within.error().message);
  std::ranges::sort(ranges, {}, &Range::begin);
  for (std::size_t i = 1; i < ranges.size(); ++i)
    if (ranges[i].begin < ranges[i - 1].end) return fail("two parts of the ZIP file overlap");
  return {};
}

}  // namespace

Result<std::vector<ZipEntry>> list_zip(std::string_view archive, ParseBudget& budget) {
  const std::size_t tail = archive.size() - std::min(archive.size(), kEndBytes + kCommentMax);
  const std::size_t end = archive.rfind(kEnd);
  if (end == std::string_view::npos || end < tail || archive.size() - end < kEndBytes) return broken();
  const std::size_t count = number_at(archive, end + 10, 2);
  if (count > limits::kZipEntriesMax)
    return fail(fmt::format("the ZIP file has {} files; the limit is {}", count, limits::kZipEntriesMax));
  const std::size_t directory = number_at(archive, end + 16, 4);
  std::size_t at = directory;
  std::vector<ZipEntry> entries;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string_view listed = part(archive, at, kListedBytes);
    if (!listed.starts_with(kListed)) return broken();
    const std::size_t name_bytes = number_at(listed, 28, 2);
    const std::string_view name = part(archive, at + kListedBytes, name_bytes);
    if (name.size() != name_bytes) return broken();
    auto entry = read_listed(archive, listed);
    if (!entry) return std::unexpected(entry.error());
    entry->name = name;
    entries.push_back(*entry);
    if (auto spent = budget.spend(kListedBytes + name_bytes); !spent) return std::unexpected(spent.error());
    at += kListedBytes + name_bytes + number_at(listed, 30, 2) + number_at(listed, 32, 2);
  }
  if (auto checked = check_entries(archive, entries, directory, budget); !checked)
    return std::unexpected(checked.error());
  return entries;
}

bool is_zip(std::string_view bytes) { return bytes.starts_with(kLocal) || bytes.starts_with(kEnd); }

Result<void> unpack(const ZipEntry& entry, ParseBudget& budget, const ByteSink& sink) {
  if (auto within = budget.check_output(entry.size); !within) return within;
  uLong crc = 0;
  std::size_t size = 0;
  const auto take = [&](std::string_view bytes) -> Result<void> {
    crc = ::crc32_z(crc, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
    size += bytes.size();
    if (size > entry.size) return fail("a file in the ZIP file is larger than its directory entry states");
    return sink(bytes);
  };
  auto done = entry.is_deflated ? inflate_raw(entry.packed, budget, take) : send_in_steps(entry.packed, budget, take);
  if (done && (size != entry.size || crc != entry.crc32)) return fail("a file in the ZIP file is corrupt");
  return done;
}

}  // namespace finality::alipay
