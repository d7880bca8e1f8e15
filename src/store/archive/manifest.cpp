#include "store/archive/manifest.h"

#include <fmt/format.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "store/archive/files.h"

namespace finality::store {
namespace {

namespace json = boost::json;

json::object rows_json(const Totals& totals) {
  json::object out;
  for (const auto& [table, count] : totals.rows()) out[table] = count;
  return out;
}

// Writes each sum as a decimal string, because a sum can have more digits than a JSON number keeps in some parsers.
json::array sums_json(const Totals& totals) {
  json::array out;
  for (const auto& [whose, sum] : totals.sums())
    out.push_back(json::object{{"merchant", to_text(whose.first)},
                               {"currency", whose.second},
                               {"orders", sum.orders},
                               {"amount", fmt::format("{}", sum.amount)},
                               {"paid", fmt::format("{}", sum.paid)},
                               {"refunded", fmt::format("{}", sum.refunded)}});
  return out;
}

Result<json::object> read_json(const std::filesystem::path& directory) {
  std::string text;
  const auto read = read_lines(directory / kManifestFile, [&text](const std::string& line) -> Result<void> {
    text += line;
    return {};
  });
  if (!read) return std::unexpected(read.error());
  boost::system::error_code error;
  json::value parsed = json::parse(text, error);
  if (error || !parsed.is_object())
    return fail(
        fmt::format("{} is not valid JSON. Use a copy that is not damaged.", (directory / kManifestFile).string()));
  return std::move(parsed.as_object());
}

}  // namespace

std::optional<ArchiveName> parse_archive_name(std::string_view archive) {
  const std::size_t at = archive.rfind('-');
  if (at == std::string_view::npos || at == 0 || archive.contains('/')) return std::nullopt;
  const std::string_view anchor = archive.substr(at + 1);
  const bool is_hex = anchor.find_first_not_of("0123456789abcdef") == std::string_view::npos;
  if (!is_hex || (anchor.size() != kAnchorDigits && anchor.size() != kWeakAnchorDigits)) return std::nullopt;
  return ArchiveName{std::string(archive.substr(0, at)), std::string(anchor)};
}

std::string name_of_archive(const std::string& directory, const std::string& sha256) {
  return fmt::format("{}-{}", directory, sha256.substr(0, kAnchorDigits));
}

Result<void> write_manifest(const std::filesystem::path& directory, const Manifest& manifest) {
  json::array left;
  for (const OrderId id : manifest.left) left.push_back(json::string(to_text(id)));
  const json::object all{{"archive", manifest.archive},
                         {"before", to_rfc3339(manifest.before)},
                         {"made_at", to_rfc3339(manifest.made_at)},
                         {"file", kLinesFile},
                         {"sha256", manifest.sha256},
                         {"rows", rows_json(manifest.totals)},
                         {"sums", sums_json(manifest.totals)},
                         {"state", manifest.done ? "done" : "exported"},
                         {"left", left}};
  auto writer = LineWriter::open(directory / kManifestFile);
  if (!writer) return std::unexpected(writer.error());
  if (auto added = writer->add(json::serialize(all)); !added) return added;
  if (auto finished = writer->finish(); !finished) return std::unexpected(finished.error());
  return {};
}

Result<Manifest> read_manifest(const std::filesystem::path& directory) {
  const auto all = read_json(directory);
  if (!all) return std::unexpected(all.error());
  try {
    Manifest manifest;
    manifest.archive = std::string(all->at("archive").as_string());
    manifest.before = parse_rfc3339(std::string(all->at("before").as_string())).value();
    manifest.made_at = parse_rfc3339(std::string(all->at("made_at").as_string())).value();
    manifest.sha256 = std::string(all->at("sha256").as_string());
    manifest.done = all->at("state").as_string() == "done";
    for (const json::value& id : all->at("left").as_array())
      manifest.left.push_back(parse_id<OrderId>(std::string(id.as_string())).value());
    return manifest;
  } catch (const std::exception&) {
    return fail(fmt::format("{} is not the manifest of an archive. Use a copy that is not damaged.",
                            (directory / kManifestFile).string()));
  }
}

Result<bool> has_totals(const std::filesystem::path& directory, const Totals& totals) {
  const auto all = read_json(directory);
  if (!all) return std::unexpected(all.error());
  const auto* rows = all->if_contains("rows");
  const auto* sums = all->if_contains("sums");
  return rows != nullptr && sums != nullptr && *rows == json::value(rows_json(totals)) &&
         *sums == json::value(sums_json(totals));
}

}  // namespace finality::store
