// The parts that every picture has: its head with the style for light and dark, and text.
#pragma once

#include <string>
#include <string_view>

namespace normcheck {

/// & < > " as entities, control characters as '?'.
std::string xml_escaped(std::string_view text);
/// `content` is markup. `anchor`: start, middle or end.
std::string svg_text(double x, double y, const std::string& content, std::string_view anchor,
                     std::string_view css = {});
/// The opening tag, the style sheet, the background and the title.
std::string svg_head(double width, double height, const std::string& title);
/// "1", "10", and from then on the exponent raised.
std::string power_of_ten(int exponent);

}  // namespace normcheck
