// Workaround for slow commits caused by SQLite's page cache.
#pragma once

namespace finality::sqlite {

/// Page size of a store, in bytes.
inline constexpr int kPageBytes = 4096;

/// Has an effect only before the first use of SQLite in this process. While SQLite sorts the pages of a tree, it stores
/// one of them temporarily under the page number of the lock-byte page, at an offset of one gigabyte. The cache then
/// records that page number as its largest, and the end of the commit scans all cached pages for pages beyond the end
/// of the file: a tenth of the time of writing. This function makes the cache use page number 0 instead, which is not a
/// valid page either. REQUIRES: all files opened by the process have pages of kPageBytes.
void keep_page_cache_short();

}  // namespace finality::sqlite
