// due.c - see due.h.

#define _GNU_SOURCE
#include "class/due.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { DAY = 24 * 60 * 60 };

// Reads two digits and advances *text. Returns false if there are none.
static bool two_digits(const char **text, int most, int *value)
{
    const char *at = *text;
    if (!isdigit((unsigned char)at[0]) || !isdigit((unsigned char)at[1])) {
        return false;
    }
    *value = (at[0] - '0') * 10 + at[1] - '0';
    *text += 2;
    return *value <= most;
}

static bool skip(const char **text, const char *one_of)
{
    if (**text == '\0' || strchr(one_of, **text) == NULL) {
        return false;
    }
    (*text)++;
    return true;
}

static bool read_day(const char **text, struct tm *time)
{
    int century, year;
    if (!two_digits(text, 99, &century) || !two_digits(text, 99, &year) ||
        !skip(text, "-") || !two_digits(text, 12, &time->tm_mon) || !skip(text, "-") ||
        !two_digits(text, 31, &time->tm_mday)) {
        return false;
    }
    time->tm_year = century * 100 + year - 1900;
    time->tm_mon -= 1;
    return time->tm_mon >= 0 && time->tm_mday >= 1;
}

// Without seconds, 23:59 means the end of the day, because platforms that show 23:59 accept
// hand-ins until then.
static bool read_clock(const char **text, struct tm *time)
{
    if (!two_digits(text, 23, &time->tm_hour) || !skip(text, ":") ||
        !two_digits(text, 59, &time->tm_min)) {
        return false;
    }
    time->tm_sec = time->tm_hour == 23 && time->tm_min == 59 ? 59 : 0;
    if (skip(text, ":") && !two_digits(text, 60, &time->tm_sec)) {
        return false;
    }
    if (skip(text, ".")) {
        while (isdigit((unsigned char)**text)) {
            (*text)++;
        }
    }
    return true;
}

// "Z", "UTC", "+01:00", "-0500": seconds east of Greenwich.
static bool read_zone(const char *text, int *east)
{
    int sign = *text == '-' ? -1 : 1, hours, minutes = 0;
    *east = 0;
    if (strcmp(text, "Z") == 0 || strcmp(text, "UTC") == 0) {
        return true;
    }
    if (!skip(&text, "+-") || !two_digits(&text, 14, &hours)) {
        return false;
    }
    skip(&text, ":");
    if (*text != '\0' && !two_digits(&text, 59, &minutes)) {
        return false;
    }
    *east = sign * (hours * 60 + minutes) * 60;
    return *text == '\0';
}

bool due_read(const char *text, int64_t *seconds)
{
    struct tm time = {.tm_hour = 23, .tm_min = 59, .tm_sec = 59, .tm_isdst = -1};
    if (!read_day(&text, &time)) {
        return false;
    }
    if (skip(&text, "T ")) {
        if (!read_clock(&text, &time)) {
            return false;
        }
        skip(&text, " ");
    }
    int day = time.tm_mday, month = time.tm_mon, east = 0;
    if (*text == '\0') {
        *seconds = mktime(&time);
    } else if (read_zone(text, &east)) {
        *seconds = timegm(&time) - east;
    } else {
        return false;
    }
    return time.tm_mday == day && time.tm_mon == month; // rejects February 31
}

void due_write(int64_t seconds, char *buffer, int size)
{
    time_t moment = (time_t)seconds;
    struct tm time;
    if (gmtime_r(&moment, &time) == NULL ||
        strftime(buffer, (size_t)size, "%Y-%m-%d %H:%M UTC", &time) == 0) {
        snprintf(buffer, (size_t)size, "%lld s", (long long)seconds);
    }
}

int64_t due_later(int64_t due, int64_t days)
{
    time_t moment = (time_t)due;
    struct tm time;
    if (localtime_r(&moment, &time) == NULL || days > INT_MAX - time.tm_mday) {
        return due + days * DAY;
    }
    time.tm_mday += (int)days;
    time.tm_isdst = -1;
    return mktime(&time);
}

int64_t due_days_late(int64_t handed_in, int64_t due)
{
    if (handed_in <= due) {
        return 0;
    }
    int64_t days = (handed_in - due + DAY - 1) / DAY; // at most one off
    if (handed_in > due_later(due, days)) {
        return days + 1;
    }
    return days > 1 && handed_in <= due_later(due, days - 1) ? days - 1 : days;
}

double due_share(int64_t days, double percent)
{
    double left = 1 - (double)days * percent / 100;
    return left > 0 ? left : 0;
}
