/* SPDX-License-Identifier: MIT
 *
 * json_write.h - JSON text into a buf: commas, escapes and numbers are right by construction.
 *
 *     struct json_write j = json_into(&b, 0);      // 0: one line; 2: indented by two
 *     json_object(&j, NULL);
 *     json_string(&j, "name", "x");                // {"name":"x","times":[0.1]}
 *     json_array(&j, "times");
 *     json_number(&j, NULL, 0.1);
 *     json_end(&j);
 *     json_end(&j);
 *
 * `key` is the key inside an object and NULL inside an array or at the top. Numbers are the shortest decimals that read
 * back to the same double; what is not finite is null. Integers beyond 2^53 become strings, because most readers hold
 * numbers as doubles. Strings are UTF-8; a byte that is not part of valid UTF-8 becomes U+FFFD.
 * Does not read JSON and does not check that a key stands once. Failures stay in the buf's status. Depth: 1 to 31.
 */
#ifndef JSON_WRITE_H
#define JSON_WRITE_H

#include "buf.h"

struct json_write {
    struct buf *out;
    int indent, depth;
    uint32_t is_array, has_items; /* one bit a level */
};

struct json_write json_into(struct buf *out, int indent);
void json_object(struct json_write *j, const char *key);
void json_array(struct json_write *j, const char *key);
void json_end(struct json_write *j); /* of the innermost object or array */

void json_null(struct json_write *j, const char *key);
void json_bool(struct json_write *j, const char *key, bool value);
void json_number(struct json_write *j, const char *key, double value);
void json_integer(struct json_write *j, const char *key, int64_t value);
void json_unsigned(struct json_write *j, const char *key, uint64_t value);
void json_string(struct json_write *j, const char *key, const char *text); /* NULL: null */
/* As json_string; when the text is not valid UTF-8, a second member "KEY_hex" holds all its bytes in hexadecimal. */
void json_bytes(struct json_write *j, const char *key, const char *text);
/* All bytes in hexadecimal; NULL: null. */
void json_hex(struct json_write *j, const char *key, const char *text);

bool utf8_valid(const char *text);

#endif
