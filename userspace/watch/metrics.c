// SPDX-License-Identifier: MIT
// A server for scrapers that never waits for one.
#include "watch/metrics.h"

#include <errno.h>
#include <netdb.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "watch/http.h"

#define HEAD_BYTES 256
/* So many events are looked at in one call: who is called has something else to do. */
#define EVENTS 64
/* So much is read behind a request, and so long, until the other end has closed. */
#define LINGER_BYTES 65536
#define LINGER_NS    1000000000ull
/* When no connection can be taken, nobody looks for this time. */
#define PAUSE_NS 20000000ull
/* A connection is not given up for another one before it had this time to ask, or, while it is
 * being answered, to take something. */
#define ASK_NS	50000000ull
#define TAKE_NS 500000000ull
/* So many may wait to be taken: who is honest waits behind them, and need not come again. */
#define BACKLOG 1024

/* An answer that several connections may be taking. */
struct page {
	char *text;
	size_t bytes;
	unsigned int users;
	uint64_t made_ns;
};

enum state {
	READING,
	ANSWERING,
	LINGERING
};

struct connection {
	int fd; /* -1: the place is free */
	enum state state;
	uint64_t until_ns;
	uint64_t since_ns; /* it is there; ANSWERING: it has last taken something */
	char request[LANE_HTTP_BYTES];
	size_t n_request;
	char head[HEAD_BYTES];
	size_t n_head, sent, read_after;
	struct page *page; /* NULL: the answer is its head only */
};

struct lane_metrics {
	int listen_fd, epoll_fd;
	unsigned int port;
	bool is_paused;
	uint64_t paused_ns;
	lane_metrics_page_fn *make;
	void *arg;
	struct page *page; /* the last one */
	uint64_t answered, dropped;
	struct connection connections[LANE_METRICS_CONNECTIONS];
};

/* Cuts `[HOST:]PORT` in two; false: it is none. */
static bool metrics_split(const char *address, char *host, size_t size, const char **port)
{
	const char *colon = strrchr(address, ':'), *from = address;
	size_t n = colon ? (size_t)(colon - address) : 0;

	*port = colon ? colon + 1 : address;
	if (!**port || strspn(*port, "0123456789") != strlen(*port))
		return false;
	if (n && address[0] == '[' && address[n - 1] == ']') {
		from++;
		n -= 2;
	} else if (n && memchr(address, ':', n)) {
		return false;
	}
	if ((colon && !n) || n >= size)
		return false;
	if (!colon)
		return snprintf(host, size, "127.0.0.1") > 0;
	memcpy(host, from, n);
	host[n] = 0;
	return true;
}

static struct lane_error *listen_on(struct lane_metrics *metrics, const char *address)
{
	const struct addrinfo hints = { .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE,
					.ai_socktype = SOCK_STREAM };
	struct sockaddr_storage bound;
	socklen_t bytes = sizeof(bound);
	struct addrinfo *found = NULL;
	char host[64], service[8];
	const char *port;
	int one = 1, failed;

	if (!metrics_split(address, host, sizeof(host), &port) ||
	    getaddrinfo(host, port, &hints, &found) || strtoul(port, NULL, 10) > 65535) {
		if (found)
			freeaddrinfo(found);
		return lane_error_usage("--metrics %s: not [HOST:]PORT, HOST being a number "
					"(as 9477 or 127.0.0.1:9477 or [::1]:9477)",
					address);
	}
	metrics->listen_fd =
		socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	failed = metrics->listen_fd < 0 ||
		 setsockopt(metrics->listen_fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) ||
		 bind(metrics->listen_fd, found->ai_addr, found->ai_addrlen) ||
		 listen(metrics->listen_fd, BACKLOG) ||
		 getsockname(metrics->listen_fd, (struct sockaddr *)&bound, &bytes);
	freeaddrinfo(found);
	if (failed)
		return lane_error_errno(errno, "--metrics %s", address);
	if (getnameinfo((struct sockaddr *)&bound, bytes, NULL, 0, service, sizeof(service),
			NI_NUMERICSERV))
		return lane_error("--metrics %s: no port", address);
	metrics->port = (unsigned int)strtoul(service, NULL, 10);
	return NULL;
}

