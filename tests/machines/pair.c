// SPDX-License-Identifier: MIT
/*
 * Two hosts that talk TCP, each recorded by a tracer of its own: writes their traces as LTTng's
 * kernel tracer lays them out, and knows the line between the hosts' clocks. It shares no code with
 * gpulane.
 *
 *   pair write SEED DIR           DIR/a and DIR/b
 *   pair writes FIRST LAST DIR    DIR/SEED/a and DIR/SEED/b, for each seed
 *   pair check SEED               reads lines OWN MIN MAX; 0: whenever b's clock says OWN, it is
 *                                 ahead of a's by MIN to MAX ns
 *   pair checks                   reads lines SEED OWN MIN MAX; tells the seeds that are wrong
 *   pair mode SEED                which events the seed's traces have, and what happens in them
 *
 * What happens on the way, by the seed: segments and acknowledgements are lost, repeated after a
 * time-out or without need, doubled by the network, delivered in another order; ports are used
 * again, with other sequence numbers; the tracers begin and end at different times and lose events;
 * either of LTTng's ways of seeing packets, or both; IPv4 or IPv6; UDP and a host's traffic with
 * itself in between.
 */
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	SK_OUT,
	SK_IN,
	DEV_OUT,
	DEV_IN,
	MAX_EVENTS = 200000,
	PACKET_BYTES = 1 << 15,
};

struct seen {
	double at; /* true time, s */
	unsigned int order;
	bool in, udp;
	uint64_t sk;
	uint32_t seq, ack;
	uint8_t flags;
	uint16_t from, to, window;
};

static struct seen events[2][MAX_EVENTS];
static unsigned int n_events[2];
static uint64_t state;

static struct {
	double length, loss, repeat, doubled, reorder, delay, tail, tracer_loss;
	bool sockets, devices, v6;
	double begin[2], end[2]; /* of the recordings */
	double rate[2];		 /* of the clocks: seconds a second */
	uint64_t at_zero[2];	 /* ns, at true time 0 */
	uint64_t epoch[2];	 /* what is to be added for 1970 */
} p;

static uint64_t next(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state * 0x2545f4914f6cdd1dull;
}

static double any(void)
{
	return (double)(next() >> 11) / 9007199254740992.0;
}

static double between(double lo, double hi)
{
	return lo + any() * (hi - lo);
}

static void set_up(uint64_t seed)
{
	state = seed * 0x9e3779b97f4a7c15ull + 88172645463325252ull;
	for (int i = 0; i < 20; i++)
		next();
	p.length = pow(10, between(-0.7, 1.5));
	p.loss = any() < 0.5 ? 0 : between(0, 0.1);
	p.repeat = any() < 0.5 ? 0 : between(0, 0.1);
	p.doubled = any() < 0.7 ? 0 : between(0, 0.05);
	p.reorder = any() < 0.7 ? 0 : between(0, 0.02);
	p.delay = pow(10, between(-5, -2));
	p.tail = p.delay * between(0, 5);
	p.tracer_loss = any() < 0.5 ? 0 : between(0, 0.3);
	p.sockets = next() % 2;
	p.devices = !p.sockets || next() % 3 == 0;
	p.v6 = next() % 4 == 0;
	for (int host = 0; host < 2; host++) {
		p.begin[host] = next() % 2 ? 0 : between(0, 0.3) * p.length;
		p.end[host] = p.length + 1 - (next() % 2 ? 0 : between(0, 0.3) * p.length);
		p.rate[host] = 1 + between(-1e-4, 1e-4);
		p.at_zero[host] = (uint64_t)pow(10, between(10, 15));
		/* The hosts' idea of the time differs by up to ten seconds. */
		p.epoch[host] = 1700000000000000000ull - p.at_zero[host] + next() % 10000000000ull;
	}
}

static long double clock_of(int host, long double at)
{
	return (long double)p.at_zero[host] + at * (long double)p.rate[host] * 1e9L;
}

static void see(int host, double at, struct seen what)
{
	static unsigned int order;

	if (n_events[host] == MAX_EVENTS)
		return;
	what.at = at;
	what.order = order++;
	events[host][n_events[host]++] = what;
}

/* --- TCP --- */

