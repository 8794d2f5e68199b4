// The sockets of servers, which a forked child closes: whoever holds one keeps its port from others, and the other side of a
// connection from hearing of its end.
#ifndef CHTTP_KEPT_H
#define CHTTP_KEPT_H

// A socket for listening, which does not block; -1 with errno where there is none to be had.
int lvh_socket_open(int family);
// One that somebody else has opened, and the end of that: before it is closed, as another may have its number then.
void lvh_keep(int descriptor);
void lvh_forget(int descriptor);

#endif
