// Workaround for a scan of SQLite's page cache that slows down commits.
#pragma once

namespace finality::sqlite {

/// Page size of a store, in bytes.
inline constexpr int kPageBytes = 4096;

/// Replaces the page number that SQLite's page cache uses for a temporary page. Must be called before the first use of
/// SQLite in the process; later calls have no effect.
///
/// While SQLite sorts the pages of a tree, it temporarily gives one page the number of the lock-byte page, which is at
/// an offset of 1 GiB. The cache stores that number as its largest page number. Therefore the end of the commit scans
/// all cached pages for pages beyond the end of the file. The scan takes a tenth of the time of a commit. This function
/// makes the cache use page number 0, which is not a valid page either.
///
/// REQUIRES: all files that the process opens have pages of kPageBytes.
void keep_page_cache_short();

}  // namespace finality::sqlite