struct side {
	uint32_t next; /* sequence number */
	uint32_t got;  /* acknowledged by this side */
	uint16_t port;
	uint64_t sk;
	double arrival; /* of the last packet of the other side */
};

static double delay(void)
{
	return p.delay - p.tail * log(1 - any()) * (next() % 20 ? 1 : 10);
}

/* One copy of a segment: true when it arrives. */
static bool send_copy(int from, struct side *sides, struct seen what, double at)
{
	struct side *to = &sides[!from];
	double arrival = at + delay();

	what.in = false;
	what.sk = sides[from].sk;
	see(from, at, what);
	if (any() < p.loss)
		return false;
	if (any() >= p.reorder && arrival <= to->arrival)
		arrival = to->arrival + 1e-7;
	if (arrival > to->arrival)
		to->arrival = arrival;
	what.in = true;
	what.sk = to->sk;
	see(!from, arrival, what);
	if (any() < p.doubled)
		see(!from, arrival + between(1e-6, 1e-3), what);
	return true;
}

static struct seen segment(const struct side *from, const struct side *to, uint8_t flags)
{
	return (struct seen){ .seq = from->next,
			      .ack = flags == 0x02 ? 0 : from->got,
			      .flags = flags,
			      .from = from->port,
			      .to = to->port,
			      .window = (uint16_t)next() };
}

/* A segment until it has arrived; returns when it is done with. */
static double deliver(int from, struct side *sides, struct seen what, double at)
{
	double wait = 0.2;

	for (int i = 0; i < 8; i++, at += wait, wait *= 2)
		if (send_copy(from, sides, what, at))
			break;
	while (any() < p.repeat)
		send_copy(from, sides, what, at += between(1e-4, 0.3));
	return at;
}

static void connection(double at)
{
	static uint16_t last_port;
	struct side sides[2];
	int client = (int)(next() % 2), turns = (int)(next() % 12) + 1;

	/* Now and then the same ports as the connection before. */
	if (!last_port || next() % 3)
		last_port = (uint16_t)(32768 + next() % 28000);
	for (int i = 0; i < 2; i++)
		sides[i] = (struct side){ .next = (uint32_t)next(),
					  .port = i == client ? last_port : 22,
					  .sk = 0xffff880000000000ull + next() % 1000 * 2048 };
	at = deliver(client, sides, segment(&sides[client], &sides[!client], 0x02), at);
	sides[client].next++;
	sides[!client].got = sides[client].next;
	at = deliver(!client, sides, segment(&sides[!client], &sides[client], 0x12),
		     fmax(at, sides[!client].arrival) + 1e-5);
	sides[!client].next++;
	sides[client].got = sides[!client].next;
	at = fmax(at, sides[client].arrival) + 1e-5;
	send_copy(client, sides, segment(&sides[client], &sides[!client], 0x10), at);
	for (int turn = 0; turn < turns && at < p.length; turn++) {
		int from = (int)(next() % 2), burst = (int)(next() % 8) + 1;

		at += pow(10, between(-4, -0.5)) * fmin(1, p.length);
		for (int i = 0; i < burst; i++) {
			struct seen what =
				segment(&sides[from], &sides[!from], i + 1 < burst ? 0x10 : 0x18);

			at = deliver(from, sides, what, at + between(1e-6, 5e-5));
			sides[from].next += (uint32_t)(next() % 1448 + 1);
			sides[!from].got = sides[from].next;
			/* Every other one is acknowledged, now and then twice. */
			for (uint64_t acks = next() % 2 + !(next() % 20); acks--;)
				send_copy(!from, sides, segment(&sides[!from], &sides[from], 0x10),
					  fmax(at, sides[!from].arrival) + between(1e-6, 1e-4));
		}
	}
	deliver(client, sides, segment(&sides[client], &sides[!client], 0x11), at + 1e-4);
}

static void noise(void)
{
	for (uint64_t n = next() % 40; n--;) {
		int host = (int)(next() % 2);
		double at = between(0, p.length);
		bool udp = next() % 2;
		struct seen what = { .udp = udp,
				     .seq = (uint32_t)next(),
				     .ack = (uint32_t)next(),
				     .flags = 0x10,
				     .from = (uint16_t)next(),
				     .to = (uint16_t)next() };

		see(host, at, what);
		what.in = true;
		/* What a host sends to itself it also receives. */
		see(udp ? !host : host, at + 1e-5, what);
	}
}

