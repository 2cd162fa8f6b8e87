// SPDX-License-Identifier: MIT
// The socket of a watch: datagrams, so that nobody can hold a connection open.
#include "watch/socket.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/cleanup.h"

#define NAME	"socket"
#define WAIT_MS 5000
#define ANSWER	"taken"

/* A folder's path may be longer than an address can be. */
static void address_of(int dir_fd, struct sockaddr_un *address)
{
	*address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	snprintf(address->sun_path, sizeof(address->sun_path), "/proc/self/fd/%d/" NAME, dir_fd);
}

struct lane_error *watch_socket_listen(int dir_fd, int *fd)
{
	struct sockaddr_un address;
	mode_t mask;
	int result;

	*fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (*fd < 0)
		return lane_error_errno(errno, NAME);
	address_of(dir_fd, &address);
	unlinkat(dir_fd, NAME, 0);
	mask = umask(0177);
	result = bind(*fd, (struct sockaddr *)&address, sizeof(address));
	umask(mask);
	return result ? lane_error_errno(errno, NAME) : NULL;
}

bool watch_socket_take(int fd, char *word, size_t size)
{
	struct sockaddr_un from;
	socklen_t bytes = sizeof(from);
	ssize_t n = recvfrom(fd, word, size - 1, MSG_DONTWAIT, (struct sockaddr *)&from, &bytes);

	if (n < 0)
		return false;
	word[n] = 0;
	word[strcspn(word, "\n")] = 0;
	/* Who does not listen for the answer gets none. */
	if (bytes > sizeof(sa_family_t) &&
	    sendto(fd, ANSWER, strlen(ANSWER), MSG_DONTWAIT | MSG_NOSIGNAL,
		   (struct sockaddr *)&from, bytes) < 0)
		return true;
	return true;
}

struct lane_error *watch_socket_send(const char *path, const char *word)
{
	LANE_CLEANUP(lane_close)
	int dir_fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), fd = -1;
	struct sockaddr_un address, own = { .sun_family = AF_UNIX };
	struct pollfd answered;
	char answer[16];

	if (dir_fd < 0)
		return lane_error_errno(errno, "%s", path);
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	address_of(dir_fd, &address);
	/* The kernel gives it a name, to which the answer goes. */
	if (fd < 0 || bind(fd, (struct sockaddr *)&own, sizeof(sa_family_t)))
		return lane_error_errno(errno, "%s/" NAME, path);
	if (sendto(fd, word, strlen(word), MSG_NOSIGNAL | MSG_DONTWAIT, (struct sockaddr *)&address,
		   sizeof(address)) < 0) {
		if (errno == ECONNREFUSED || errno == ENOENT)
			return lane_error("%s: no gpulane watches there", path);
		return lane_error_errno(errno, "%s/" NAME, path);
	}
	answered = (struct pollfd){ .fd = fd, .events = POLLIN };
	if (poll(&answered, 1, WAIT_MS) != 1 || recv(fd, answer, sizeof(answer), 0) <= 0)
		return lane_error("%s: the watch there does not answer", path);
	return NULL;
}
