/* SPDX-License-Identifier: MIT
 * The years are counted from March, so that the leap day comes last and the lengths of months follow one line. */
#include "utc.h"
#include <string.h>

/* Days since 1970 to a date. */
static void civil_from_days(int64_t days, int64_t *year, int *month, int *day)
{
    days += 719468; /* to 0000-03-01 */
    int64_t era = (days >= 0 ? days : days - 146096) / 146097;
    int64_t in_era = days - era * 146097;
    int64_t year_of_era = (in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) / 365;
    int64_t in_year = in_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int64_t from_march = (5 * in_year + 2) / 153;
    *day = (int)(in_year - (153 * from_march + 2) / 5 + 1);
    *month = (int)(from_march < 10 ? from_march + 3 : from_march - 9);
    *year = year_of_era + era * 400 + (*month <= 2);
}

void utc_text(struct buf *out, int64_t utc_ns)
{
    const int64_t second = 1000000000, day_seconds = 86400;
    int64_t seconds = utc_ns / second, ns = utc_ns % second, year;
    if (ns < 0) {
        ns += second;
        seconds--;
    }
    int64_t days = seconds / day_seconds, left = seconds % day_seconds;
    if (left < 0) {
        left += day_seconds;
        days--;
    }
    int month, day;
    civil_from_days(days, &year, &month, &day);
    buf_format(out, "%04lld-%02d-%02dT%02d:%02d:%02d.%09lldZ", (long long)year, month, day, (int)(left / 3600),
               (int)(left / 60 % 60), (int)(left % 60), (long long)ns);
}

static int digits(const char *text, int n)
{
    int x = 0;
    for (int i = 0; i < n; i++) {
        if (text[i] < '0' || text[i] > '9')
            return -1;
        x = x * 10 + (text[i] - '0');
    }
    return x;
}

/* Days since 1970; month 1 to 12. */
static int64_t days_from_civil(int64_t year, int month, int day)
{
    year -= month <= 2;
    int64_t era = (year >= 0 ? year : year - 399) / 400, in_era = year - era * 400;
    int64_t in_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
    return era * 146097 + in_era * 365 + in_era / 4 - in_era / 100 + in_year - 719468;
}

static bool written_so(int64_t utc_ns, const char *text)
{
    char again[40];
    struct buf b = buf_over(again, sizeof again);
    utc_text(&b, utc_ns);
    return !strcmp(again, text);
}

int64_t utc_from_text(const char *text)
{
    static const char form[] = "dddd-dd-ddTdd:dd:dd.dddddddddZ";
    if (!text || strlen(text) != sizeof form - 1)
        return 0;
    for (size_t i = 0; form[i]; i++)
        if (form[i] == 'd' ? digits(text + i, 1) < 0 : text[i] != form[i])
            return 0;
    int year = digits(text, 4), month = digits(text + 5, 2), day = digits(text + 8, 2);
    if (year < 1677 || year > 2262 || month < 1 || month > 12 || day < 1)
        return 0;
    int64_t seconds = days_from_civil(year, month, day) * 86400 + digits(text + 11, 2) * 3600 + digits(text + 14, 2) * 60 +
                      digits(text + 17, 2);
    int64_t ns = digits(text + 20, 9);
    if (seconds < 0) { /* the earliest moment lies within a second that does not fit as a whole */
        seconds++;
        ns -= 1000000000;
    }
    if (seconds > INT64_MAX / 1000000000 || seconds < INT64_MIN / 1000000000)
        return 0;
    int64_t whole_ns = seconds * 1000000000;
    if (ns > 0 ? whole_ns > INT64_MAX - ns : whole_ns < INT64_MIN - ns)
        return 0;
    return written_so(whole_ns + ns, text) ? whole_ns + ns : 0; /* else no such day or hour */
}
