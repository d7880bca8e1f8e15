// A correction to SQLite's page cache.
#pragma once

namespace finality::sqlite {

/// What a store's pages have, in bytes.
inline constexpr int kPageBytes = 4096;

/// Has an effect before SQLite is used in this process, and none later. While SQLite sorts the pages of a tree it parks
/// one under the number of the page that holds its file locks, which lies at one gigabyte. The cache then takes its
/// pages to reach so far, and the end of the commit goes through all of them in search of those behind the file's end:
/// a tenth of the time of writing. Here the parking place is page 0, which is none either.
/// For files whose pages have kPageBytes; no others may be opened.
void keep_page_cache_short();

}  // namespace finality::sqlite
