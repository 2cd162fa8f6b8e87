/* SPDX-License-Identifier: MIT */
/*
 * What every subcommand is: one function in one file, without analysis in it.
 */
#ifndef LANE_CMD_CMD_H
#define LANE_CMD_CMD_H

#include "base/program.h"

#define COMMAND(name, help) lane_command_fn cmd_##name;
#include "cmd/commands.def"
#undef COMMAND

#endif
