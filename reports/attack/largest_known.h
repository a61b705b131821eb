// The largest errors that are known of real libraries, as a page.
#pragma once

#include <string>
#include <vector>

#include "reports/attack/campaign.h"

namespace normcheck {

std::string largest_known_markdown(const std::vector<Attacked>& all, const Options& options);

}  // namespace normcheck
