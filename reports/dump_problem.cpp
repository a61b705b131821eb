// Reads x, gamma, beta and the outputs of one problem, and holds their shapes and dtypes against each other.
#include "reports/dump_problem.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "corpus/error.h"
#include "corpus/onnx_vector.h"
#include "impl/semantics.h"
#include "oracles/contract.h"
#include "reports/select.h"

namespace normcheck {
namespace {

namespace fs = std::filesystem;

std::string described(const std::string& label, const Tensor& t) {
  return fmt::format("{} is {} {}", label, dtype_name(t.dtype), shape_text(t.shape));
}

/// As its file says; where that has no name for the dtype, as x.
Tensor read_affine(const Source& source, DType x) {
  try {
    return source.dump->read(source.name);
  } catch (const InputError&) {
    if (x != DType::bf16) throw;
    return source.dump->read(source.name, x);
  }
}

void check_output(const std::string& x_label, const Tensor& x, const std::string& label, const Tensor& y) {
  if (y.dtype == x.dtype && y.shape == x.shape) return;
  throw InputError(fmt::format("{}, but {}: x and y must have one shape and dtype", described(x_label, x),
                               described(label, y)));
}

/// The normalized dims may be left out or kept as 1.
Tensor fitted_statistic(Tensor t, const std::string& label, const Case& c, const Contract& contract) {
  const std::vector<std::int64_t> kept = statistics_shape(c);
  const std::vector<std::int64_t> leading(kept.begin(), kept.end() - c.norm_ndim);
  const DType dtype = statistics_dtype(contract, c.x.dtype);
  if (t.dtype != dtype || (t.shape != kept && t.shape != leading))
    throw InputError(fmt::format("{}; expected {} {} or {}", described(label, t), dtype_name(dtype),
                                 shape_text(kept), shape_text(leading)));
  t.shape = kept;
  return t;
}

std::optional<DType> dtype_of_tensors(const Options& options) {
  const std::vector<DType> dtypes = dtypes_named(options.dtypes);
  if (dtypes.size() > 1) throw InputError("--dtype: tensors have one dtype; expected one name");
  return dtypes.empty() ? std::nullopt : std::optional(dtypes[0]);
}

std::int64_t normalized_dims(const Case& c, const Options& options) {
  if (options.norm_ndim) return *options.norm_ndim;
  const std::size_t rank = c.gamma ? c.gamma->shape.size() : c.beta ? c.beta->shape.size() : 1;
  return rank == 0 ? 1 : static_cast<std::int64_t>(rank);
}

Problem read_folder(const ProblemSource& source) {
  OnnxVector vector = read_onnx_vector(source.folder);
  Problem p{std::move(vector.problem), source.folder,         "", std::move(vector.y), std::nullopt,
            std::move(vector.mean),    std::move(vector.rstd)};
  if (const auto why = refusal(p.c))
    throw InputError(fmt::format("{}: no layer norm takes this: {}", source.folder, *why));
  check_output("X", p.c.x, source.folder + ": Y", *p.y);
  if (p.mean) p.mean = fitted_statistic(*p.mean, source.folder + ": Mean", p.c, {});
  if (p.rstd) p.rstd = fitted_statistic(*p.rstd, source.folder + ": InvStdDev", p.c, {});
  return p;
}

std::vector<Role> roles_of(bool outputs) {
  if (outputs) return {Role::x, Role::y, Role::gamma, Role::beta, Role::mean, Role::rstd};
  return {Role::x, Role::gamma, Role::beta};
}

/// Those that an option names.
Sources by_option(const Options& o, const std::vector<Role>& roles) {
  const std::pair<Role, const std::string*> values[] = {
      {Role::x, &o.x},       {Role::y, &o.y},       {Role::y2, &o.y2},    {Role::gamma, &o.gamma},
      {Role::beta, &o.beta}, {Role::mean, &o.mean}, {Role::rstd, &o.rstd}};
  Sources out;
  for (const auto& [role, value] : values) {
    const bool wanted = role == Role::y2 || std::find(roles.begin(), roles.end(), role) != roles.end();
    if (wanted && !value->empty()) out.emplace(role, source_of(*value, role));
  }
  return out;
}

std::vector<ProblemSource> from_dumps(const Dumps& dumps, const Options& options, bool outputs) {
  const std::vector<Role> roles = roles_of(outputs);
  const Sources given = by_option(options, roles);
  std::vector<Layer> layers(1);
  std::string taken;
  if (!options.map.empty()) {
    std::map<Role, std::string> names = parse_map(options.map);
    if (!outputs)
      std::erase_if(names, [&](const auto& n) {
        return std::find(roles.begin(), roles.end(), n.first) == roles.end();
      });
    layers = mapped_sources(dumps, names);
  } else if (!dumps.empty()) {
    std::vector<Role> open;
    for (const Role role : roles) {
      if (!given.contains(role)) open.push_back(role);
    }
    layers[0].sources = natural_sources(dumps, open);
    if (!layers[0].sources.empty()) taken = taken_text(layers[0].sources);
  }
  std::vector<ProblemSource> out;
  for (Layer& layer : layers) {
    for (const auto& [role, source] : given) layer.sources.insert_or_assign(role, source);
    for (const Role role : {Role::x, Role::y}) {
      if (layer.sources.contains(role) || !layer.missing.empty() || (role == Role::y && !outputs)) continue;
      std::vector<std::string> names;
      for (const auto& dump : dumps) names.insert(names.end(), dump->names().begin(), dump->names().end());
      throw InputError(
          fmt::format("{}: no tensor is called {} or the like; expected --map {}=NAME, with one of {}",
                      dumps[0]->file(), role_name(role), role_name(role), names_text(names)));
    }
    out.push_back({layer.name, std::move(layer.sources), std::move(layer.missing), "", taken});
  }
  return out;
}

}  // namespace

std::vector<ProblemSource> find_problems(const std::vector<std::string>& files, const Options& options,
                                         bool outputs) {
  std::vector<ProblemSource> folders;
  std::vector<std::string> tensors;
  for (const std::string& file : files) {
    std::error_code error;
    if (fs::is_directory(file, error)) {
      const fs::path path(file);
      if (!fs::exists(path / "model.onnx", error))
        throw InputError(fmt::format(
            "{}: a folder without model.onnx; expected a file of tensors, or a folder of ONNX's test data",
            file));
      const std::string stem = (path.has_filename() ? path : path.parent_path()).filename().string();
      folders.push_back({stem, {}, "", file, ""});
    } else {
      tensors.push_back(file);
    }
  }
  if (!folders.empty()) {
    if (!tensors.empty() || !options.x.empty() || !options.map.empty() || options.eps || options.norm_ndim)
      throw InputError(
          fmt::format("{}: a folder of ONNX's test data says all itself; expected nothing beside it "
                      "(no --x, --map, --eps, --norm-ndim)",
                      folders[0].folder));
    return folders;
  }
  if (tensors.empty() && !options.map.empty()) throw InputError("--map: no dump to look in; expected a file");
  for (const auto& [name, missing] :
       {std::pair("--x", options.x.empty()), {"--y", outputs && options.y.empty()}}) {
    if (tensors.empty() && missing)
      throw InputError(fmt::format("{} is required, or a dump that has it; see normcheck --help", name));
  }
  if (!options.eps) throw InputError("--eps is required: what the layer norm adds inside the root");
  Dumps dumps;
  for (const std::string& file : tensors) dumps.push_back(open_dump(file));
  return from_dumps(dumps, options, outputs);
}

Problem read_problem(const ProblemSource& source, const Options& options) {
  if (!source.missing.empty()) throw InputError(source.missing);
  if (!source.folder.empty()) return read_folder(source);
  const std::optional<DType> as = dtype_of_tensors(options);
  const auto label = [&](Role role) { return source.sources.at(role).label(); };
  const auto read = [&](Role role, std::optional<DType> dtype) -> std::optional<Tensor> {
    const auto found = source.sources.find(role);
    if (found == source.sources.end()) return std::nullopt;
    return found->second.dump->read(found->second.name, dtype);
  };
  Problem p;
  Case& c = p.c;
  c.eps = *options.eps;
  c.x = std::move(*read(Role::x, as));
  const auto affine = [&](Role role) -> std::optional<Tensor> {
    const auto found = source.sources.find(role);
    if (found == source.sources.end()) return std::nullopt;
    return read_affine(found->second, c.x.dtype);
  };
  c.gamma = affine(Role::gamma);
  c.beta = affine(Role::beta);
  c.norm_ndim = normalized_dims(c, options);
  if (const auto why = refusal(c)) throw InputError(fmt::format("no layer norm takes this: {}", *why));
  p.y = read(Role::y, as);
  p.y2 = read(Role::y2, as);
  if (p.y) check_output(label(Role::x), c.x, p.y_label = label(Role::y), *p.y);
  if (p.y2) check_output(label(Role::x), c.x, p.y2_label = label(Role::y2), *p.y2);
  const bool as_x = options.contract.find("stats=x") != std::string::npos;
  const Contract contract = parse_contract(as_x ? "stats=x" : "stable", nullptr);
  if ((p.mean = read(Role::mean, std::nullopt)))
    p.mean = fitted_statistic(std::move(*p.mean), label(Role::mean), c, contract);
  if ((p.rstd = read(Role::rstd, std::nullopt)))
    p.rstd = fitted_statistic(std::move(*p.rstd), label(Role::rstd), c, contract);
  c.id = !source.name.empty() ? source.name
                              : fs::path(p.y_label.empty() ? label(Role::x) : p.y_label).stem().string();
  if (!source.taken.empty()) fmt::print("taken    {}\n", source.taken);
  return p;
}

bool is_dump_name(const std::string& file) {
  const std::string extension = fs::path(file).extension().string();
  std::error_code error;
  return extension == ".npy" || extension == ".npz" || extension == ".safetensors" || extension == ".pb" ||
         fs::is_directory(file, error);
}

}  // namespace normcheck
