// SPDX-License-Identifier: MIT
// What one warp executed, as an instruction dependence graph in gpulane's text format
// (docs/models/pipeline.md): loops unrolled by running them, the sides of a branch one after the
// other, and repeats folded up again where iterations are alike.
#pragma once

#include "place.hpp"

#include <ostream>

#include <llvm/IR/Instructions.h>

namespace lane
{
class Executed
{
      public:
	// Adds an instruction that a work-item of the warp is about to execute.
	void add(const Follower &follower, const llvm::Instruction *instruction);

	// True when there was more than could be kept; there is then no graph.
	bool tooLong() const
	{
		return m_too_long;
	}
	bool empty() const
	{
		return m_nodes.empty();
	}

	// Writes the graph's instructions, each line behind a prefix.
	void write(std::ostream &out, const std::string &prefix) const;

	// Writes `source LINE TEXT` for each line of the program that its instructions are of.
	void writeSource(std::ostream &out, const std::string &program) const;

	// Writes the `like` lines: which of a device's ops may stand in for one that it lacks.
	static void writeLikes(std::ostream &out, const std::string &prefix);

      private:
	struct Node {
		const llvm::Instruction *instruction;
		const llvm::BasicBlock *before; // for phi: where the last work-item came from
	};

	std::map<Place, Node> m_nodes;
	bool m_too_long = false;
};

} // namespace lane
