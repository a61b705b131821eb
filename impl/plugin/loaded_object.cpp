// dlopen, and one guarded call at a time.
#include "impl/plugin/loaded_object.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>

#include "corpus/error.h"
#include "impl/plugin/call_view.h"
#include "impl/plugin/fp_environment.h"

namespace normcheck {
namespace {

constexpr std::uint32_t most_plugins = 4096;
constexpr std::uint32_t message_room = 1024;
constexpr std::size_t workspace_zone = 4096;
constexpr std::byte workspace_mark{0xa5};

std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < 0x20; }, ' ');
  return text;
}

/// Does `work` with the floating-point environment of this thread kept, and exceptions turned into words.
/// What it changed is added to `faults`; the words of an exception, if there was one, are returned.
template <class Work>
std::optional<std::string> guarded(std::string_view what, std::vector<std::string>& faults, Work work) {
  const FpEnvironment before = fp_environment();
  std::optional<std::string> thrown;
  try {
    work();
  } catch (const std::exception& e) {
    thrown = one_line(fmt::format("exception out of {}: {}", what, e.what()));
  } catch (...) {
    thrown = fmt::format("exception out of {}, of an unknown type", what);
  }
  const FpEnvironment after = fp_environment();
  if (after != before) {
    set_fp_environment(before);
    faults.push_back(
        fmt::format("changed the floating-point environment in {}: {}", what, fp_change(before, after)));
  }
  return thrown;
}

/// Scratch memory between red zones, at a multiple of 64 bytes.
class Workspace {
 public:
  /// False where it cannot be had.
  bool make(std::uint64_t bytes) {
    if (bytes == 0) return true;
    constexpr std::uint64_t most = std::uint64_t{1} << 46;
    if (bytes > most) return false;
    bytes_ = bytes;
    room_.reset(static_cast<std::byte*>(std::aligned_alloc(64, (bytes + 2 * workspace_zone + 63) / 64 * 64)));
    if (!room_) return false;
    std::memset(room_.get(), static_cast<int>(workspace_mark), workspace_zone);
    std::memset(at() + bytes, static_cast<int>(workspace_mark), workspace_zone);
    return true;
  }
  std::byte* at() const { return room_ ? room_.get() + workspace_zone : nullptr; }
  bool is_whole() const {
    const auto whole = [](const std::byte* from) {
      return std::all_of(from, from + workspace_zone, [](std::byte b) { return b == workspace_mark; });
    };
    return !room_ || (whole(room_.get()) && whole(at() + bytes_));
  }

 private:
  struct Free {
    void operator()(std::byte* p) const { std::free(p); }
  };
  std::unique_ptr<std::byte, Free> room_;
  std::uint64_t bytes_ = 0;
};

bool is_word(const char* text) {
  const std::string_view name = text == nullptr ? "" : text;
  return !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || std::strchr("._+-", c) != nullptr;
  });
}

/// What is wrong with the plug-in as it describes itself; empty if nothing.
std::string fault_of(const nc_plugin& p) {
  if (p.abi_major != NC_ABI_MAJOR) {
    return fmt::format("is built for version {} of the interface; this normcheck has version {}", p.abi_major,
                       NC_ABI_MAJOR);
  }
  if (p.struct_size < sizeof(nc_plugin))
    return fmt::format("says a struct_size of {}; expected {}", p.struct_size, sizeof(nc_plugin));
  if (!is_word(p.name)) return "has a name that is no word of letters, digits and . _ + -";
  return p.run == nullptr ? "has no run function" : "";
}

Status status_of(int code) {
  switch (code) {
    case NC_OK:
      return Status::ok;
    case NC_UNSUPPORTED:
      return Status::unsupported;
    case NC_INVALID:
      return Status::invalid;
    default:
      return Status::failed;
  }
}

}  // namespace

