/* SPDX-License-Identifier: MIT
 *
 * `tare system tune --unit`: a unit of systemd that makes the same changes at each start of the machine and puts them back when it is stopped.
 *
 *     [Service]
 *     Type=oneshot
 *     RemainAfterExit=yes
 *     ExecStart=/usr/bin/tare system tune -q --cpus 3
 *     ExecStop=/usr/bin/tare system reset -q
 */
#include "plat.h"
#include "system_report.h"
#include <string.h>

/* By the rules of systemd.syntax(7): % and $ are doubled, what is no plain word stands in quotes. */
static void put_word(struct buf *out, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/-_.,=:+@";
    bool quoted = !*word || word[strspn(word, plain)];
    buf_str(out, quoted ? "\"" : "");
    for (; *word; word++) {
        if (*word == '"' || *word == '\\')
            buf_char(out, '\\');
        if (*word == '%' || *word == '$')
            buf_char(out, *word);
        buf_char(out, *word);
    }
    buf_str(out, quoted ? "\"" : "");
}

/* Where this program is; systemd wants the whole path. */
static enum tare_status own_path(const struct cli *cli, struct buf *path, struct tare_err *err)
{
    struct buf found = BUF_INIT(1 << 16);
    enum tare_status status = plat_find_program(cli->argv[0], plat_environment(), NULL, &found, err);
    const char *folder = plat_getenv("PWD"), *text = buf_text(&found);
    if (!status && *text != '/' && folder)
        buf_format(path, "%s/", folder);
    if (!status)
        buf_str(path, text);
    buf_finish(&found);
    return status;
}

enum tare_status system_unit(const struct cli *cli, struct buf *out, struct tare_err *err)
{
    struct buf path = BUF_INIT(1 << 16);
    enum tare_status status = own_path(cli, &path, err);
    buf_str(out, "# tare system tune --unit: save as /etc/systemd/system/tare-tune.service, then\n"
                 "# systemctl enable --now tare-tune\n"
                 "[Unit]\nDescription=Quiet this machine for measuring\nAfter=multi-user.target\n\n"
                 "[Service]\nType=oneshot\nRemainAfterExit=yes\nExecStart=");
    put_word(out, buf_text(&path));
    buf_str(out, " system tune -q");
    for (int i = 1; i < cli->argc; i++)
        if (strcmp(cli->argv[i], "--unit") && strcmp(cli->argv[i], "system") && strcmp(cli->argv[i], "tune")) {
            buf_char(out, ' ');
            put_word(out, cli->argv[i]);
        }
    buf_str(out, "\nExecStop=");
    put_word(out, buf_text(&path));
    buf_str(out, " system reset -q\n\n[Install]\nWantedBy=multi-user.target\n");
    buf_finish(&path);
    return status;
}
