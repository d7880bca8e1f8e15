#include "model/read_set.h"

#include "base/check.h"

namespace finality {

void add_id(ReadSet& reads, ObjectRef object) {
  bool is_added = false;
  for_each_ids(reads, [&](ObjectType type, auto& ids) {
    if (type != object.type) return;
    ids.push_back({object.value});
    is_added = true;
  });
  FINALITY_CHECK(is_added, "the read set has no list for objects of this type");
}

std::vector<Hash16> hashes_of(const ReadSet& reads, std::optional<ObjectType> follow) {
  std::vector<Hash16> hashes;
  for (const KeyRead& key : reads.keys)
    if (key.follow == follow) hashes.push_back(key.hash);
  return hashes;
}

}  // namespace finality
