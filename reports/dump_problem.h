// A layer norm problem made of a user's tensors: found in files by option, --map or name, then read.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "corpus/case.h"
#include "reports/dump_roles.h"
#include "reports/options.h"

namespace normcheck {

/// Where a problem's tensors are: in dumps, or in a folder of ONNX's test data.
struct ProblemSource {
  std::string name;  ///< the layer or the folder; empty for the one problem of a command
  Sources sources;
  std::string missing;  ///< why it cannot be read; empty: it can
  std::string folder;   ///< of ONNX
  std::string taken;    ///< what was taken by the tensors' own names, for a person
};

/// What --x, --y and so on, --map and the files that the command names say, in this order; what none of them
/// says, by the tensors' own names (`outputs`: y and the statistics too). `taken` says what was
/// taken by name; read_problem() prints it, on stdout, once all is read. InputError where x, or with
/// `outputs` y, is nowhere, or where --eps is missing.
std::vector<ProblemSource> find_problems(const std::vector<std::string>& files, const Options& options,
                                         bool outputs);

struct Problem {
  Case c;
  std::string y_label, y2_label;  ///< for messages
  std::optional<Tensor> y, y2, mean, rstd;
};

/// eps is --eps, or the model's; without --norm-ndim as many dims are normalized as gamma has, or beta, or
/// one. InputError where the tensors cannot be a layer norm's.
Problem read_problem(const ProblemSource& source, const Options& options);

/// Whether a command takes it for tensors rather than for a .case: by its extension, or a folder.
bool is_dump_name(const std::string& file);

}  // namespace normcheck
