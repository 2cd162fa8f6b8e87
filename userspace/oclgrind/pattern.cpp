// SPDX-License-Identifier: MIT
// A plugin for Oclgrind: writes which addresses the warps of an unmodified OpenCL program's kernels
// touch, per source line, and what one warp executes (docs/models/pattern.md).
//
//   GPULANE_PATTERN=FILE oclgrind --plugins libgpulane-oclgrind.so PROGRAM
//
// Nothing is judged here: `gpulane model pattern FILE` does that, for any device.
#include "executed.hpp"
#include "place.hpp"

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <set>
#include <unordered_map>

#include <llvm/IR/DebugLoc.h>
#include <oclgrind/Context.h>
#include <oclgrind/Kernel.h>
#include <oclgrind/KernelInvocation.h>
#include <oclgrind/Memory.h>
#include <oclgrind/Plugin.h>
#include <oclgrind/Program.h>
#include <oclgrind/WorkGroup.h>
#include <oclgrind/WorkItem.h>

namespace lane
{
enum Kind {
	ATOMIC,
	LOAD,
	STORE,
	SWAP // a compare-and-exchange that found what it wanted
};

// Where accesses that go together end up: an instruction, with the array that it touches.
struct Site {
	const llvm::Instruction *instruction;
	size_t buffer;
	Kind kind;

	bool operator<(const Site &other) const
	{
		if (instruction != other.instruction)
			return instruction < other.instruction;
		return buffer != other.buffer ? buffer < other.buffer : kind < other.kind;
	}
};

static const size_t NOWHERE = SIZE_MAX; // the address of a lane that does not take part
static const size_t ALIGNMENT = 16;	// of arrays in local memory
static const size_t WINDOW = 4096; // loads and stores of global memory are told apart within it

typedef std::vector<size_t> Lanes; // an address per lane

class Pattern : public oclgrind::Plugin
{
      public:
	Pattern(const oclgrind::Context *context, const char *path, unsigned warp,
		unsigned long most);
	bool isThreadSafe() const override
	{
		return false; // one work-item after the other
	}
	void kernelBegin(const oclgrind::KernelInvocation *invocation) override;
	void kernelEnd(const oclgrind::KernelInvocation *invocation) override;
	void workGroupBegin(const oclgrind::WorkGroup *group) override;
	void workGroupBarrier(const oclgrind::WorkGroup *group, uint32_t flags) override;
	void workGroupComplete(const oclgrind::WorkGroup *group) override;
	void instructionExecuted(const oclgrind::WorkItem *item,
				 const llvm::Instruction *instruction,
				 const oclgrind::TypedValue &result) override;
	void memoryAtomicLoad(const oclgrind::Memory *memory, const oclgrind::WorkItem *item,
			      oclgrind::AtomicOp op, size_t address, size_t size) override;
	void memoryAtomicStore(const oclgrind::Memory *memory, const oclgrind::WorkItem *item,
			       oclgrind::AtomicOp op, size_t address, size_t size) override;
	void memoryLoad(const oclgrind::Memory *memory, const oclgrind::WorkItem *item,
			size_t address, size_t size) override;
	void memoryStore(const oclgrind::Memory *memory, const oclgrind::WorkItem *item,
			 size_t address, size_t size, const uint8_t *data) override;

      private:
	// An instruction of a warp, as far as its lanes have come.
	struct Access {
		unsigned site;
		Lanes lanes;
	};

	size_t laneOf(const oclgrind::WorkItem *item) const;
	void access(const oclgrind::Memory *memory, const oclgrind::WorkItem *item, Kind kind,
		    const char *op, size_t address, size_t size);
	unsigned siteOf(const oclgrind::Memory *memory, const Site &site, const char *op,
			const oclgrind::WorkItem *item, size_t address, size_t size);
	std::string nameOf(const oclgrind::Memory *memory, const oclgrind::WorkGroup *group,
			   size_t buffer) const;
	void flushGroup();
	void flushCounts();
	void writeGraph();

