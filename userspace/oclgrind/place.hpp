// SPDX-License-Identifier: MIT
// Where in its kernel a work-item is, so that the work-items of a warp can be put side by side
// again.
//
// Oclgrind runs one work-item after the other, from barrier to barrier. A GPU runs a warp's
// work-items in step: what several of them execute at the same place, in the same iteration of
// every loop around it, is one instruction of the warp. A place says just that.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>

namespace lane
{
// One level: a loop and its iteration, or a basic block and an instruction's index in it.
struct Step {
	uint32_t where; // 2 * the block's (or loop header's) number in execution order, + 1: a loop
	uint32_t count; // iteration, or index

	bool operator<(const Step &other) const
	{
		return where != other.where ? where < other.where : count < other.count;
	}
	bool operator==(const Step &other) const
	{
		return where == other.where && count == other.count;
	}
};

// Loops from the outermost to the innermost, the block, and the same again in each called function.
// In ascending order, places are the order in which a warp executes them: branches one after the
// other, loops iteration by iteration.
typedef std::vector<Step> Place;

// What is needed of a function: its loops, and a number for each block such that what may follow
// has a higher one (loops' back edges aside).
class FunctionShape
{
      public:
	explicit FunctionShape(const llvm::Function &function);

	const llvm::Loop *loopOf(const llvm::BasicBlock *block) const;
	uint32_t number(const llvm::BasicBlock *block) const;

      private:
	llvm::DominatorTree m_tree;
	llvm::LoopInfo m_loops;
	std::map<const llvm::BasicBlock *, uint32_t> m_number;
};

// Follows one work-item. enter() is to be called with every instruction, before what it does to
// memory is looked at; a second call with the same instruction changes nothing.
class Follower
{
      public:
	void enter(const llvm::Instruction *instruction);

	// The instruction that was entered last is done with.
	void executed()
	{
		m_frames.back().passed = true;
	}

	// The place of the instruction that was entered last.
	Place place() const;

	// Whether a loop is around the instruction that was entered last.
	bool isInLoop() const;

	// From which block the current one was reached; nullptr at a function's entry.
	const llvm::BasicBlock *previousBlock() const
	{
		return m_frames.back().before;
	}

      private:
	struct Frame {
		const llvm::Function *function = nullptr;
		std::shared_ptr<FunctionShape> shape;
		Place call; // of the instruction that called this function
		std::map<const llvm::Loop *, uint32_t> iteration;
		const llvm::BasicBlock *block = nullptr;
		const llvm::BasicBlock *before = nullptr;
		const llvm::Instruction *current = nullptr;
		Place prefix; // of the block's instructions
		uint32_t index = 0;
		bool passed = false; // the current instruction was executed
	};

	void enterFunction(const llvm::Function *function);
	void enterBlock(Frame &frame, const llvm::BasicBlock *block);

	std::vector<Frame> m_frames;
};

// Programs come and go: what is known of their functions is good for one run of a kernel.
void forgetShapes();

} // namespace lane
