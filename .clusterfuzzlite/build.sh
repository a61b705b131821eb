#!/bin/bash -eu
# Where a fuzzing service starts; what it sets in the environment is read by fuzz/build.sh.
exec "$SRC/normcheck/fuzz/build.sh"
