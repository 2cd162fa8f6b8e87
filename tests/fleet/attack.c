// SPDX-License-Identifier: MIT
// Whoever a server of metrics may meet, all at once, until the time is over or SIGTERM comes.
//
//   attack PORT SECONDS      1,000 connections on 127.0.0.1, opened anew when they are closed: some
//   send nothing,
//                            some a byte at a time, some rubbish, some ask and do not read; prints
//                            how many it opened when all have begun, and at the end
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define CONNECTIONS 1000

static const char asks[] = "GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n";

struct one {
	int fd;
	size_t sent;
};

static uint64_t next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static int connect_to(unsigned int port)
{
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_port = htons((uint16_t)port),
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), small = 2048;

	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
	if (connect(fd, (struct sockaddr *)&to, sizeof(to)) && errno != EINPROGRESS) {
		close(fd);
		return -1;
	}
	return fd;
}

/* What this one does now; false: it has been closed. */
static int act(struct one *one, unsigned int kind, uint64_t *state)
{
	char rubbish[512], got;
	ssize_t n = 0;

	switch (kind) {
	case 0: /* hangs */
		n = recv(one->fd, &got, 1, MSG_DONTWAIT | MSG_PEEK);
		return n != 0;
	case 1: /* a byte at a time */
		n = send(one->fd, asks + one->sent % (sizeof(asks) - 3), 1, MSG_NOSIGNAL);
		one->sent++;
		break;
	case 2: /* rubbish */
		for (size_t i = 0; i < sizeof(rubbish); i++)
			rubbish[i] = (char)next(state);
		n = send(one->fd, rubbish, sizeof(rubbish), MSG_NOSIGNAL);
		break;
	default: /* asks, and takes nothing */
		if (one->sent)
			return 1;
		n = send(one->fd, asks, sizeof(asks) - 1, MSG_NOSIGNAL);
		one->sent = n > 0;
		break;
	}
	return n >= 0 || errno == EAGAIN || errno == EINPROGRESS || errno == ENOTCONN;
}

static volatile sig_atomic_t stopped;

static void on_stop(int number)
{
	(void)number;
	stopped = 1;
}

static void say(unsigned long opened)
{
	printf("%lu\n", opened);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	static struct one all[CONNECTIONS];
	const struct rlimit files = { 2048, 2048 };
	struct timespec now, pause = { .tv_nsec = 2000000 };
	unsigned long opened = 0;
	bool begun = false;
	uint64_t state = 1;
	time_t end;

	if (argc != 3)
		return 2;
	setrlimit(RLIMIT_NOFILE, &files);
	sigaction(SIGTERM, &(struct sigaction){ .sa_handler = on_stop }, NULL);
	clock_gettime(CLOCK_MONOTONIC, &now);
	end = now.tv_sec + atoi(argv[2]);
	for (int i = 0; i < CONNECTIONS; i++)
		all[i].fd = -1;
	while (now.tv_sec < end && !stopped) {
		for (int i = 0; i < CONNECTIONS; i++) {
			if (all[i].fd < 0) {
				all[i] = (struct one){ .fd = connect_to(
							       (unsigned int)atoi(argv[1])) };
				opened += all[i].fd >= 0;
			}
			if (all[i].fd >= 0 && !act(&all[i], (unsigned int)i % 4, &state)) {
				close(all[i].fd);
				all[i].fd = -1;
			}
		}
		if (!begun && opened >= CONNECTIONS)
			say(opened);
		begun = opened >= CONNECTIONS;
		nanosleep(&pause, NULL);
		clock_gettime(CLOCK_MONOTONIC, &now);
	}
	say(opened);
	return 0;
}
