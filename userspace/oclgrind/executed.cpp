// SPDX-License-Identifier: MIT
// From executed LLVM instructions to a graph's statements.
#include "executed.hpp"

#include <algorithm>
#include <set>
#include <sstream>
#include <unordered_map>

#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugLoc.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>
#include <oclgrind/common.h>

namespace lane
{
static const size_t MOST_NODES = 1 << 18;
static const unsigned MOST_SOURCES = 48; // of a line; a graph's line has at most 64 words

void Executed::add(const Follower &follower, const llvm::Instruction *instruction)
{
	if (m_too_long)
		return;
	if (m_nodes.size() == MOST_NODES) {
		m_too_long = true;
		return;
	}
	// Where the work-items of a warp come from different sides, the side that is executed last
	// counts: the others' results were there before.
	m_nodes[follower.place()] = { instruction, follower.previousBlock() };
}

namespace
{
// Turns instructions into lines. Names are those of SSA values, so that an iteration of a loop
// reads like the one before it.
class Writer
{
      public:
	typedef std::vector<std::string> Lines;

	Lines statement(const llvm::Instruction *instruction, const llvm::BasicBlock *before);

	// What a call of a function with a body leaves behind, when its body has been written.
	Lines returned(const llvm::Instruction *call)
	{
		return alias(call, m_returned);
	}

      private:
	std::string name(const llvm::Value *value);
	std::string sources(const llvm::Instruction *instruction, const std::string &extra);
	Lines alias(const llvm::Value *to, const llvm::Value *from);
	Lines operation(const llvm::Instruction *instruction, const std::string &op,
			const std::string &flags = "", const std::string &extra = "");
	Lines memory(const llvm::Instruction *instruction, unsigned space, bool store, bool atomic);
	Lines call(const llvm::CallInst *call);
	Lines barrier(const llvm::Instruction *instruction);