static int compare(const void *left, const void *right)
{
	const struct seen *a = left, *b = right;

	if (a->at != b->at)
		return a->at < b->at ? -1 : 1;
	return a->order < b->order ? -1 : 1;
}

static void simulate(void)
{
	double at = between(0, 0.05);

	for (uint64_t n = next() % 20 + 3; n--; at = between(0, p.length * 0.9))
		connection(at);
	noise();
	for (int host = 0; host < 2; host++)
		qsort(events[host], n_events[host], sizeof(**events), compare);
}

/* --- the traces --- */

#define U(bits, more)                                                                              \
	"integer { size = " #bits "; align = 8; signed = 0; encoding = none; base = 10; " more "}"
#define BE "byte_order = be; "

static const char tcp[] =
	"struct { " U(16, BE) " _source_port; " U(16, BE) " _dest_port; " U(32, BE) " _seq; " U(
		32, BE) " _ack_seq; integer { size = 4; align = 4; signed = 0; encoding = none; "
			"base = 10; byte_order = be; } _data_offset; "
			"integer { size = 3; align = 1; signed = 0; encoding = none; base = 10; "
			"byte_order = be; } _reserved; "
			"integer { size = 9; align = 1; signed = 0; encoding = none; base = 16; "
			"byte_order = be; } _flags; " U(16, BE) " _window_size; " U(
				16, BE) " _checksum; " U(16, BE) " _urg_ptr; } _tcp; ";

static const char udp[] = "struct { " U(16, BE) " _source_port; " U(16, BE) " _dest_port; " U(
	16, BE) " _len; " U(16, BE) " _check; } _udp; ";

static void write_transport(FILE *to)
{
	fprintf(to,
		"enum : " U(8, "") " { \"_unknown\" = 0, \"_tcp\" = 1, \"_udp\" = 2, \"_icmp\" = "
				   "3, } _transport_header_type; "
				   "variant <_transport_header_type> { struct { } _unknown; "
				   "%s%sstruct { " U(8,
						     BE) " _type; } _icmp; } _transport_header; ",
		tcp, udp);
}

static void write_network(FILE *to)
{
	fprintf(to,
		U(64, "") " _skbaddr; " U(32, "") " _len; string _name; enum : " U(
			8, "") " { \"_unknown\" = 0, \"_ipv4\" = 1, \"_ipv6\" = 2, } "
			       "_network_header_type; "
			       "variant <_network_header_type> { struct { } _unknown; struct { "
			       "integer { size = 4; align = 4; signed = 0; encoding = none; "
			       "base = 10; byte_order = be; } _version; "
			       "integer { size = 4; align = 4; signed = 0; encoding = none; "
			       "base = 10; byte_order = be; } _ihl; " U(8, BE) " _tos; " U(16, BE) " _tot_len; " U(16, BE) " _id; " U(
				       16,
				       BE) " _frag_off; " U(8,
							    BE) " _ttl; enum "
								": " U(8,
								       BE) " { "
									   "\"_"
									   "unkn"
									   "own"
									   "\" "
									   "= 0 "
									   "... "
									   "5, "
									   "\"_"
									   "tcp"
									   "\" "
									   "= "
									   "6, "
									   "\"_"
									   "unkn"
									   "own"
									   "\" "
									   "= 7 "
									   "... "
									   "16, "
									   "\"_"
									   "udp"
									   "\" "
									   "= "
									   "17, "
									   "\"_"
									   "unkn"
									   "own"
									   "\" "
									   "= "
									   "18 "
									   "... "
									   "255,"
									   " } "
									   "_pro"
									   "toco"
									   "l;"
									   " " U(16,
										 BE) " _checksum;"
										     " " U(8,
											   BE) " _"
											       "sad"
											       "dr["
											       "4];"
											       " " U(8,
												     BE) " _daddr[4]; ");
	write_transport(to);
	fprintf(to,
		"} _ipv4; struct { integer { size = 4; align = 4; signed = 0; encoding = none; "
		"base = 10; byte_order = be; } "
		"_version; integer { size = 4; align = 4; signed = 0; encoding = none; base = "
		"10; byte_order = be; } _prio; " U(8, BE) " _flow_lbl[3]; " U(
			16,
			BE) " _payload_len; " U(8,
						BE) " _nexthdr; " U(8,
								    BE) " _hop_limit;"
									" " U(16,
									      BE) " _"
										  "saddr"
										  "[8];"
										  " " U(16,
											BE) " _"
											    "daddr["
											    "8]; ");
	write_transport(to);
	fprintf(to, "} _ipv6; } _network_header; ");
}

