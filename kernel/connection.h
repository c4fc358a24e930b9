/* connection.h - the connection file that a launcher wrote, as checked settings. */
#ifndef KERNEL_CONNECTION_H
#define KERNEL_CONNECTION_H
#include <stdbool.h>

typedef enum Socket { SOCKET_SHELL, SOCKET_CONTROL, SOCKET_STDIN, SOCKET_IOPUB, SOCKET_HEARTBEAT, SOCKETS } Socket;
extern const char *const socket_name[SOCKETS];          /* "shell" … */

typedef struct Connection {
    char *key;                          /* owned; may be empty */
    char *address[SOCKETS];             /* owned: "tcp://127.0.0.1:5000", "ipc:///tmp/k-1" */
} Connection;

/* False: `problem` (of `size` bytes) says in one line what is wrong with the file. */
bool connection_read(const char *path, Connection *connection, char *problem, int size);
void connection_free(Connection *connection);
#endif
