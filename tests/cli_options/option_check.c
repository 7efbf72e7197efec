/* SPDX-License-Identifier: MIT
 * The table tested by itself. Every mistake here is one of ours, so the messages are for us. */
#include "option_check.h"
#include "buf.h"
#include <ctype.h>
#include <math.h>
#include <string.h>

#define WRONG(...) return err_set(err, TARE_INVALID, __VA_ARGS__)

enum { NAME_MAX_LEN = 22 }; /* leaves room in messages that name several options */

static size_t field_bytes(const struct option *o)
{
    switch (o->type) {
    case OPTION_FLAG:
        return sizeof(bool);
    case OPTION_COUNT:
    case OPTION_INT:
    case OPTION_CHOICE:
        return sizeof(int);
    case OPTION_UINT64:
    case OPTION_DURATION:
    case OPTION_SIZE:
        return sizeof(int64_t);
    case OPTION_NUMBER:
    case OPTION_PERCENT:
        return sizeof(double);
    case OPTION_MARGIN:
        return sizeof(struct option_margin);
    case OPTION_TEXT:
    case OPTION_FILE:
    case OPTION_DIRECTORY:
    case OPTION_WORD:
        return sizeof(const char *);
    case OPTION_CODES:
        return sizeof(struct option_codes);
    case OPTION_LIST:
        return sizeof(struct option_list);
    case OPTION_HELP:
    case OPTION_HELP_ALL:
    case OPTION_VERSION:
        return 0;
    }
    return 0;
}

static enum tare_status check_name(const struct option *o, struct tare_err *err)
{
    if (!o->name && !o->letter)
        WRONG("an option of group '%s' has neither name nor letter", o->group ? o->group : "?");
    if (o->letter && !isalpha((unsigned char)o->letter))
        WRONG("letter '%c' is none", o->letter);
    if (o->name && (!islower((unsigned char)*o->name) || o->name[strspn(o->name, "abcdefghijklmnopqrstuvwxyz-")]))
        WRONG("name '%s' is not lower case with dashes", o->name);
    if (o->name && strlen(o->name) > NAME_MAX_LEN)
        WRONG("name '%s' is longer than %d", o->name, NAME_MAX_LEN);
    return TARE_OK;
}

static int count_words(const char *text)
{
    int n = 0;
    for (const char *p = text; p && *p; p += strspn(p, " ")) {
        p += strcspn(p, " ");
        n++;
    }
    return n;
}

static enum tare_status check_texts(const struct option *o, struct tare_err *err)
{
    size_t len = o->help ? strlen(o->help) : 0;
    if (!o->group || !*o->group)
        WRONG("no group");
    if (len == 0 || o->help[len - 1] != '.')
        WRONG("the help is missing or does not end a sentence");
    if (o->detail && o->detail[strlen(o->detail) - 1] != '.')
        WRONG("the detail does not end a sentence");
    int args = o->arg ? count_words(o->arg) : 0, words = option_may_take_value(o) ? 1 : option_words(o);
    if (args != words)
        WRONG("%d words are read, and '%s' names %d", words, o->arg ? o->arg : "", args);
    bool chooses = o->type == OPTION_WORD || o->type == OPTION_CHOICE;
    if (chooses && count_words(o->choices) < 2)
        WRONG("nothing to choose from");
    return TARE_OK;
}

static enum tare_status check_default(const struct option *o, struct tare_err *err)
{
    union {
        int whole;
        int64_t ns;
        double real;
        const char *text;
        struct option_margin margin;
    } field = {0};
    bool lists = o->type == OPTION_LIST || o->type == OPTION_CODES || option_words(o) == 0;
    if (o->preset && lists)
        WRONG("this type cannot have a default");
    if (o->preset && option_value_set(o, o->preset, &field, NULL, err))
        return TARE_INVALID;
    bool leaves_away = o->type == OPTION_INT || o->type == OPTION_TEXT;
    if (o->bare && (!leaves_away || option_value_set(o, o->bare, &field, NULL, err)))
        WRONG("only a whole number or a text may be left away, and what stands for it must be valid");
    if (o->preset && o->absent != 0)
        WRONG("both a default and a value for absent");
    if (isnan(o->absent) && o->type != OPTION_PERCENT && o->type != OPTION_NUMBER)
        WRONG("absent is NaN, which this type cannot hold");
    return TARE_OK;
}

static enum tare_status check_limits(const struct option *o, struct tare_err *err)
{
    bool number = o->type == OPTION_INT || o->type == OPTION_NUMBER || o->type == OPTION_PERCENT || o->type == OPTION_DURATION ||
                  o->type == OPTION_SIZE;
    if ((o->min != 0 || o->max != 0) && !number)
        WRONG("limits on what is no number");
    if (number && !(o->max > o->min))
        WRONG("no limits, or none that leave something");
    if (o->type == OPTION_INT && (o->min < -2147483647. || o->max > 2147483647.))
        WRONG("limits past an int");
    return TARE_OK;
}

/* One option by itself. */
static enum tare_status check_one(const struct option_set *set, const struct option *o, struct tare_err *err)
{
    enum tare_status s = check_name(o, err);
    s = s ? s : check_texts(o, err);
    s = s ? s : check_limits(o, err);
    s = s ? s : check_default(o, err);
    size_t bytes = field_bytes(o);
    if (s == TARE_OK && bytes && (o->offset < sizeof(struct option_base) || o->offset + bytes > set->size))
        WRONG("the field lies outside the struct");
    return s;
}

static enum tare_status check_pair(const struct option *o, const struct option *other, struct tare_err *err)
{
    if (o->name && other->name && !strcmp(o->name, other->name))
        WRONG("the name is there twice");
    if (o->letter && o->letter == other->letter)
        WRONG("the letter -%c is there twice", o->letter);
    size_t a = field_bytes(o), b = field_bytes(other);
    if (a && b && o->offset < other->offset + b && other->offset < o->offset + a)
        WRONG("shares its field with --%s", other->name ? other->name : "?");
    return TARE_OK;
}

/* A group that began, ended and begins again would have two headings. */
static bool group_scattered(const struct option_set *set, int index)
{
    const struct option *o = &set->items[index];
    if (index == 0 || !strcmp(set->items[index - 1].group, o->group))
        return false;
    for (int i = 0; i < index; i++)
        if (!strcmp(set->items[i].group, o->group))
            return true;
    return false;
}

enum tare_status option_set_check(const struct option_set *set, struct tare_err *err)
{
    if (set->n > OPTIONS_MAX)
        WRONG("%d options, room for %d", set->n, (int)OPTIONS_MAX);
    for (int i = 0; i < set->n; i++) {
        const struct option *o = &set->items[i];
        enum tare_status s = check_one(set, o, err);
        for (int j = 0; j < i && s == TARE_OK; j++)
            s = check_pair(o, &set->items[j], err);
        if (s == TARE_OK && group_scattered(set, i))
            s = err_set(err, TARE_INVALID, "the group '%s' is scattered", o->group);
        if (s) {
            err_prefix(err, o->name ? o->name : "an option without name");
            return s;
        }
    }
    return TARE_OK;
}
