// SPDX-License-Identifier: MIT
// libbabeltrace2's graph for one CTF trace, driven from outside, message by message.
#include "decode/ctf_graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

/* The messages of one stream that were read and not yet looked at. */
struct lane_graph_stream {
	bt_message_iterator *iterator;
	bt_message_array_const batch;
	uint64_t count;
	uint64_t at;
	const bt_message *current; /* handed out */
	bool ended;
	struct lane_error *err; /* why it ended, not told yet */
};

struct lane_ctf_graph {
	char *path;
	bt_graph *graph;
	const bt_component_class_sink *sink_class;
	uint32_t n_streams;
	struct lane_graph_stream *streams;
	bool failed; /* the graph itself cannot go on */
};

/* The plugin that reads CTF: loaded once, and kept until the process ends. */
static const bt_plugin *ctf_plugin;

/*
 * The current thread's error as one of ours. The first cause is the deepest: the place in the
 * trace; what follows only tells through which functions it came up.
 */
static struct lane_error *take_error(const char *path, const char *what)
{
	const bt_error *error = bt_current_thread_take_error();
	struct lane_error *err;
	const char *reason, *addresses;

	if (!error)
		return lane_error("%s: %s", path, what);
	reason = bt_error_get_cause_count(error)
			 ? bt_error_cause_get_message(bt_error_borrow_cause_by_index(error, 0))
			 : "no reason is given";
	/* Behind the words stand addresses, `: NAME-addr=0x...`, which tell nobody anything. */
	addresses = strstr(reason, "-addr=");
	while (addresses && addresses > reason && *addresses != ':')
		addresses--;
	err = lane_error("%s: %s: %.*s", path, what,
			 (int)(addresses ? (size_t)(addresses - reason) : strlen(reason)), reason);
	bt_error_release(error);
	return err;
}

static bt_component_class_initialize_method_status
sink_initialize(bt_self_component_sink *self, bt_self_component_sink_configuration *configuration,
		const bt_value *params, void *data)
{
	struct lane_ctf_graph *graph = data;
	char name[24];

	(void)configuration;
	(void)params;
	bt_self_component_set_data(bt_self_component_sink_as_self_component(self), graph);
	for (uint32_t i = 0; i < graph->n_streams; i++) {
		snprintf(name, sizeof(name), "in%u", i);
		if (bt_self_component_sink_add_input_port(self, name, NULL, NULL) !=
		    BT_SELF_COMPONENT_ADD_PORT_STATUS_OK)
			return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_ERROR;
	}
	return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_OK;
}

static bt_component_class_sink_graph_is_configured_method_status
sink_configured(bt_self_component_sink *self)
{
	struct lane_ctf_graph *graph =
		bt_self_component_get_data(bt_self_component_sink_as_self_component(self));

	for (uint32_t i = 0; i < graph->n_streams; i++) {
		bt_self_component_port_input *port =
			bt_self_component_sink_borrow_input_port_by_index(self, i);
		bt_message_iterator *iterator = NULL;

		if (bt_message_iterator_create_from_sink_component(self, port, &iterator) !=
		    BT_MESSAGE_ITERATOR_CREATE_FROM_SINK_COMPONENT_STATUS_OK)
			return BT_COMPONENT_CLASS_SINK_GRAPH_IS_CONFIGURED_METHOD_STATUS_ERROR;
		graph->streams[i].iterator = iterator;
	}
	return BT_COMPONENT_CLASS_SINK_GRAPH_IS_CONFIGURED_METHOD_STATUS_OK;
}

/* Reads on in the streams whose messages are used up. Their errors stay theirs. */
static bt_component_class_sink_consume_method_status sink_consume(bt_self_component_sink *self)
{
	struct lane_ctf_graph *graph =
		bt_self_component_get_data(bt_self_component_sink_as_self_component(self));

	for (uint32_t i = 0; i < graph->n_streams; i++) {
		struct lane_graph_stream *stream = &graph->streams[i];

		if (stream->ended || stream->at < stream->count)
			continue;
		stream->at = stream->count = 0;
		switch (bt_message_iterator_next(stream->iterator, &stream->batch,
						 &stream->count)) {
		case BT_MESSAGE_ITERATOR_NEXT_STATUS_OK:
			break;
		case BT_MESSAGE_ITERATOR_NEXT_STATUS_END:
			stream->ended = true;
			break;
		case BT_MESSAGE_ITERATOR_NEXT_STATUS_AGAIN:
			break;
		default:
			stream->count = 0;
			stream->ended = true;
			stream->err = take_error(graph->path, "a stream ends here");
		}
	}
	return BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_OK;
}

static void sink_finalize(bt_self_component_sink *self)
{
	struct lane_ctf_graph *graph =
		bt_self_component_get_data(bt_self_component_sink_as_self_component(self));

	for (uint32_t i = 0; i < graph->n_streams; i++) {
		struct lane_graph_stream *stream = &graph->streams[i];

		bt_message_put_ref(stream->current);
		stream->current = NULL;
		while (stream->at < stream->count)
			bt_message_put_ref(stream->batch[stream->at++]);
		bt_message_iterator_put_ref(stream->iterator);
		stream->iterator = NULL;
		stream->ended = true;
	}
}

