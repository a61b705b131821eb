// The real implementations that can be judged by name: what each is, where it lies, and how it is installed.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace normcheck {

/// What is known to be wrong with it. What is found beside that is not expected.
struct KnownFault {
  std::string_view dtypes;   ///< "f32 f64"
  std::string_view regimes;  ///< "near_overflow corpus/public probe/repeat"; empty: any, no probe
  std::string_view reason;   ///< down to its cause
};

enum class PeerSource : std::uint8_t { debian, pypi };

/// A library by its name on the command line. A peer is one file in this folder and one row in peers.cpp.
struct Peer {
  std::string_view name;
  std::string_view file;      ///< "onednn.so", a plug-in built from onednn.cpp; or a program, "numpy_norm.py"
  PeerSource source;          ///< of its packages
  std::string_view packages;  ///< "libdnnl-dev"; of PyPI with versions, "onnxruntime==1.20.1 numpy==1.26.4"
  std::string_view version;   ///< that of which the rest of the row speaks
  std::string_view environment;  ///< "NAME=value NAME=value": instruction set and threads are pinned by it
  bool light;                    ///< installed in seconds
  std::string_view about;        ///< what is called, and what it does not do
  std::span<const KnownFault> known;
};

std::span<const Peer> peers();
/// nullptr if there is none.
const Peer* find_peer(std::string_view name);

/// What to open: the path of a shared object, or "exec:" and a command line. Empty where it is not installed
/// (a program of Debian's packages may lack them all the same, and then cannot be loaded). Looked for in the
/// folder that NORMCHECK_PEERS names, else beside this program (peers/) or under lib/normcheck/peers of its
/// prefix. An interpreter with PyPI's packages lies in a folder called after the first of them and its
/// version, onnxruntime-1.20.1, of the one that NORMCHECK_VENVS names, else of build/peers of this checkout.
std::string peer_target(const Peer& peer);

/// The line that installs it.
std::string install_command(const Peer& peer);

/// Its environment; a variable that is set already stays as it is.
std::vector<std::string> peer_environment(const Peer& peer);

}  // namespace normcheck