	std::ofstream m_out;
	unsigned m_warp;
	unsigned long m_most; // lines with addresses
	unsigned long m_left_out = 0;
	const oclgrind::KernelInvocation *m_invocation = nullptr;
	oclgrind::Size3 m_local_size;
	std::unordered_map<const oclgrind::WorkItem *, Follower> m_follower;
	std::map<Site, unsigned> m_sites; // of this launch
	std::vector<bool> m_window;	  // per site: told apart within WINDOW only
	unsigned m_next_site = 1;
	std::vector<Access> m_accesses; // of the group, since its barrier
	std::map<std::pair<size_t, Place>, std::vector<size_t>> m_at; // warp, place: in m_accesses
	std::map<std::pair<unsigned, Lanes>, unsigned long> m_counts; // equal ones, counted
	std::map<std::string, bool> m_graphed;
	Executed m_executed;
	const oclgrind::WorkGroup *m_graph_group = nullptr;
};

Pattern::Pattern(const oclgrind::Context *context, const char *path, unsigned warp,
		 unsigned long most)
    : Plugin(context), m_out(path), m_warp(warp), m_most(most)
{
	if (!m_out) {
		std::cerr << "gpulane: " << path << ": cannot be written (GPULANE_PATTERN names it)"
			  << std::endl;
		return;
	}
	m_out << "gpulane-pattern 1\nwarp " << m_warp << '\n';
}

// Adds the names of all functions that a function calls, however deep.
static void addCalled(const llvm::Function *function, std::set<std::string> &names)
{
	if (!names.insert(function->getName().str()).second)
		return;
	for (const llvm::BasicBlock &block : *function)
		for (const llvm::Instruction &instruction : block)
			if (auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction))
				if (const llvm::Function *called = call->getCalledFunction())
					addCalled(called, names);
}

// Whether a kernel relies on the size of its work-groups: it says so, or its work-items of a group
// work together without asking how many they are.
static bool isSizeFixed(const oclgrind::Kernel *kernel)
{
	std::set<std::string> names;
	size_t required[3] = { 0, 0, 0 };
	bool together = false;

	kernel->getRequiredWorkGroupSize(required);
	if (required[0])
		return true;
	addCalled(kernel->getFunction(), names);
	for (const std::string &name : names) {
		if (name.find("get_local_size") != std::string::npos)
			return false;
		together |= name.find("get_local_id") != std::string::npos ||
			    name.find("get_group_id") != std::string::npos ||
			    name.find("barrier") != std::string::npos;
	}
	return together;
}

void Pattern::kernelBegin(const oclgrind::KernelInvocation *invocation)
{
	oclgrind::Size3 groups = invocation->getNumGroups();
	oclgrind::Size3 global = invocation->getGlobalSize();

	forgetShapes();
	m_invocation = invocation;
	m_local_size = invocation->getLocalSize();
	m_sites.clear();
	m_window.clear();
	m_left_out = 0;
	m_executed = Executed();
	m_graph_group = nullptr;
	m_out << "launch " << invocation->getKernel()->getName() << ' '
	      << groups.x * groups.y * groups.z << ' ' << m_local_size.x << ' ' << m_local_size.y
	      << ' ' << m_local_size.z << ' ' << global.x << ' ' << global.y << ' ' << global.z
	      << (isSizeFixed(invocation->getKernel()) ? " fixed" : "") << '\n';
}

void Pattern::kernelEnd(const oclgrind::KernelInvocation *)
{
	flushCounts();
	if (m_left_out)
		m_out << "left_out " << m_left_out << '\n';
	if (!m_executed.empty())
		writeGraph();
	m_out << "done\n" << std::flush;
	m_invocation = nullptr;
}

void Pattern::writeGraph()
{
	const std::string &name = m_invocation->getKernel()->getName();
	oclgrind::Size3 groups = m_invocation->getNumGroups();
	size_t lanes = m_local_size.x * m_local_size.y * m_local_size.z;

	m_graphed[name] = true;
	if (m_executed.tooLong()) {
		m_out << "no_graph " << name << " too many instructions\n";
		return;
	}
	m_out << "graph " << name << "\n| gpulane-graph 1\n| title " << name
	      << ", the first warp, as executed\n| groups " << groups.x * groups.y * groups.z
	      << "\n| group_warps " << (lanes + m_warp - 1) / m_warp << '\n';
	Executed::writeLikes(m_out, "| ");
	m_executed.write(m_out, "| ");
	m_executed.writeSource(m_out, m_invocation->getKernel()->getProgram()->getSource());
}

void Pattern::workGroupBegin(const oclgrind::WorkGroup *group)
{
	m_follower.clear();
	if (!m_graph_group && !m_graphed.count(m_invocation->getKernel()->getName()))
		m_graph_group = group;
}