static void write_metadata(const char *dir, int host, const uint8_t *uuid)
{
	static const char *const names[] = { "inet_sock_local_out", "inet_sock_local_in",
					     "net_dev_queue", "net_if_receive_skb" };
	char path[512], text[40];
	FILE *to;

	snprintf(path, sizeof(path), "%s/metadata", dir);
	to = fopen(path, "w");
	if (!to)
		exit(2);
	for (int i = 0, at = 0; i < 16; i++)
		at += sprintf(text + at, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
			      uuid[i]);
	fprintf(to,
		"/* CTF 1.8 */\n\n"
		"typealias integer { size = 8; align = 8; signed = false; } := uint8_t;\n"
		"typealias integer { size = 16; align = 8; signed = false; } := uint16_t;\n"
		"typealias integer { size = 32; align = 8; signed = false; } := uint32_t;\n"
		"typealias integer { size = 64; align = 8; signed = false; } := uint64_t;\n"
		"trace {\n\tmajor = 1;\n\tminor = 8;\n\tuuid = \"%s\";\n\tbyte_order = le;\n"
		"\tpacket.header := struct { uint32_t magic; uint8_t  uuid[16]; uint32_t "
		"stream_id; };\n};\n\n"
		"env {\n\thostname = \"host-%c\";\n\tdomain = \"kernel\";\n\tsysname = \"Linux\";\n"
		"\tkernel_release = \"6.1.0\";\n\ttracer_name = \"lttng-modules\";\n\ttracer_major "
		"= 2;\n"
		"\ttracer_minor = 13;\n\ttracer_patchlevel = 9;\n};\n\n"
		"clock {\n\tname = \"monotonic\";\n\tuuid = \"%s\";\n\tfreq = "
		"1000000000;\n\toffset = %" PRIu64 ";\n};\n\n"
		"typealias integer { size = 32; align = 8; signed = false; map = "
		"clock.monotonic.value; } := uint32_clock_monotonic_t;\n"
		"typealias integer { size = 64; align = 8; signed = false; map = "
		"clock.monotonic.value; } := uint64_clock_monotonic_t;\n"
		"struct packet_context { uint64_clock_monotonic_t timestamp_begin; "
		"uint64_clock_monotonic_t timestamp_end; "
		"uint64_t content_size; uint64_t packet_size; uint64_t packet_seq_num; uint64_t "
		"events_discarded; uint32_t cpu_id; };\n"
		"struct event_header_large {\n\tenum : uint16_t { compact = 0 ... 65534, extended "
		"= 65535 } id;\n"
		"\tvariant <id> {\n\t\tstruct { uint32_clock_monotonic_t timestamp; } compact;\n"
		"\t\tstruct { uint32_t id; uint64_clock_monotonic_t timestamp; } extended;\n\t} "
		"v;\n} align(8);\n\n"
		"stream {\n\tid = 0;\n\tevent.header := struct "
		"event_header_large;\n\tpacket.context := struct packet_context;\n};\n\n",
		text, 'a' + host, text, p.epoch[host]);
	for (int kind = 0; kind < 4; kind++) {
		if (kind < DEV_OUT ? !p.sockets : !p.devices)
			continue;
		fprintf(to,
			"event {\n\tname = \"%s\";\n\tid = %d;\n\tstream_id = 0;\n\tfields := "
			"struct { ",
			names[kind], kind);
		if (kind < DEV_OUT)
			fprintf(to,
				U(64, "") " _sk; " U(32, BE) " _seq; " U(32, BE) " _ack_seq; " U(
					16, BE) " _check; " U(16,
							      BE) " _window; " U(16,
										 BE) " _flags; ");
		else
			write_network(to);
		fprintf(to, "};\n};\n\n");
	}
	if (fclose(to))
		exit(2);
}

