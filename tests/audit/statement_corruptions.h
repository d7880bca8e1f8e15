// Damage to statements, their files and matches, and to differences.
#pragma once

#include <vector>

#include "corruptions.h"

namespace finality::audit {

void damage_statements(std::vector<Corruption>& list);

}  // namespace finality::audit
