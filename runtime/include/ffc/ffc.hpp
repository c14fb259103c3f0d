// Everything a user of ffc includes.
#pragma once

#include "ffc/generator/arch.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/error.hpp"
#include "ffc/generator/generate.hpp"
#include "ffc/generator/good_length.hpp"
#include "ffc/generator/host_program.hpp"
#include "ffc/generator/launch_grid.hpp"
#include "ffc/generator/real_transform.hpp"
#include "ffc/runtime/delayed_scaling.hpp"
#include "ffc/runtime/errors.hpp"
#include "ffc/runtime/host.hpp"
#include "ffc/runtime/kernel.hpp"
#include "ffc/runtime/real_transform.hpp"