static struct lane_error *add_source(struct lane_ctf_graph *graph,
				     const bt_component_source **source)
{
	const bt_component_class_source *class;
	bt_value *params = bt_value_map_create();
	bt_value *inputs = NULL;
	struct lane_error *err = NULL;

	class = bt_plugin_borrow_source_component_class_by_name_const(ctf_plugin, "fs");
	if (!class)
		err = lane_error(
			"babeltrace2: its plugin ctf has no source fs (install babeltrace2)");
	else if (!params ||
		 bt_value_map_insert_empty_array_entry(params, "inputs", &inputs) !=
			 BT_VALUE_MAP_INSERT_ENTRY_STATUS_OK ||
		 bt_value_array_append_string_element(inputs, graph->path) !=
			 BT_VALUE_ARRAY_APPEND_ELEMENT_STATUS_OK)
		err = &lane_enomem;
	else if (bt_graph_add_source_component(graph->graph, class, "source", params,
					       BT_LOGGING_LEVEL_NONE,
					       source) != BT_GRAPH_ADD_COMPONENT_STATUS_OK)
		err = take_error(graph->path, "the CTF trace cannot be opened");
	bt_value_put_ref(params);
	return err;
}

static struct lane_error *add_sink(struct lane_ctf_graph *graph, const bt_component_sink **sink)
{
	bt_component_class_sink *class;

	class = bt_component_class_sink_create("gpulane", sink_consume);
	if (!class)
		return take_error(graph->path, "babeltrace2");
	graph->sink_class = class;
	if (bt_component_class_sink_set_initialize_method(class, sink_initialize) ||
	    bt_component_class_sink_set_graph_is_configured_method(class, sink_configured) ||
	    bt_component_class_sink_set_finalize_method(class, sink_finalize) ||
	    bt_graph_add_sink_component_with_initialize_method_data(
		    graph->graph, class, "gpulane", NULL, graph, BT_LOGGING_LEVEL_NONE, sink))
		return take_error(graph->path, "babeltrace2");
	return NULL;
}

static int by_name(const void *a, const void *b)
{
	const bt_port_output *const *x = a, *const *y = b;

	return strverscmp(bt_port_get_name(bt_port_output_as_port_const(*x)),
			  bt_port_get_name(bt_port_output_as_port_const(*y)));
}

/* Streams are merged in the order of their names: it must not depend on the directory's. */
static struct lane_error *connect(struct lane_ctf_graph *graph, const bt_component_source *source,
				  const bt_component_sink *sink)
{
	LANE_CLEANUP(lane_free)
	const bt_port_output **ports = calloc(graph->n_streams + 1, sizeof(bt_port_output *));

	if (!ports)
		return &lane_enomem;
	for (uint32_t i = 0; i < graph->n_streams; i++)
		ports[i] = bt_component_source_borrow_output_port_by_index_const(source, i);
	qsort(ports, graph->n_streams, sizeof(bt_port_output *), by_name);
	for (uint32_t i = 0; i < graph->n_streams; i++)
		if (bt_graph_connect_ports(
			    graph->graph, ports[i],
			    bt_component_sink_borrow_input_port_by_index_const(sink, i),
			    NULL) != BT_GRAPH_CONNECT_PORTS_STATUS_OK)
			return take_error(graph->path, "babeltrace2");
	return NULL;
}

static struct lane_error *build(struct lane_ctf_graph *graph)
{
	const bt_component_source *source;
	const bt_component_sink *sink;
	struct lane_error *err;

	if (!ctf_plugin && bt_plugin_find("ctf", BT_TRUE, BT_FALSE, BT_TRUE, BT_TRUE, BT_FALSE,
					  &ctf_plugin) != BT_PLUGIN_FIND_STATUS_OK) {
		bt_current_thread_clear_error();
		return lane_error("babeltrace2: its plugin ctf is not found (install babeltrace2)");
	}
	graph->graph = bt_graph_create(0);
	if (!graph->graph)
		return &lane_enomem;
	err = add_source(graph, &source);
	if (err)
		return err;
	graph->n_streams = (uint32_t)bt_component_source_get_output_port_count(source);
	graph->streams = calloc(graph->n_streams + 1, sizeof(*graph->streams));
	if (!graph->streams)
		return &lane_enomem;
	err = add_sink(graph, &sink);
	return err ? err : connect(graph, source, sink);
}

static void close_guard(struct lane_ctf_graph **graph)
{
	decode_graph_close(*graph);
}

struct lane_error *decode_graph_open(const char *path, struct lane_ctf_graph **result)
{
	LANE_CLEANUP(close_guard) struct lane_ctf_graph *graph = calloc(1, sizeof(*graph));
	struct lane_error *err;

	if (!graph)
		return &lane_enomem;
	graph->path = strdup(path);
	if (!graph->path)
		return &lane_enomem;
	err = build(graph);
	if (err)
		return err;
	*result = LANE_TAKE(graph);
	return NULL;
}

uint32_t decode_graph_streams(const struct lane_ctf_graph *graph)
{
	return graph->n_streams;
}

struct lane_error *decode_graph_next(struct lane_ctf_graph *graph, uint32_t index,
				     const bt_message **message)
{
	struct lane_graph_stream *stream = &graph->streams[index];

	*message = NULL;
	bt_message_put_ref(stream->current);
	stream->current = NULL;
	while (stream->at == stream->count) {
		if (stream->err)
			return LANE_TAKE(stream->err);
		if (stream->ended || graph->failed)
			return NULL;
		if (bt_graph_run_once(graph->graph) != BT_GRAPH_RUN_ONCE_STATUS_OK) {
			graph->failed = true;
			return take_error(graph->path, "the CTF trace cannot be read");
		}
	}
	*message = stream->current = stream->batch[stream->at++];
	return NULL;
}

void decode_graph_close(struct lane_ctf_graph *graph)
{
	if (!graph)
		return;
	bt_graph_put_ref(graph->graph);
	bt_component_class_sink_put_ref(graph->sink_class);
	for (uint32_t i = 0; i < graph->n_streams && graph->streams; i++)
		lane_error_free(graph->streams[i].err);
	free(graph->streams);
	free(graph->path);
	free(graph);
}