void Pattern::workGroupBarrier(const oclgrind::WorkGroup *, uint32_t)
{
	flushGroup();
}

void Pattern::workGroupComplete(const oclgrind::WorkGroup *group)
{
	flushGroup();
	if (group == m_graph_group) { // its address may be used again
		m_graphed[m_invocation->getKernel()->getName()] = true;
		m_graph_group = nullptr;
	}
}

// The number of a work-item in its group; consecutive ones are in a warp.
size_t Pattern::laneOf(const oclgrind::WorkItem *item) const
{
	oclgrind::Size3 id = item->getLocalID();

	return id.x + m_local_size.x * (id.y + m_local_size.y * id.z);
}

void Pattern::instructionExecuted(const oclgrind::WorkItem *item,
				  const llvm::Instruction *instruction,
				  const oclgrind::TypedValue &)
{
	Follower &follower = m_follower[item];

	follower.enter(instruction);
	if (m_graph_group && item->getWorkGroup() == m_graph_group && laneOf(item) < m_warp)
		m_executed.add(follower, instruction);
	follower.executed();
}

// What the source calls the array: the kernel's argument, or the variable in local memory; `-': not
// known, as of what a program reaches by a pointer in memory.
std::string Pattern::nameOf(const oclgrind::Memory *memory, const oclgrind::WorkGroup *group,
			    size_t buffer) const
{
	const oclgrind::Kernel *kernel = m_invocation->getKernel();

	for (auto one = kernel->values_begin(); one != kernel->values_end(); ++one) {
		const llvm::Value *value = one->first;
		bool local = memory->getAddressSpace() == oclgrind::AddrSpaceLocal;

		if (!value->getType()->isPointerTy() ||
		    value->getType()->getPointerAddressSpace() != memory->getAddressSpace())
			continue;
		size_t address =
			local ? group->getLocalMemoryAddress(value) : one->second.getPointer();
		if (memory->extractBuffer(address) != buffer)
			continue;
		std::string name = value->getName().str();

		name.erase(0, name.rfind('.') + 1); // a variable of a kernel: KERNEL.NAME
		return name.empty() ? "-" : name;
	}
	return "-";
}

