// SPDX-License-Identifier: MIT
// liblttng-ctl, loaded when it is called first. It brings libxml2, ICU and the C++ library along:
// half of what a program that is linked with all libraries spends before it does anything. Only
// recording with LTTng, and doctor, need it.
#include <dlfcn.h>
#include <lttng/lttng.h>
#include <lttng/notification/channel.h>
#include <stddef.h>

#include "capture/lttng_session.h"

#define LIBRARY "liblttng-ctl.so.0"

/*
 * FUNCTIONS(F) calls F(result, name, parameters, arguments, without) for each function of the
 * library that is used; `without` is the result where the library is not there.
 */
/* clang-format off */
#define NO_LIBRARY (-LTTNG_ERR_UNK)
#define FUNCTIONS(F)                                                                               \
	F(int, lttng_session_daemon_alive, (void), (), NO_LIBRARY)                                 \
	F(const char *, lttng_strerror, (int code), (code), LIBRARY " is not there (install lttng-tools)") \
	F(int, lttng_list_sessions, (struct lttng_session **sessions), (sessions), NO_LIBRARY)      \
	F(struct lttng_session_descriptor *, lttng_session_descriptor_local_create,                \
	  (const char *name, const char *path), (name, path), NULL)                                \
	F(int, lttng_session_descriptor_set_trace_format,                                          \
	  (struct lttng_session_descriptor *descriptor, int format), (descriptor, format), -1)     \
	F(int, lttng_create_session_ext, (struct lttng_session_descriptor *descriptor), (descriptor), LTTNG_ERR_UNK) \
	F(int, lttng_destroy_session, (const char *name), (name), NO_LIBRARY)                       \
	F(int, lttng_destroy_session_no_wait, (const char *name), (name), NO_LIBRARY)               \
	F(int, lttng_start_tracing, (const char *name), (name), NO_LIBRARY)                         \
	F(int, lttng_stop_tracing, (const char *name), (name), NO_LIBRARY)                          \
	F(struct lttng_handle *, lttng_create_handle, (const char *name, struct lttng_domain *domain), \
	  (name, domain), NULL)                                                                    \
	F(int, lttng_list_tracepoints, (struct lttng_handle *handle, struct lttng_event **events), \
	  (handle, events), NO_LIBRARY)                                                             \
	F(int, lttng_list_channels, (struct lttng_handle *handle, struct lttng_channel **channels), \
	  (handle, channels), NO_LIBRARY)                                                           \
	F(struct lttng_channel *, lttng_channel_create, (struct lttng_domain *domain), (domain), NULL) \
	F(int, lttng_enable_channel, (struct lttng_handle *handle, struct lttng_channel *channel), \
	  (handle, channel), NO_LIBRARY)                                                            \
	F(int, lttng_channel_get_discarded_event_count,                                            \
	  (struct lttng_channel *channel, uint64_t *count), (channel, count), NO_LIBRARY)           \
	F(int, lttng_channel_get_lost_packet_count,                                                \
	  (struct lttng_channel *channel, uint64_t *count), (channel, count), NO_LIBRARY)           \
	F(int, lttng_add_context,                                                                  \
	  (struct lttng_handle *handle, struct lttng_event_context *context, const char *event,    \
	   const char *channel), (handle, context, event, channel), NO_LIBRARY)                     \
	F(struct lttng_notification_channel *, lttng_notification_channel_create,                  \
	  (struct lttng_endpoint *endpoint), (endpoint), NULL)                                     \
	F(enum lttng_notification_channel_status, lttng_notification_channel_has_pending_notification, \
	  (struct lttng_notification_channel *channel, bool *pending), (channel, pending),         \
	  LTTNG_NOTIFICATION_CHANNEL_STATUS_ERROR)                                                 \
	F(struct lttng_event *, lttng_event_create, (void), (), NULL)                              \
	F(int, lttng_enable_event,                                                                 \
	  (struct lttng_handle *handle, struct lttng_event *event, const char *channel),           \
	  (handle, event, channel), NO_LIBRARY)
#define FREEING_FUNCTIONS(F)                                                                       \
	F(lttng_session_descriptor_destroy, (struct lttng_session_descriptor *descriptor), (descriptor)) \
	F(lttng_notification_channel_destroy, (struct lttng_notification_channel *channel), (channel)) \
	F(lttng_destroy_handle, (struct lttng_handle *handle), (handle))                           \
	F(lttng_channel_destroy, (struct lttng_channel *channel), (channel))                       \
	F(lttng_event_destroy, (struct lttng_event *event), (event))
/* clang-format on */

/* The library's function of that name; NULL: there is no library, or another one. */
static void *lttng_library_function(const char *name)
{
	static void *library;
	static int is_missing;

	if (!library && !is_missing)
		library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	is_missing = !library;
	return library ? dlsym(library, name) : NULL;
}

struct lttng_endpoint *capture_lttng_endpoint(void)
{
	struct lttng_endpoint **endpoint =
		lttng_library_function("lttng_session_daemon_notification_endpoint");

	return endpoint ? *endpoint : NULL;
}

/*
 * They are weak for the tests, which have some of their own. In C they have names of ours: the
 * headers of LTTng 2.16 declare some of them with const where those of 2.13 do not, and that of the
 * trace's format is since 2.15.
 */
#define DEFINE(result, name, parameters, arguments, without)                                       \
	__attribute__((weak)) result our_##name parameters __asm__(#name);                         \
	result our_##name parameters                                                               \
	{                                                                                          \
		__typeof__(our_##name) *real =                                                     \
			(__typeof__(our_##name) *)lttng_library_function(#name);                   \
                                                                                                   \
		return real ? real arguments : (without);                                          \
	}
FUNCTIONS(DEFINE)
#undef DEFINE

#define DEFINE(name, parameters, arguments)                                                        \
	__attribute__((weak)) void our_##name parameters __asm__(#name);                           \
	void our_##name parameters                                                                 \
	{                                                                                          \
		__typeof__(our_##name) *real =                                                     \
			(__typeof__(our_##name) *)lttng_library_function(#name);                   \
                                                                                                   \
		if (real)                                                                          \
			real arguments;                                                            \
	}
FREEING_FUNCTIONS(DEFINE)
#undef DEFINE
