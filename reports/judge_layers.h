// Judges one problem of a user's tensors, or many: a line a layer, and the worst in full.
#pragma once

#include <vector>

#include "oracles/judge.h"
#include "reports/commands.h"
#include "reports/console.h"
#include "reports/dump_problem.h"
#include "reports/judged_files.h"

namespace normcheck {

/// Of y, with the statistics that are there, and of y2.
std::vector<Judgement> judge_problem(const Problem& p, const Contract& contract, OracleChoice oracle);
void print_problem(const Problem& p, const std::vector<Judgement>& judged, const Contract& contract,
                   OracleChoice oracle, const Style& style);
/// A record and a test for each output.
void add_files(JudgedFiles& files, const std::string& layer, const Problem& p,
               const std::vector<Judgement>& judged, const Contract& contract);
/// The worst: a finding, else nothing_proved where something proved nothing.
Exit exit_of(const std::vector<Judgement>& judged);

/// A table, then the block of the worst layer. A layer that cannot be judged has its reason in the table, and
/// the command ends as for unreadable input.
Exit judge_layers(const std::vector<ProblemSource>& problems, const Options& options,
                  const Contract& contract, OracleChoice oracle, const Style& style, JudgedFiles& files);

}  // namespace normcheck