static int watch_fd(struct lane_metrics *metrics, int op, int fd, uint32_t events, void *what)
{
	struct epoll_event event = { .events = events, .data.ptr = what };

	return epoll_ctl(metrics->epoll_fd, op, fd, &event);
}

struct lane_error *watch_metrics_open(const char *address, lane_metrics_page_fn *page, void *arg,
				      struct lane_metrics **metrics)
{
	struct lane_metrics *m = calloc(1, sizeof(*m));
	struct lane_error *err;

	if (!m)
		return &lane_enomem;
	for (unsigned int i = 0; i < LANE_METRICS_CONNECTIONS; i++)
		m->connections[i].fd = -1;
	m->make = page;
	m->arg = arg;
	m->listen_fd = -1;
	m->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	err = m->epoll_fd < 0 ? lane_error_errno(errno, "epoll") : listen_on(m, address);
	if (!err && watch_fd(m, EPOLL_CTL_ADD, m->listen_fd, EPOLLIN, NULL))
		err = lane_error_errno(errno, "epoll");
	if (err) {
		watch_metrics_close(m);
		return err;
	}
	*metrics = m;
	return NULL;
}

static void leave_page(struct page *page)
{
	if (!page || --page->users)
		return;
	free(page->text);
	free(page);
}

/* The page as it is now, made anew when the last one is too old; NULL: no memory. */
static struct page *take_page(struct lane_metrics *metrics, uint64_t now_ns)
{
	struct page *page = metrics->page;

	if (!page || now_ns - page->made_ns >= LANE_METRICS_PAGE_NS) {
		page = calloc(1, sizeof(*page));
		if (!page)
			return NULL;
		page->text = metrics->make(metrics->arg, &page->bytes);
		page->made_ns = now_ns;
		page->users = 1;
		if (!page->text) {
			free(page);
			return NULL;
		}
		leave_page(metrics->page);
		metrics->page = page;
	}
	page->users++;
	return page;
}

static void disconnect(struct connection *c)
{
	leave_page(c->page);
	c->page = NULL;
	/* A fork of the process may have the socket, too: closing it would tell the other end
	 * nothing. */
	shutdown(c->fd, SHUT_RDWR);
	close(c->fd);
	c->fd = -1;
}

void watch_metrics_close(struct lane_metrics *metrics)
{
	if (!metrics)
		return;
	for (unsigned int i = 0; i < LANE_METRICS_CONNECTIONS; i++)
		if (metrics->connections[i].fd >= 0)
			disconnect(&metrics->connections[i]);
	leave_page(metrics->page);
	if (metrics->listen_fd >= 0)
		close(metrics->listen_fd);
	if (metrics->epoll_fd >= 0)
		close(metrics->epoll_fd);
	free(metrics);
}

static void metrics_drop(struct lane_metrics *metrics, struct connection *c)
{
	metrics->dropped++;
	disconnect(c);
}

/* Whether it may be given up for another one: it has had its time to ask, or to take something. */
static bool is_idle(const struct connection *c, uint64_t now_ns)
{
	return now_ns - c->since_ns >= (c->state == ANSWERING ? TAKE_NS : ASK_NS);
}

/*
 * A free place. Without one, that of whoever has been asking for longest; when all are being
 * answered, of the one that has taken nothing for longest. NULL: all are at work.
 */
static struct connection *metrics_place(struct lane_metrics *metrics, uint64_t now_ns)
{
	struct connection *oldest = NULL;

