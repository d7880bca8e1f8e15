#include "sandbox/formats/zip.h"

#include <zlib.h>

#include <cstdint>

#include "base/check.h"

namespace finality::sandbox {
namespace {

// Signatures of ZIP records, from PKWARE's APPNOTE.TXT: local header (4.3.7), central directory header (4.3.12), end of
// the central directory (4.3.16). All integers are little endian.
constexpr std::uint32_t kLocalSignature = 0x04034b50;
constexpr std::uint32_t kCentralSignature = 0x02014b50;
constexpr std::uint32_t kEndSignature = 0x06054b50;
constexpr std::uint16_t kVersion = 20;  // "version needed to extract": 2.0, the first version with deflate
constexpr std::uint16_t kDeflated = 8;
constexpr std::uint32_t kFirstDay = 33 << 16;  // 1980-01-01 00:00, the earliest valid time

void put(std::string& out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i, value >>= 8) out += static_cast<char>(value & 0xff);
}

std::string deflated(const std::string& content) {
  z_stream stream{};
  constexpr int kNoHeader = -MAX_WBITS;
  constexpr int kMemory = 8;
  FINALITY_CHECK(
      deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kNoHeader, kMemory, Z_DEFAULT_STRATEGY) == Z_OK,
      "deflateInit2 failed");
  std::string out(deflateBound(&stream, content.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));  // zlib does not write to next_in
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int ended = deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  FINALITY_CHECK(ended == Z_STREAM_END, "zlib exceeded deflateBound");
  return out;
}

// Returns the fields from "version needed" to "extra field length", which are equal in the local header and the central
// directory header.
std::string common_fields(const ZipEntry& entry, std::size_t packed_size) {
  const auto* bytes = reinterpret_cast<const Bytef*>(entry.content.data());
  std::string fields;
  put(fields, kVersion, 2);
  put(fields, 0, 2);  // general purpose flags
  put(fields, kDeflated, 2);
  put(fields, kFirstDay, 4);
  put(fields, crc32(0, bytes, static_cast<uInt>(entry.content.size())), 4);
  put(fields, packed_size, 4);
  put(fields, entry.content.size(), 4);
  put(fields, entry.name.size(), 2);
  put(fields, 0, 2);  // length of the extra field
  return fields;
}

std::string directory_entry(const ZipEntry& entry, const std::string& fields, std::size_t offset) {
  std::string out;
  put(out, kCentralSignature, 4);
  put(out, kVersion, 2);
  out += fields;
  put(out, 0, 2);  // length of the file comment
  put(out, 0, 2);  // disk on which the file starts
  put(out, 0, 2);  // internal file attributes
  put(out, 0, 4);
  put(out, offset, 4);
  return out + entry.name;
}

}  // namespace

std::string zip_of(std::span<const ZipEntry> entries) {
  std::string archive;
  std::string directory;
  for (const ZipEntry& entry : entries) {
    const std::string packed = deflated(entry.content);
    const std::string fields = common_fields(entry, packed.size());
    directory += directory_entry(entry, fields, archive.size());
    put(archive, kLocalSignature, 4);
    archive += fields;
    archive += entry.name;
    archive += packed;
  }
  const std::size_t directory_at = archive.size();
  archive += directory;
  put(archive, kEndSignature, 4);
  put(archive, 0, 4);  // index of this disk, disk on which the directory starts
  put(archive, entries.size(), 2);
  put(archive, entries.size(), 2);
  put(archive, directory.size(), 4);
  put(archive, directory_at, 4);
  put(archive, 0, 2);  // length of the archive comment
  return archive;
}

}  // namespace finality::sandbox
