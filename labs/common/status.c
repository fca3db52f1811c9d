// status.c - the name and message of every lab_status, from the table in status.h.

#include "common/status.h"

const char *lab_status_name(lab_status status)
{
#define NAME(name, message)                                                              \
    case name:                                                                           \
        return #name;
    switch ((int)status) {
        LAB_STATUS_TABLE(NAME)
    default:
        return "(not a lab_status)";
    }
#undef NAME
}

const char *lab_status_message(lab_status status)
{
#define MESSAGE(name, message)                                                           \
    case name:                                                                           \
        return message;
    switch ((int)status) {
        LAB_STATUS_TABLE(MESSAGE)
    default:
        return "a number that is not a lab_status was returned";
    }
#undef MESSAGE
}
