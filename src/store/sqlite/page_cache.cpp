#include "store/sqlite/page_cache.h"

#include <sqlite3.h>

namespace finality::sqlite {
namespace {

constexpr unsigned kLockByte = 0x40000000;  // see https://www.sqlite.org/fileformat.html#the_lock_byte_page
constexpr unsigned kParking = kLockByte / kPageBytes + 1;

sqlite3_pcache_methods2 built_in;

unsigned parked_at(unsigned page) { return page == kParking ? 0 : page; }

void rekey(sqlite3_pcache* cache, sqlite3_pcache_page* page, unsigned from, unsigned to) {
  built_in.xRekey(cache, page, parked_at(from), parked_at(to));
}

}  // namespace

void keep_page_cache_short() {
  if (sqlite3_config(SQLITE_CONFIG_GETPCACHE2, &built_in) != SQLITE_OK) return;  // SQLite is already initialized
  sqlite3_pcache_methods2 corrected = built_in;
  corrected.xRekey = rekey;
  sqlite3_config(SQLITE_CONFIG_PCACHE2, &corrected);
}

}  // namespace finality::sqlite