unsigned Pattern::siteOf(const oclgrind::Memory *memory, const Site &site, const char *op,
			 const oclgrind::WorkItem *item, size_t address, size_t size)
{
	static const char *const kinds[] = { "atomic", "load", "store", "swap" };
	auto found = m_sites.emplace(site, m_next_site);
	const llvm::DebugLoc &at = site.instruction->getDebugLoc();
	bool local = memory->getAddressSpace() == oclgrind::AddrSpaceLocal;
	size_t offset = memory->extractOffset(address);
	size_t step = (address - offset) / site.buffer; // buffer n begins at n times this
	size_t base = 0;

	if (!found.second)
		return found.first->second;
	for (size_t i = 1; local && i < site.buffer; i++) {
		const oclgrind::Memory::Buffer *before = memory->getBuffer(i * step);

		base += before ? (before->size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT : 0;
	}
	const oclgrind::Memory::Buffer *array = memory->getBuffer(address - offset);

	m_out << "site " << m_next_site << ' ' << (at ? at.getLine() : 0) << ' '
	      << (at ? at.getCol() : 0) << ' ' << kinds[site.kind] << ' ' << op << ' '
	      << (local ? "local" : "global") << ' ' << size << ' ' << base << ' '
	      << (array ? array->size : 0)
	      << (site.kind == ATOMIC && site.instruction->use_empty() ? " unused" : "")
	      << (m_follower[item].isInLoop() ? " loop" : "") << " array "
	      << nameOf(memory, item->getWorkGroup(), site.buffer) << '\n';
	m_window.resize(m_next_site + 1);
	m_window[m_next_site] = !local && (site.kind == LOAD || site.kind == STORE);
	return m_next_site++;
}

void Pattern::access(const oclgrind::Memory *memory, const oclgrind::WorkItem *item, Kind kind,
		     const char *op, size_t address, size_t size)
{
	unsigned space = memory->getAddressSpace();

	if (!m_invocation ||
	    (space != oclgrind::AddrSpaceLocal && space != oclgrind::AddrSpaceGlobal))
		return;
	const llvm::Instruction *instruction = item->getCurrentInstruction();
	size_t lane = laneOf(item);
	Follower &follower = m_follower[item];

	follower.enter(instruction);
	unsigned site = siteOf(memory, { instruction, memory->extractBuffer(address), kind }, op,
			       item, address, size);
	std::vector<size_t> &at = m_at[{ lane / m_warp, follower.place() }];
	Access *found = nullptr;

	// An instruction may touch several arrays, or an array several times (vectors).
	for (size_t i : at) {
		Access &one = m_accesses[i];

		if (one.site == site && one.lanes[lane % m_warp] == NOWHERE) {
			found = &one;
			break;
		}
	}
	if (!found) {
		at.push_back(m_accesses.size());
		m_accesses.push_back({ site, Lanes(m_warp, NOWHERE) });
		found = &m_accesses.back();
	}
	found->lanes[lane % m_warp] = memory->extractOffset(address);
}

void Pattern::memoryAtomicLoad(const oclgrind::Memory *memory, const oclgrind::WorkItem *item,
			       oclgrind::AtomicOp op, size_t address, size_t size)
{
	static const char *const names[] = { "add", "and", "cmpxchg", "dec",  "inc", "max",
					     "min", "or",  "sub",     "xchg", "xor" };
	bool known = static_cast<size_t>(op) < sizeof(names) / sizeof(names[0]);

	access(memory, item, ATOMIC, known ? names[op] : "other", address, size);
}

// Of a compare-and-exchange this is told only where it writes.
void Pattern::memoryAtomicStore(const oclgrind::Memory *memory, const oclgrind::WorkItem *item,
				oclgrind::AtomicOp op, size_t address, size_t size)
{
	if (op == oclgrind::AtomicCmpXchg)
		access(memory, item, SWAP, "cmpxchg", address, size);
}

void Pattern::memoryLoad(const oclgrind::Memory *memory, const oclgrind::WorkItem *item,
			 size_t address, size_t size)
{
	access(memory, item, LOAD, "load", address, size);
}

void Pattern::memoryStore(const oclgrind::Memory *memory, const oclgrind::WorkItem *item,
			  size_t address, size_t size, const uint8_t *)
{
	access(memory, item, STORE, "store", address, size);
}

// The group's work-items have all come to a barrier or to the end: its accesses are whole.
void Pattern::flushGroup()
{
	for (Access &one : m_accesses) {
		if (m_window[one.site]) {
			size_t least = NOWHERE;

			for (size_t address : one.lanes)
				least = address < least ? address : least;
			for (size_t &address : one.lanes)
				if (address != NOWHERE)
					address -= least / WINDOW * WINDOW;
		}
		m_counts[{ one.site, one.lanes }]++;
	}
	m_accesses.clear();
	m_at.clear();
	if (m_counts.size() > 1 << 16)
		flushCounts();
}

void Pattern::flushCounts()
{
	for (const auto &one : m_counts) {
		if (!m_most) {
			m_left_out += one.second;
			continue;
		}
		m_most--;
		m_out << "w " << one.first.first << ' ' << one.second;
		for (size_t address : one.first.second) {
			if (address == NOWHERE)
				m_out << " -";
			else
				m_out << ' ' << address;
		}
		m_out << '\n';
	}
	m_counts.clear();
}

static Pattern *plugin;

static unsigned long number(const char *variable, unsigned long preset)
{
	const char *text = getenv(variable);

	return text && *text ? strtoul(text, nullptr, 10) : preset;
}

} // namespace lane

#define EXPORTED __attribute__((visibility("default")))

extern "C" {
EXPORTED void initializePlugins(oclgrind::Context *context)
{
	const char *path = getenv("GPULANE_PATTERN");
	unsigned long warp = lane::number("GPULANE_PATTERN_WARP", 32);

	lane::plugin = new lane::Pattern(context, path && *path ? path : "gpulane.pattern",
					 warp >= 1 && warp <= 64 ? static_cast<unsigned>(warp) : 32,
					 lane::number("GPULANE_PATTERN_MOST", 4000000));
	context->registerPlugin(lane::plugin);
}

EXPORTED void releasePlugins(oclgrind::Context *context)
{
	context->unregisterPlugin(lane::plugin);
	delete lane::plugin;
	lane::plugin = nullptr;
}
}
