// The options of `normcheck attack`, beside those of plug-ins.
#pragma once

#include "reports/options.h"

namespace CLI {
class App;
}

namespace normcheck {

void add_attack_options(CLI::App& attack, Options& o);

}  // namespace normcheck
