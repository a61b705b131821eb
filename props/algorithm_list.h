// Every algorithm of impl/algorithms, for the promises that hold for all of them.
#pragma once

#include "impl/algorithms/all.h"
