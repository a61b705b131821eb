// The style and the script that stand in every page, from page.css and page.js.
#pragma once

#include <string_view>

namespace normcheck::page {

std::string_view style_sheet();
std::string_view script();

}  // namespace normcheck::page
