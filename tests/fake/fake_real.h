/* SPDX-License-Identifier: MIT
 *
 * fake_real.h - the real files beneath the fake ones: what posix/ calls plat_file_write is part of the fake platform under the
 * name real_file_write, and so on (CMakeLists.txt renames them). Contracts: plat.h.
 */
#ifndef FAKE_REAL_H
#define FAKE_REAL_H

#include "plat.h"
#include "plat_setting.h"

struct plat_state;
struct real_file;

enum tare_status real_file_create(struct real_file **out, const char *path, enum plat_file_mode mode, struct tare_err *err);
enum tare_status real_file_write(struct real_file *f, const void *bytes, size_t n, struct tare_err *err);
enum tare_status real_file_cut(struct real_file *f, int64_t bytes, struct tare_err *err);
enum tare_status real_file_settle(struct real_file *f, struct tare_err *err);
enum tare_status real_file_settle_both(struct real_file *f, struct real_file *beside, struct tare_err *err);
bool real_file_intact(const struct real_file *f);
enum tare_status real_file_renew(struct real_file **out, const struct real_file *lost, struct tare_err *err);
enum tare_status real_file_commit(struct real_file *f, struct tare_err *err);
void real_file_abandon(struct real_file *f);
int real_open_null(void);
int real_open_input(const char *path, struct tare_err *err);
int real_open_output(const char *path, struct tare_err *err);
int real_open_scratch(struct tare_err *err);
enum tare_status real_pipe(int *read_end, int *write_end, struct tare_err *err);
void real_close(int fd);

enum tare_status real_file_read(const char *path, struct buf *out, struct tare_err *err);
enum tare_status real_input_pour(const char *path, const struct sink *sink, struct tare_err *err);
enum tare_status real_directory_list(const char *path, struct buf *names, int *n, struct tare_err *err);
enum tare_status real_setting_write(const char *path, const char *text, enum plat_setting_mode mode, int *error,
                                    struct tare_err *err);
enum tare_status real_setting_hold(const char *path, const char *text, int *fd, int *error, struct tare_err *err);
bool real_setting_there(const char *path);
bool real_setting_read_only(const char *path);
enum tare_status real_setting_folder_make(const char *path, int *error, struct tare_err *err);
enum tare_status real_setting_folder_remove(const char *path, int *error, struct tare_err *err);
enum tare_status real_state_open(struct plat_state **out, const char *folder, struct tare_err *err);
enum tare_status real_state_look(struct plat_state **out, const char *folder, struct tare_err *err);

uint64_t real_random_seed(void); /* the other way round: what posix/ asks for when it names a temporary file */

#endif
