// SPDX-License-Identifier: MIT
// Buffers and GPU addresses. A virtual memory is its mappings in order; an address is found by
// halving. The program's own memory is read and written by system calls: it may be gone.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "xe.h"

bool xe_user_read(void *to, uint64_t from, size_t n)
{
	struct iovec here = { to, n }, there = { (void *)(uintptr_t)from, n };

	return n == 0 || process_vm_readv(getpid(), &here, 1, &there, 1, 0) == (ssize_t)n;
}

bool xe_user_write(uint64_t to, const void *from, size_t n)
{
	struct iovec here = { (void *)from, n }, there = { (void *)(uintptr_t)to, n };

	return n == 0 || process_vm_writev(getpid(), &here, 1, &there, 1, 0) == (ssize_t)n;
}

uint32_t xe_table_add(struct xe_table *table, void *object)
{
	uint32_t i;
	void **of;

	for (i = 0; i < table->n && table->of[i]; i++)
		;
	if (i == table->n) {
		of = realloc(table->of, (table->n * 2 + 64) * sizeof(*of));
		if (!of)
			return 0;
		memset(of + table->n, 0, (table->n + 64) * sizeof(*of));
		table->of = of;
		table->n = table->n * 2 + 64;
	}
	table->of[i] = object;
	return i + 1;
}

void *xe_table_get(const struct xe_table *table, uint32_t handle)
{
	return handle && handle <= table->n ? table->of[handle - 1] : NULL;
}

void *xe_table_take(struct xe_table *table, uint32_t handle)
{
	void *object = xe_table_get(table, handle);

	if (object)
		table->of[handle - 1] = NULL;
	return object;
}

struct xe_bo *xe_bo_create(uint64_t size, uint32_t placement)
{
	struct xe_bo *bo = calloc(1, sizeof(*bo));

	if (!bo)
		return NULL;
	bo->memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (bo->memory == MAP_FAILED) {
		free(bo);
		return NULL;
	}
	bo->refs = 1;
	bo->size = size;
	bo->placement = placement;
	return bo;
}

void xe_bo_put(struct xe_bo *bo)
{
	if (!bo || --bo->refs > 0)
		return;
	munmap(bo->memory, bo->size);
	free(bo);
}

struct xe_vm *xe_vm_create(uint32_t flags)
{
	struct xe_vm *vm = calloc(1, sizeof(*vm));

	if (vm) {
		vm->refs = 1;
		vm->flags = flags;
	}
	return vm;
}

void xe_vm_put(struct xe_vm *vm)
{
	if (--vm->refs > 0)
		return;
	for (size_t i = 0; i < vm->n; i++)
		xe_bo_put(vm->mappings[i].bo);
	free(vm->mappings);
	free(vm);
}