	for (unsigned int i = 0; i < LANE_METRICS_CONNECTIONS; i++) {
		struct connection *c = &metrics->connections[i];

		if (c->fd < 0)
			return c;
		if (!is_idle(c, now_ns))
			continue;
		if (!oldest || (c->state != ANSWERING) > (oldest->state != ANSWERING) ||
		    ((c->state != ANSWERING) == (oldest->state != ANSWERING) &&
		     c->since_ns < oldest->since_ns))
			oldest = c;
	}
	return oldest;
}

static const char *reason(enum lane_http asked)
{
	switch (asked) {
	case LANE_HTTP_GET:
	case LANE_HTTP_HEAD:
		return "200 OK";
	case LANE_HTTP_NOT_FOUND:
		return "404 Not Found";
	case LANE_HTTP_METHOD:
		return "405 Method Not Allowed";
	case LANE_HTTP_TOO_LARGE:
		return "431 Request Header Fields Too Large";
	case LANE_HTTP_VERSION:
		return "505 HTTP Version Not Supported";
	default:
		return "400 Bad Request";
	}
}

static void metrics_answer(struct lane_metrics *metrics, struct connection *c, enum lane_http asked,
			   uint64_t now_ns)
{
	bool is_page = asked == LANE_HTTP_GET || asked == LANE_HTTP_HEAD;
	const char *status = reason(asked);

	if (is_page) {
		c->page = take_page(metrics, now_ns);
		if (!c->page)
			status = "503 Service Unavailable";
	}
	c->n_head =
		(size_t)snprintf(c->head, sizeof(c->head),
				 "HTTP/1.1 %s\r\n%sContent-Type: text/plain; version=0.0.4; "
				 "charset=utf-8\r\nContent-Length: %zu\r\n"
				 "Cache-Control: no-store\r\nConnection: close\r\n\r\n",
				 status, asked == LANE_HTTP_METHOD ? "Allow: GET, HEAD\r\n" : "",
				 c->page ? c->page->bytes : 0);
	if (asked == LANE_HTTP_HEAD) {
		leave_page(c->page);
		c->page = NULL;
	}
	metrics->answered += is_page;
	c->state = ANSWERING;
	c->sent = 0;
	c->until_ns = now_ns + LANE_METRICS_ANSWER_NS;
}

/* Sends what can be sent; false: the other end has gone. */
static bool send_some(struct connection *c)
{
	size_t page = c->page ? c->page->bytes : 0;

	while (c->sent < c->n_head + page) {
		bool is_head = c->sent < c->n_head;
		const char *from =
			is_head ? c->head + c->sent : c->page->text + (c->sent - c->n_head);
		size_t n = is_head ? c->n_head - c->sent : c->n_head + page - c->sent;
		ssize_t sent = send(c->fd, from, n,
				    MSG_NOSIGNAL | MSG_DONTWAIT | (is_head && page ? MSG_MORE : 0));

		if (sent < 0)
			return errno == EAGAIN || errno == EINTR;
		c->sent += (size_t)sent;
	}
	return true;
}

/*
 * What the other end sends behind its request is read, or the kernel would tell it of an error
 * before it has read the answer.
 */
static void linger(struct connection *c, uint64_t now_ns)
{
	leave_page(c->page);
	c->page = NULL;
	shutdown(c->fd, SHUT_WR);
	c->state = LINGERING;
	c->read_after = 0;
	c->until_ns = now_ns + LINGER_NS;
}

static void go_on_answering(struct lane_metrics *metrics, struct connection *c, uint64_t now_ns)
{
	size_t before = c->sent;

	if (!send_some(c)) {
		disconnect(c);
		return;
	}
	if (c->sent > before)
		c->since_ns = now_ns;
	if (c->sent == c->n_head + (c->page ? c->page->bytes : 0))
		linger(c, now_ns);
	if (watch_fd(metrics, EPOLL_CTL_MOD, c->fd, c->state == ANSWERING ? EPOLLOUT : EPOLLIN, c))
		disconnect(c);
}