static uint8_t bytes[PACKET_BYTES];
static size_t at;

static void put(uint64_t value, unsigned int n, bool big)
{
	for (unsigned int i = 0; i < n; i++)
		bytes[at++] = (uint8_t)(value >> 8 * (big ? n - 1 - i : i));
}

static void put_event(int kind, const struct seen *e, uint64_t ns)
{
	put(65535, 2, false);
	put((uint64_t)kind, 4, false);
	put(ns, 8, false);
	if (kind < DEV_OUT) {
		put(e->sk, 8, false);
		put(e->seq, 4, true);
		put(e->ack, 4, true);
		put(0, 2, true);
		put(e->window, 2, true);
		put((uint64_t)e->flags << 8 | 0x08, 2, true);
		return;
	}
	put(e->sk + 64, 8, false);
	put(1500, 4, false);
	memcpy(bytes + at, "eth0", 5);
	at += 5;
	put(p.v6 ? 2 : 1, 1, false);
	if (p.v6) {
		put(0x60, 1, true);
		put(0, 3, true);
		put(1460, 2, true);
		put(e->udp ? 17 : 6, 1, true);
		put(64, 1, true);
		for (int i = 0; i < 16; i++)
			put((uint64_t)i + 1, 2, true);
	} else {
		put(0x45, 1, true);
		put(0, 1, true);
		put(1500, 2, true);
		put(7, 2, true);
		put(0, 2, true);
		put(64, 1, true);
		put(e->udp ? 17 : 6, 1, true);
		put(0, 2, true);
		put(0x0a000001, 4, true);
		put(0x0a000002, 4, true);
	}
	put(e->udp ? 2 : 1, 1, false);
	put(e->from, 2, true);
	put(e->to, 2, true);
	if (e->udp) {
		put(100, 2, true);
		put(0, 2, true);
		return;
	}
	put(e->seq, 4, true);
	put(e->ack, 4, true);
	put(8u << 12 | e->flags, 2, true);
	put(e->window, 2, true);
	put(0, 2, true);
	put(0, 2, true);
}

static void end_packet(FILE *to, const uint8_t *uuid, uint64_t begin, uint64_t end, uint64_t number,
		       uint64_t discarded)
{
	size_t content = at, size = (at + 4095) / 4096 * 4096;

	memset(bytes + content, 0, size - content);
	at = 0;
	put(0xc1fc1fc1, 4, false);
	memcpy(bytes + at, uuid, 16);
	at += 16;
	put(0, 4, false);
	put(begin, 8, false);
	put(end, 8, false);
	put(content * 8, 8, false);
	put(size * 8, 8, false);
	put(number, 8, false);
	put(discarded, 8, false);
	put(0, 4, false);
	if (fwrite(bytes, 1, size, to) != size)
		exit(2);
}

enum {
	HEAD_BYTES = 24 + 6 * 8 + 4,
	EVENT_BYTES = 160,
};

/* A recording: what the tracer loses it loses between two packets. */
static void write_stream(const char *dir, int host, const uint8_t *uuid)
{
	uint64_t begin = (uint64_t)clock_of(host, p.begin[host]), ns = begin, number = 0,
		 discarded = 0;
	unsigned int losing = 0;
	char path[512];
	FILE *to;

	snprintf(path, sizeof(path), "%s/channel0_0", dir);
	to = fopen(path, "w");
	if (!to)
		exit(2);
	at = HEAD_BYTES;
	for (unsigned int i = 0; i < n_events[host]; i++) {
		const struct seen *e = &events[host][i];

		if (e->at < p.begin[host] || e->at > p.end[host])
			continue;
		if (losing) {
			losing--;
			discarded += (uint64_t)((p.sockets && !e->udp) + p.devices);
			continue;
		}
		if (at > HEAD_BYTES &&
		    (at + 2 * EVENT_BYTES > PACKET_BYTES - 4096 || any() < p.tracer_loss / 20)) {
			end_packet(to, uuid, begin, ns, number++, discarded);
			at = HEAD_BYTES;
			if (any() < p.tracer_loss) {
				losing = (unsigned int)(next() % 30);
				i--;
				begin = ns;
				continue;
			}
			begin = (uint64_t)clock_of(host, e->at);
		}
		ns = (uint64_t)clock_of(host, e->at);
		if (p.devices && e->in)
			put_event(DEV_IN, e, ns);
		if (p.sockets && !e->udp)
			put_event(e->in ? SK_IN : SK_OUT, e, ns);
		if (p.devices && !e->in)
			put_event(DEV_OUT, e, ns);
	}
	end_packet(to, uuid, begin, ns > begin ? ns : begin, number, discarded);
	if (fclose(to))
		exit(2);
}

