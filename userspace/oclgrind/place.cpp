// SPDX-License-Identifier: MIT
// Places of work-items: loops and blocks of functions, and a work-item's way through them.
#include "place.hpp"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/IR/CFG.h>

namespace lane
{
FunctionShape::FunctionShape(const llvm::Function &function)
    : m_tree(const_cast<llvm::Function &>(function)), m_loops(m_tree)
{
	llvm::ReversePostOrderTraversal<const llvm::Function *> order(&function);

	for (const llvm::BasicBlock *block : order)
		m_number.emplace(block, static_cast<uint32_t>(m_number.size()));
}

const llvm::Loop *FunctionShape::loopOf(const llvm::BasicBlock *block) const
{
	return m_loops.getLoopFor(block);
}

uint32_t FunctionShape::number(const llvm::BasicBlock *block) const
{
	auto found = m_number.find(block);

	return found == m_number.end() ? static_cast<uint32_t>(m_number.size()) : found->second;
}

static std::map<const llvm::Function *, std::shared_ptr<FunctionShape>> shapes;

static std::shared_ptr<FunctionShape> shapeOf(const llvm::Function *function)
{
	std::shared_ptr<FunctionShape> &shape = shapes[function];

	if (!shape)
		shape = std::make_shared<FunctionShape>(*function);
	return shape;
}

void forgetShapes()
{
	shapes.clear();
}

void Follower::enterBlock(Frame &frame, const llvm::BasicBlock *block)
{
	std::vector<const llvm::Loop *> around;

	frame.before = frame.block;
	frame.block = block;
	for (const llvm::Loop *loop = frame.shape->loopOf(block); loop;
	     loop = loop->getParentLoop())
		around.push_back(loop);
	frame.prefix = frame.call;
	for (auto it = around.rbegin(); it != around.rend(); ++it) {
		const llvm::Loop *loop = *it;
		uint32_t &count = frame.iteration[loop];

		if (loop->getHeader() == block)
			count = frame.before && loop->contains(frame.before) ? count + 1 : 0;
		frame.prefix.push_back({ 2 * frame.shape->number(loop->getHeader()) + 1, count });
	}
	frame.prefix.push_back({ 2 * frame.shape->number(block), 0 });
}

// OpenCL C knows no recursion: a function is in the stack of frames once, or it has just been
// called.
void Follower::enterFunction(const llvm::Function *function)
{
	for (size_t i = m_frames.size(); i-- > 0;) {
		if (m_frames[i].function == function) {
			m_frames.resize(i + 1);
			return;
		}
	}
	Frame frame;

	if (!m_frames.empty())
		frame.call = place();
	frame.function = function;
	frame.shape = shapeOf(function);
	m_frames.push_back(frame);
}

void Follower::enter(const llvm::Instruction *instruction)
{
	const llvm::BasicBlock *block = instruction->getParent();

	if (m_frames.empty() || m_frames.back().function != instruction->getFunction())
		enterFunction(instruction->getFunction());
	Frame &frame = m_frames.back();

	if (frame.current == instruction && !frame.passed)
		return;
	if (frame.block != block || &block->front() == instruction) {
		enterBlock(frame, block);
		frame.current = nullptr;
	}
	if (frame.current && frame.current->getNextNode() == instruction) {
		frame.index++;
	} else {
		frame.index = 0;
		for (const llvm::Instruction *i = instruction; i != &block->front();
		     i = i->getPrevNode())
			frame.index++;
	}
	frame.current = instruction;
	frame.passed = false;
}

Place Follower::place() const
{
	Place place = m_frames.back().prefix;

	place.back().count = m_frames.back().index;
	return place;
}

bool Follower::isInLoop() const
{
	for (const Step &step : m_frames.back().prefix)
		if (step.where % 2)
			return true;
	return false;
}

} // namespace lane