	std::unordered_map<const llvm::Value *, unsigned> m_names;
	std::vector<std::string> m_accesses; // since the last barrier
	bool m_barrier = false;		     // there was one
	const llvm::Value *m_returned = nullptr;
};

// An op's kind with the source line that it is of.
std::string lined(const std::string &op, const llvm::Instruction *instruction)
{
	const llvm::DebugLoc &where = instruction->getDebugLoc();

	return where && where.getLine() ? op + '@' + std::to_string(where.getLine()) : op;
}

std::string Writer::name(const llvm::Value *value)
{
	if (llvm::isa<llvm::Constant>(value) || llvm::isa<llvm::BasicBlock>(value))
		return "";
	auto found = m_names.emplace(value, static_cast<unsigned>(m_names.size()) + 1);

	return "v" + std::to_string(found.first->second);
}

std::string Writer::sources(const llvm::Instruction *instruction, const std::string &extra)
{
	std::string text;
	unsigned n = 0;

	for (const llvm::Use &use : instruction->operands()) {
		std::string source = name(use.get());

		if (!source.empty() && n++ < MOST_SOURCES)
			text += ' ' + source;
	}
	return extra.empty() ? text : text + ' ' + extra;
}

Writer::Lines Writer::alias(const llvm::Value *to, const llvm::Value *from)
{
	std::string source = from ? name(from) : "";

	if (to->getType()->isVoidTy())
		return {};
	return { name(to) + " = let" + (source.empty() ? "" : ' ' + source) };
}

// One line for a scalar, one per element for a vector.
Writer::Lines Writer::operation(const llvm::Instruction *instruction, const std::string &op,
				const std::string &flags, const std::string &extra)
{
	bool result = !instruction->getType()->isVoidTy() && flags != "post ";
	unsigned times = 1;

	if (auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(instruction->getType()))
		times = vector->getNumElements();
	return Lines(times, (result ? name(instruction) + " = " : "") + flags +
				    lined(op, instruction) + sources(instruction, extra));
}

// Accesses wait for the barrier before them. Local ones are waited for by the next barrier; a store
// to global memory, or an atomic whose result nobody uses, is done when it is issued.
Writer::Lines Writer::memory(const llvm::Instruction *instruction, unsigned space, bool store,
			     bool atomic)
{
	std::string after = m_barrier ? "barrier" : "";

	if (space == oclgrind::AddrSpaceLocal) {
		std::string op = atomic ? "local_atomic" : "local";
		std::string result = name(instruction);

		m_accesses.push_back(result);
		return { result + " = " + lined(op, instruction) + sources(instruction, after) };
	}
	if (space == oclgrind::AddrSpaceGlobal) {
		std::string op = atomic ? "global_atomic" : "memory";

		if (store || (atomic && instruction->use_empty()))
			return operation(instruction, op, "post ", after);
		return operation(instruction, op, "", after);
	}
	if (space == oclgrind::AddrSpaceConstant)
		return operation(instruction, "constant");
	return operation(instruction, "iadd"); // private memory: registers, mostly
}

Writer::Lines Writer::barrier(const llvm::Instruction *instruction)
{
	Lines recent;
	std::string text = "barrier = sync " + lined("barrier", instruction);

	for (auto it = m_accesses.rbegin(); it != m_accesses.rend(); ++it)
		if (recent.size() < MOST_SOURCES &&
		    std::find(recent.begin(), recent.end(), *it) == recent.end())
			recent.push_back(*it);
	std::sort(recent.begin(), recent.end());
	for (const std::string &access : recent)
		text += ' ' + access;
	m_accesses.clear();
	m_barrier = true;
	return { text };
}

bool begins(const std::string &text, const char *with)
{
	return text.compare(0, strlen(with), with) == 0;
}

// A mangled OpenCL builtin's own name: _Z10atomic_addPU3AS3Vjj -> atomic_add.
std::string plain(const llvm::Function *function)
{
	std::string full = function ? function->getName().str() : "";
	size_t at = 2;
	size_t length = 0;

	if (!begins(full, "_Z"))
		return full;
	while (at < full.size() && isdigit(static_cast<unsigned char>(full[at])))
		length = length * 10 + static_cast<size_t>(full[at++] - '0');
	return length && at + length <= full.size() ? full.substr(at, length) : full;
}

Writer::Lines Writer::call(const llvm::CallInst *call)
{
	const llvm::Function *function = call->getCalledFunction();
	std::string name = plain(function);

	if (function && !function->isDeclaration()) { // its instructions come next
		Lines lines;

		for (const llvm::Argument &argument : function->args()) {
			Lines one = alias(&argument, call->getArgOperand(argument.getArgNo()));

			lines.insert(lines.end(), one.begin(), one.end());
		}
		return lines;
	}
	if (name == "barrier" || name == "work_group_barrier")
		return barrier(call);
	if (begins(name, "atom"))
		return memory(call, call->getArgOperand(0)->getType()->getPointerAddressSpace(),
			      false, true);
	if (begins(name, "get_") || begins(name, "llvm.lifetime") || begins(name, "llvm.dbg") ||
	    begins(name, "llvm.assume") || begins(name, "mem_fence") || begins(name, "as_"))
		return alias(call, call->arg_size() ? call->getArgOperand(0) : nullptr);
	if (begins(name, "mad") || begins(name, "fma") || begins(name, "llvm.fmuladd") ||
	    begins(name, "llvm.fma"))
		return operation(call, call->getType()->isFPOrFPVectorTy() ? "fmadd" : "imul");
	if (begins(name, "convert_"))
		return operation(call, "convert");
	if (call->getType()->isFPOrFPVectorTy() && !begins(name, "fabs") && !begins(name, "fm") &&
	    !begins(name, "min") && !begins(name, "max") && !begins(name, "clamp"))
		return operation(call, "cos");
	return operation(call, call->getType()->isFPOrFPVectorTy() ? "fadd" : "iadd");
}

Writer::Lines Writer::statement(const llvm::Instruction *i, const llvm::BasicBlock *before)
{
	if (auto *phi = llvm::dyn_cast<llvm::PHINode>(i)) {
		int index = before ? phi->getBasicBlockIndex(before) : -1;

		return alias(phi, index < 0 ? nullptr : phi->getIncomingValue(index));
	}
	switch (i->getOpcode()) {
	case llvm::Instruction::Ret:
		m_returned = i->getNumOperands() ? i->getOperand(0) : nullptr;
		return {};
	case llvm::Instruction::Unreachable:
	case llvm::Instruction::Alloca:
		return {};
	case llvm::Instruction::Br:
		if (llvm::cast<llvm::BranchInst>(i)->isUnconditional())
			return {};
		return operation(i, "branch");
	case llvm::Instruction::Switch:
		return operation(i, "branch");
	case llvm::Instruction::Call:
		return call(llvm::cast<llvm::CallInst>(i));
	case llvm::Instruction::Load:
		return memory(i, llvm::cast<llvm::LoadInst>(i)->getPointerAddressSpace(), false,
			      false);
	case llvm::Instruction::Store:
		return memory(i, llvm::cast<llvm::StoreInst>(i)->getPointerAddressSpace(), true,
			      false);
	case llvm::Instruction::AtomicRMW:
		return memory(i, llvm::cast<llvm::AtomicRMWInst>(i)->getPointerAddressSpace(),
			      false, true);
	case llvm::Instruction::AtomicCmpXchg:
		return memory(i, llvm::cast<llvm::AtomicCmpXchgInst>(i)->getPointerAddressSpace(),
			      false, true);
	case llvm::Instruction::GetElementPtr:
		if (llvm::cast<llvm::GetElementPtrInst>(i)->hasAllConstantIndices())
			return alias(i, i->getOperand(0));
		return operation(i, "iadd");
	// Names for the same bits, or their ends.
	case llvm::Instruction::BitCast:
	case llvm::Instruction::AddrSpaceCast:
	case llvm::Instruction::IntToPtr:
	case llvm::Instruction::PtrToInt:
	case llvm::Instruction::Trunc:
	case llvm::Instruction::ZExt:
	case llvm::Instruction::SExt:
	case llvm::Instruction::Freeze:
	case llvm::Instruction::ExtractElement:
	case llvm::Instruction::ExtractValue:
		return alias(i, i->getOperand(0));
	case llvm::Instruction::InsertElement:
	case llvm::Instruction::InsertValue:
		return alias(i, i->getOperand(llvm::isa<llvm::Constant>(i->getOperand(1)) ? 0 : 1));
	case llvm::Instruction::ShuffleVector:
		return alias(i, i->getOperand(0));
	case llvm::Instruction::FAdd:
	case llvm::Instruction::FSub:
	case llvm::Instruction::FCmp:
	case llvm::Instruction::FNeg:
		return operation(i, "fadd");
	case llvm::Instruction::FMul:
		return operation(i, "fmul");
	case llvm::Instruction::FDiv:
	case llvm::Instruction::FRem:
		return operation(i, "fdiv");
	case llvm::Instruction::Mul:
		return operation(i, "imul");
	case llvm::Instruction::UDiv:
	case llvm::Instruction::SDiv:
	case llvm::Instruction::URem:
	case llvm::Instruction::SRem:
		return operation(i, "idiv");
	case llvm::Instruction::FPToSI:
	case llvm::Instruction::FPToUI:
	case llvm::Instruction::SIToFP:
	case llvm::Instruction::UIToFP:
	case llvm::Instruction::FPExt:
	case llvm::Instruction::FPTrunc:
		return operation(i, "convert");
	default:
		return operation(i, "iadd");
	}
}

// The statements of a range of places that agree in their first `depth` steps.
template <typename Iterator>
Writer::Lines fold(Writer &writer, Iterator first, Iterator last, size_t depth)
{
	Writer::Lines lines;
	const llvm::Instruction *caller = nullptr;

	while (first != last) {
		Step step = first->first[depth];
		bool is_loop = step.where & 1;
		Iterator end = first;
		Writer::Lines round;
		Writer::Lines before;
		uint32_t times = 0;

		if (!is_loop && first->first.size() == depth + 1) {
			Writer::Lines one =
				writer.statement(first->second.instruction, first->second.before);

			lines.insert(lines.end(), one.begin(), one.end());
			caller = first->second.instruction;
			++first;
			continue;
		}
		// Iterations of one loop; or the function that an instruction calls.
		auto flush = [&]() {
			if (times > 1 && !before.empty()) {
				lines.push_back("repeat " + std::to_string(times));
				lines.insert(lines.end(), before.begin(), before.end());
				lines.push_back("end");
			} else {
				lines.insert(lines.end(), before.begin(), before.end());
			}
		};
		while (first != last && first->first.size() > depth + 1 &&
		       first->first[depth].where == step.where) {
			uint32_t count = first->first[depth].count;

			for (end = first; end != last && end->first.size() > depth + 1 &&
					  end->first[depth].where == step.where &&
					  end->first[depth].count == count;
			     ++end)
				;
			round = fold(writer, first, end, depth + 1);
			first = end;
			if (times && round == before) {
				times++;
				continue;
			}
			flush();
			before = round;
			times = 1;
			if (!is_loop)
				break;
		}
		flush();
		if (!is_loop && caller) {
			round = writer.returned(caller);
			lines.insert(lines.end(), round.begin(), round.end());
		}
	}
	return lines;
}

} // namespace

void Executed::write(std::ostream &out, const std::string &prefix) const
{
	Writer writer;

	for (const std::string &line : fold(writer, m_nodes.begin(), m_nodes.end(), 0))
		out << prefix << line << '\n';
}

void Executed::writeSource(std::ostream &out, const std::string &program) const
{
	static const size_t MOST_TEXT = 120;
	std::set<unsigned> lines;
	std::istringstream text(program);
	std::string line;

	for (const auto &node : m_nodes)
		if (const llvm::DebugLoc &where = node.second.instruction->getDebugLoc())
			lines.insert(where.getLine());
	for (unsigned number = 1; std::getline(text, line); number++) {
		if (!lines.count(number))
			continue;
		// `#' would begin a comment in the file; and a line of it has a limited number of words.
		std::replace(line.begin(), line.end(), '#', ' ');
		std::replace(line.begin(), line.end(), '\r', ' ');
		size_t first = line.find_first_not_of(" \t");

		line = first == std::string::npos ? "" : line.substr(first, MOST_TEXT);
		if (!line.empty())
			out << "source " << number << ' ' << line << '\n';
	}
}

void Executed::writeLikes(std::ostream &out, const std::string &prefix)
{
	static const char *const likes[][2] = {
		{ "iadd", "fadd" },	     { "imul", "fmadd" },
		{ "idiv", "cos" },	     { "fmul", "fmadd" },
		{ "fdiv", "cos" },	     { "convert", "fadd" },
		{ "branch", "fadd" },	     { "constant", "local" },
		{ "local_atomic", "local" }, { "global_atomic", "memory" },
	};

	for (const auto &like : likes)
		out << prefix << "like " << like[0] << ' ' << like[1] << '\n';
}

} // namespace lane