static void write_pair(const char *dir)
{
	for (int host = 0; host < 2; host++) {
		uint8_t uuid[16];
		char path[256];

		for (int i = 0; i < 16; i++)
			uuid[i] = (uint8_t)next();
		snprintf(path, sizeof(path), "%s/%c", dir, 'a' + host);
		mkdir(path, 0700);
		write_metadata(path, host, uuid);
		write_stream(path, host, uuid);
	}
}

/* When b's clock says `own`, a's says so much; the stamps are cut to nanoseconds. */
static bool is_within(long double own, long double lo, long double hi)
{
	long double true_time = (own - (long double)p.at_zero[1]) / ((long double)p.rate[1] * 1e9L);
	long double ahead = own - clock_of(0, true_time);

	if (ahead >= lo - 2 && ahead <= hi + 2)
		return true;
	printf("b is ahead by %.0Lf ns, not by %.0Lf to %.0Lf\n", ahead, lo, hi);
	return false;
}

/* Each line of the file, OWN MIN MAX, is right; a line that cannot be read is not. */
static bool all_within(FILE *file)
{
	long double own, min, max;
	int n;

	while ((n = fscanf(file, "%Lf %Lf %Lf", &own, &min, &max)) == 3)
		if (!is_within(own, min, max))
			return false;
	return n == EOF;
}

static void print_mode(void)
{
	printf("%s%s%s, %.1f s, loss %.3f, repeated %.3f, doubled %.3f, reordered %.3f, delay %.0f "
	       "us, tracer's loss %.2f\n",
	       p.sockets ? "sockets " : "", p.devices ? "devices " : "", p.v6 ? "IPv6" : "IPv4",
	       p.length, p.loss, p.repeat, p.doubled, p.reorder, p.delay * 1e6, p.tracer_loss);
}

/* A seed each line, together: as all_within, up to the first wrong line of each. */
static bool seeds_within(FILE *file)
{
	unsigned long long seed, set = 0, wrong = 0;
	long double own, min, max;
	bool all = true;
	int n;

	while ((n = fscanf(file, "%llu %Lf %Lf %Lf", &seed, &own, &min, &max)) == 4) {
		if (seed == wrong)
			continue;
		if (seed != set)
			set_up(seed);
		set = seed;
		if (is_within(own, min, max))
			continue;
		wrong = seed;
		all = false;
		printf("seed %llu: ", seed);
		print_mode();
	}
	return all && n == EOF;
}

/* Each in a process of its own: nothing of one seed is left for the next. */
static int write_pairs(uint64_t first, uint64_t last, const char *parent)
{
	for (uint64_t seed = first; seed <= last; seed++) {
		int status;
		pid_t child = fork();

		if (child < 0)
			return 2;
		if (!child) {
			char path[240];

			snprintf(path, sizeof(path), "%s/%" PRIu64, parent, seed);
			if (mkdir(path, 0700))
				_exit(2);
			set_up(seed);
			simulate();
			write_pair(path);
			_exit(0);
		}
		if (waitpid(child, &status, 0) != child || status)
			return 2;
	}
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "checks"))
		return !seeds_within(stdin);
	if (argc < 3)
		return 2;
	if (!strcmp(argv[1], "writes"))
		return argc == 5 ? write_pairs(strtoull(argv[2], NULL, 10),
					       strtoull(argv[3], NULL, 10), argv[4])
				 : 2;
	set_up(strtoull(argv[2], NULL, 10));
	if (!strcmp(argv[1], "write") && argc == 4) {
		simulate();
		write_pair(argv[3]);
		return 0;
	}
	if (!strcmp(argv[1], "check"))
		return !all_within(stdin);
	if (strcmp(argv[1], "mode"))
		return 2;
	print_mode();
	return 0;
}