static void go_on_reading(struct lane_metrics *metrics, struct connection *c, uint64_t now_ns)
{
	ssize_t n = recv(c->fd, c->request + c->n_request, sizeof(c->request) - c->n_request,
			 MSG_DONTWAIT);
	enum lane_http asked;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		disconnect(c);
		return;
	}
	c->n_request += (size_t)n;
	asked = watch_http_read(c->request, c->n_request);
	if (asked == LANE_HTTP_MORE)
		return;
	metrics_answer(metrics, c, asked, now_ns);
	go_on_answering(metrics, c, now_ns);
}

static void go_on_lingering(struct connection *c)
{
	char rest[4096];
	ssize_t n = recv(c->fd, rest, sizeof(rest), MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n > 0)
		c->read_after += (size_t)n;
	if (n <= 0 || c->read_after > LINGER_BYTES)
		disconnect(c);
}

static void metrics_go_on(struct lane_metrics *metrics, struct connection *c, uint64_t now_ns)
{
	if (c->state == READING)
		go_on_reading(metrics, c, now_ns);
	else if (c->state == ANSWERING)
		go_on_answering(metrics, c, now_ns);
	else
		go_on_lingering(c);
}

static void pause_listening(struct lane_metrics *metrics, uint64_t now_ns)
{
	if (!watch_fd(metrics, EPOLL_CTL_MOD, metrics->listen_fd, 0, NULL)) {
		metrics->is_paused = true;
		metrics->paused_ns = now_ns;
	}
}

static void take_connections(struct lane_metrics *metrics, uint64_t now_ns)
{
	for (int i = 0; i < EVENTS; i++) {
		struct connection *c = metrics_place(metrics, now_ns);
		int fd = -1;

		if (c)
			fd = accept4(metrics->listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
		else
			errno = EMFILE;
		if (fd < 0) {
			if (errno != EAGAIN && errno != ECONNABORTED && errno != EINTR)
				pause_listening(metrics, now_ns);
			return;
		}
		if (c->fd >= 0)
			metrics_drop(metrics, c);
		*c = (struct connection){ .fd = fd,
					  .since_ns = now_ns,
					  .until_ns = now_ns + LANE_METRICS_REQUEST_NS };
		if (watch_fd(metrics, EPOLL_CTL_ADD, fd, EPOLLIN, c))
			metrics_drop(metrics, c);
		else
			metrics_go_on(metrics, c, now_ns);
	}
}

void watch_metrics_run(struct lane_metrics *metrics, uint64_t now_ns)
{
	struct epoll_event events[EVENTS];
	bool more = false;
	int n;

	for (unsigned int i = 0; i < LANE_METRICS_CONNECTIONS; i++)
		if (metrics->connections[i].fd >= 0 && metrics->connections[i].until_ns <= now_ns)
			metrics_drop(metrics, &metrics->connections[i]);
	if (metrics->is_paused && now_ns - metrics->paused_ns >= PAUSE_NS)
		metrics->is_paused =
			watch_fd(metrics, EPOLL_CTL_MOD, metrics->listen_fd, EPOLLIN, NULL) != 0;
	n = epoll_wait(metrics->epoll_fd, events, EVENTS, 0);
	/* Those that are there come before those that want to be: these may take their places. */
	for (int i = 0; i < n; i++) {
		struct connection *c = events[i].data.ptr;

		if (!c)
			more = true;
		else if (c->fd >= 0)
			metrics_go_on(metrics, c, now_ns);
	}
	if (more)
		take_connections(metrics, now_ns);
}

int watch_metrics_fd(const struct lane_metrics *metrics)
{
	return metrics->epoll_fd;
}

unsigned int watch_metrics_port(const struct lane_metrics *metrics)
{
	return metrics->port;
}

void watch_metrics_figures(const struct lane_metrics *metrics, uint64_t *answered,
			   uint64_t *dropped)
{
	*answered = metrics->answered;
	*dropped = metrics->dropped;
}
