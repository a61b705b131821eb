// What a program in Python needs beside the protocol: the module that speaks it, and a word on what it lacks.
#pragma once

#include <string>
#include <string_view>

namespace normcheck {

/// Puts the folder of normcheck_worker.py before what PYTHONPATH holds: that of this build, or the installed
/// one (../share/normcheck/python of the running program). For a process that is to become a program.
void offer_python_module();

/// Where a program's stderr ends with a traceback: "ImportError: ... (mine.py line 3)". Else its last line
/// that is not empty. Printable, of bounded length; empty for nothing.
std::string last_words(const std::string& stderr_text);

/// What to type about a complaint of the program `command`: how to install a Python module that it does not
/// find, or how to lift the limit on memory that it ran into. "; ..." or empty.
std::string remedy(std::string_view command, std::string_view complaint);

}  // namespace normcheck
