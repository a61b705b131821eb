// Writes the parts that every picture has.
#include "reports/results/svg_text.h"

#include <fmt/format.h>

namespace normcheck {
namespace {

/// Colours of Okabe and Ito, told apart by the colour-blind; markers and numbers stand beside them.
constexpr std::string_view style_sheet =
    R"(<defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse">
<path class="hatch" d="M-1 7L7 -1M-1 1L1 -1M5 7L7 5"/></pattern>
<pattern id="hatch2" width="6" height="6" patternUnits="userSpaceOnUse"><path class="hatch2" d="M-1 7L7 -1M-1 1L1 -1M5 7L7 5"/></pattern></defs><style>
  .back{fill:#ffffff} text{fill:#1f2328;font:12px system-ui,sans-serif} .title{font-size:15px;font-weight:600}
  .bold{font-weight:600} .small{font-size:11px;fill:#59636e} .grid{stroke:#d1d9e0;stroke-width:1}
  .frame{stroke:#818b98;fill:none} .l{fill:none;stroke-width:2;stroke:currentColor} .m{fill:currentColor}
  .bound{stroke-dasharray:2 4;stroke-linecap:round} .expected{stroke-dasharray:8 5} .hatch{stroke:#59636e;stroke-width:1;opacity:.55}
  .hatch2{stroke:#ffffff;stroke-width:1;opacity:.35}
  .c0{color:#d55e00} .c1{color:#0072b2} .c2{color:#007a5a} .c3{color:#a8518a} .c4{color:#8a6d00} .c5{color:#59636e}
  .h0{fill:#eef6fc} .h1{fill:#d3e6f5} .h2{fill:#a6cbe8} .h3{fill:#76aad6} .h4{fill:#3f7db5} .h5{fill:#1f5a92} .h6{fill:#5a2d0c}
  .h7{fill:none} .pale{fill:#ffffff} .dark{fill:#1f2328}
  @media (prefers-color-scheme:dark){.back{fill:#0d1117} text{fill:#e6edf3} .small{fill:#9198a1} .grid{stroke:#2a313c}
  .frame{stroke:#656c76} .c0{color:#ff8a3d} .c1{color:#56b4e9} .c2{color:#2fc99a} .c3{color:#d58bbb} .c4{color:#e0b93b} .c5{color:#9198a1}
  .pale{fill:#ffffff} .dark{fill:#1f2328} .hatch{stroke:#333a44}}
</style>
)";

}  // namespace

std::string xml_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else {
      out += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? '?' : c;
    }
  }
  return out;
}

std::string svg_text(double x, double y, const std::string& content, std::string_view anchor,
                     std::string_view css) {
  return fmt::format("<text{} x=\"{:.1f}\" y=\"{:.1f}\"{}>{}</text>\n",
                     css.empty() ? std::string() : fmt::format(" class=\"{}\"", css), x, y,
                     anchor == "start" ? std::string() : fmt::format(" text-anchor=\"{}\"", anchor), content);
}

std::string svg_head(double width, double height, const std::string& title) {
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
      "height=\"{1:.0f}\" "
      "role=\"img\" aria-label=\"{2}\">\n",
      width, height, xml_escaped(title));
  out += style_sheet;
  out += fmt::format("<rect class=\"back\" width=\"{:.0f}\" height=\"{:.0f}\"/>\n", width, height);
  return out + svg_text(70, 26, xml_escaped(title), "start", "title");
}

std::string power_of_ten(int exponent) {
  if (exponent == 0) return "1";
  if (exponent == 1) return "10";
  return fmt::format("10<tspan dy=\"-4\" font-size=\"9\">{}</tspan>", exponent);
}

}  // namespace normcheck