// The first mapping that ends after an address.
static size_t find(const struct xe_vm *vm, uint64_t address)
{
	size_t low = 0, high = vm->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (vm->mappings[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool has_room(struct xe_vm *vm, size_t more)
{
	size_t room = vm->room;
	struct xe_mapping *mappings;

	while (room < vm->n + more)
		room = room ? room * 2 : 64;
	if (room == vm->room)
		return true;
	mappings = realloc(vm->mappings, room * sizeof(*mappings));
	if (!mappings)
		return false;
	vm->mappings = mappings;
	vm->room = room;
	return true;
}

static void insert(struct xe_vm *vm, size_t at, const struct xe_mapping *mapping)
{
	memmove(vm->mappings + at + 1, vm->mappings + at, (vm->n - at) * sizeof(*mapping));
	vm->mappings[at] = *mapping;
	vm->n++;
	if (mapping->bo)
		mapping->bo->refs++;
}

static void take_out(struct xe_vm *vm, size_t at)
{
	struct xe_bo *bo = vm->mappings[at].bo;

	vm->n--;
	memmove(vm->mappings + at, vm->mappings + at + 1, (vm->n - at) * sizeof(*vm->mappings));
	xe_bo_put(bo);
}

// A mapping that is partly in the way keeps the rest, at one or both sides.
int xe_vm_unmap(struct xe_vm *vm, uint64_t start, uint64_t end)
{
	size_t i = find(vm, start);

	if (!has_room(vm, 2))
		return -ENOMEM;
	while (i < vm->n && vm->mappings[i].start < end) {
		struct xe_mapping *old = &vm->mappings[i], rest = *old;

		if (old->start < start) {
			old->end = start;
			i++;
			if (rest.end > end) {
				rest.from += end - rest.start;
				rest.start = end;
				insert(vm, i, &rest);
			}
		} else if (old->end > end) {
			old->from += end - old->start;
			old->start = end;
			i++;
		} else {
			take_out(vm, i);
		}
	}
	return 0;
}

int xe_vm_map(struct xe_vm *vm, const struct xe_mapping *mapping)
{
	if (!has_room(vm, 3) || xe_vm_unmap(vm, mapping->start, mapping->end) != 0)
		return -ENOMEM;
	insert(vm, find(vm, mapping->start), mapping);
	return 0;
}

void xe_vm_unmap_bo(struct xe_vm *vm, const struct xe_bo *bo)
{
	for (size_t i = vm->n; i-- > 0;) {
		if (vm->mappings[i].bo == bo)
			take_out(vm, i);
	}
}

// Whoever waits in the program for a word sees it whole, and all that was written before it.
static void copy(void *to, const void *from, size_t n)
{
	if (n == 4 && (uintptr_t)to % 4 == 0 && (uintptr_t)from % 4 == 0)
		__atomic_store_n((uint32_t *)to,
				 __atomic_load_n((const uint32_t *)from, __ATOMIC_ACQUIRE),
				 __ATOMIC_RELEASE);
	else if (n == 8 && (uintptr_t)to % 8 == 0 && (uintptr_t)from % 8 == 0)
		__atomic_store_n((uint64_t *)to,
				 __atomic_load_n((const uint64_t *)from, __ATOMIC_ACQUIRE),
				 __ATOMIC_RELEASE);
	else
		memmove(to, from, n);
}

// What lies at an address, and how far.
struct span {
	uint8_t *memory; // here, or
	uint64_t user;	 // in the program, or
	bool nothing;	 // nowhere: reads as 0
	size_t n;
};

static bool span_at(const struct xe_vm *vm, uint64_t address, size_t n, struct span *span)
{
	const struct xe_mapping *mapping;
	uint64_t from;
	size_t i;

	address &= (1ull << 48) - 1;
	i = find(vm, address);
	mapping = &vm->mappings[i];
	memset(span, 0, sizeof(*span));
	if (i == vm->n || mapping->start > address) {
		span->nothing = true;
		span->n = n;
		return vm->flags & DRM_XE_VM_CREATE_FLAG_SCRATCH_PAGE;
	}
	from = mapping->from + (address - mapping->start);
	span->n = mapping->end - address < n ? mapping->end - address : n;
	span->nothing = mapping->nothing;
	if (mapping->bo)
		span->memory = mapping->bo->memory + from;
	else
		span->user = from;
	return true;
}

static bool read_span(const struct span *span, void *to, size_t n)
{
	if (span->nothing)
		memset(to, 0, n);
	else if (span->memory)
		copy(to, span->memory, n);
	else
		return xe_user_read(to, span->user, n);
	return true;
}

static bool write_span(const struct span *span, const void *from, size_t n)
{
	if (span->memory)
		copy(span->memory, from, n);
	else if (!span->nothing)
		return xe_user_write(span->user, from, n);
	return true;
}

bool xe_vm_read(const struct xe_vm *vm, uint64_t address, void *to, size_t n)
{
	struct span span;

	for (size_t done = 0; done < n; done += span.n) {
		if (!span_at(vm, address + done, n - done, &span) ||
		    !read_span(&span, (uint8_t *)to + done, span.n))
			return false;
	}
	return true;
}

bool xe_vm_write(const struct xe_vm *vm, uint64_t address, const void *from, size_t n)
{
	struct span span;

	for (size_t done = 0; done < n; done += span.n) {
		if (!span_at(vm, address + done, n - done, &span) ||
		    !write_span(&span, (const uint8_t *)from + done, span.n))
			return false;
	}
	return true;
}

bool xe_vm_copy(const struct xe_vm *vm, uint64_t to, uint64_t from, uint64_t n)
{
	static uint8_t bytes[1 << 16];
	struct span source, target;
	size_t part;

	for (; n > 0; to += part, from += part, n -= part) {
		if (!span_at(vm, from, n, &source) || !span_at(vm, to, source.n, &target))
			return false;
		part = target.n;
		if (source.memory || target.memory) {
			if (!(source.memory ? write_span(&target, source.memory, part)
					    : read_span(&source, target.memory, part)))
				return false;
			continue;
		}
		part = part < sizeof(bytes) ? part : sizeof(bytes);
		if (!read_span(&source, bytes, part) || !write_span(&target, bytes, part))
			return false;
	}
	return true;
}