LoadedObject::LoadedObject(const std::string& path) {
  const std::string file = path.find('/') == std::string::npos ? "./" + path : path;
  std::string why;
  const auto thrown = guarded("loading", load_faults_, [&] {
    handle_ = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ == nullptr) why = one_line(dlerror());
  });
  if (thrown) throw LoadError(fmt::format("{}: {}", path, *thrown));
  if (handle_ == nullptr) throw LoadError(fmt::format("{}: cannot be loaded: {}", path, why));

  const auto entry = reinterpret_cast<Entry>(dlsym(handle_, "normcheck_plugin_v1"));
  if (entry == nullptr) {
    throw LoadError(
        fmt::format("{}: exports no normcheck_plugin_v1; normcheck_plugin.h says what a plug-in is", path));
  }
  read_plugins(entry, path);
}

LoadedObject::LoadedObject(Entry entry, const std::string& name) { read_plugins(entry, name); }

void LoadedObject::read_plugins(Entry entry, const std::string& path) {
  const nc_plugin* plugin = nullptr;
  while (plugins_.size() < most_plugins) {
    const auto index = static_cast<std::uint32_t>(plugins_.size());
    const auto words =
        guarded("normcheck_plugin_v1", load_faults_, [&] { plugin = entry(NC_ABI_MINOR, index); });
    if (words) throw LoadError(fmt::format("{}: {}", path, *words));
    if (plugin == nullptr) break;
    if (const std::string fault = fault_of(*plugin); !fault.empty())
      throw LoadError(fmt::format("{}: plug-in {} {}", path, index, fault));
    const bool known = std::any_of(plugins_.begin(), plugins_.end(), [&](const nc_plugin* other) {
      return std::string_view(other->name) == plugin->name;
    });
    if (known)
      throw LoadError(
          fmt::format("{}: normcheck_plugin_v1 gives '{}' again for index {}; NULL ends the list, and names "
                      "are different",
                      path, plugin->name, index));
    plugins_.push_back(plugin);
  }
  if (plugins_.empty()) throw LoadError(fmt::format("{}: normcheck_plugin_v1 gives no plug-in", path));
}

// The object stays loaded: what it left behind (threads, thread-local objects, atexit) may still run.
LoadedObject::~LoadedObject() = default;

Answer LoadedObject::call(std::size_t index, const CallPlan& plan, std::byte* base) const {
  const nc_plugin& plugin = *plugins_.at(index);
  CallView view(plan, base);
  nc_call& call = view.call();
  std::vector<char> message(message_room);
  call.errmsg = message.data();
  call.errmsg_len = message_room;
  Workspace workspace;
  Answer out;
  int code = NC_OK;
  std::uint64_t bytes = 0;
  const auto with = [&](std::string_view what, auto work) {
    const auto thrown = guarded(what, out.faults, work);
    if (!thrown) return true;
    out.status = Status::crash;
    out.message = *thrown;
    return false;
  };
  if (plugin.supports != nullptr && !with("supports", [&] { code = plugin.supports(&call); })) return out;
  if (code == NC_OK) {
    if (plugin.workspace_bytes != nullptr &&
        !with("workspace_bytes", [&] { bytes = plugin.workspace_bytes(&call); }))
      return out;
    if (!workspace.make(bytes)) {
      out.status = Status::failed;
      out.message = fmt::format("workspace_bytes asks for {} bytes, which cannot be had", bytes);
      return out;
    }
    call.workspace = workspace.at();
    call.workspace_bytes = bytes;
    message[0] = '\0';
    if (!with("run", [&] { code = plugin.run(&call); })) return out;
  }
  out.status = status_of(code);
  message.back() = '\0';
  out.message = one_line(message.data());
  if (out.status == Status::failed && code != NC_FAILED)
    out.message = fmt::format("answered {}, which is no status{}{}", code, out.message.empty() ? "" : ": ",
                              out.message);
  if (!workspace.is_whole()) out.faults.emplace_back("wrote outside its workspace");
  if (view.is_changed()) out.faults.emplace_back("changed the description of the call");
  return out;
}

}  // namespace normcheck
