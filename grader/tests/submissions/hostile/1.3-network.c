// 1.3 attention_scores wrong needs-box
#include <arpa/inet.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
// BODY
    static const int families[] = {AF_INET, AF_INET6, AF_UNIX, AF_NETLINK, AF_PACKET, 40};
    static const int types[] = {SOCK_STREAM, SOCK_DGRAM, SOCK_RAW};
    int pair[2];
    for (size_t f = 0; f < sizeof families / sizeof families[0]; f++) {
        for (size_t t = 0; t < 3; t++) {
            if (socket(families[f], types[t], 0) >= 0) {
                exit(1);
            }
        }
    }
    struct addrinfo *found = NULL;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0 ||
        getaddrinfo("localhost.localdomain.invalid", "80", NULL, &found) == 0) {
        exit(1);
    }
    return LAB_OK;
