/* Zebra (Othello 8x8) behind the part of GTP that a referee needs: so many plies in the middle game, and with so many empty squares
   the exact score, and who wins. Without its book; it takes the time it takes.

       gcc -O3 -march=native -std=gnu89 -w -fcommon -DTEXT_BASED -I ZEBRA tools/opponents/zebra_gtp.c \
           $(ls ZEBRA/*.c | grep -v -E '/(zebra|scrzebra|booktool|practice|enddev|tune8dbs|thorop)\.c') -lz -lm -o zebra
       cd COEFFS && zebra '18 22 24'

   ZEBRA is project/src/main/jni/zebra of https://github.com/oers/reversatile, COEFFS its project/src/main/assets, where coeffs2.bin is. */

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "constant.h"
#include "display.h"
#include "game.h"
#include "globals.h"
#include "hash.h"
#include "learn.h"
#include "moves.h"
#include "myrandom.h"
#include "osfbook.h"
#include "search.h"
#include "timer.h"

/* Seconds that nothing takes. */
#define UNLIMITED 10000000

static int mover;

/* Squares are numbered by ten times the row, from 1, and the column, from 1. */
static int play(const char *text) {
    int square;
    generate_all(mover);
    if (strcmp(text, "pass") == 0) {
        if (move_count[disks_played] != 0) return 0;
        mover = OPP(mover);
        return 1;
    }
    if (strlen(text) != 2 || text[0] < 'a' || text[0] > 'h' || text[1] < '1' || text[1] > '8') return 0;
    square = 10 * (text[1] - '0') + text[0] - 'a' + 1;
    if (!valid_move(square, mover)) return 0;
    store_move(disks_played, square);
    make_move(mover, square, TRUE);
    mover = OPP(mover);
    return 1;
}

static void begin(void) {
    game_init(NULL, &mover);
    setup_hash(TRUE);
    clear_stored_game();
    reset_book_search();
}

/* The move of the side to move, as text. */
static const char *answer(int mid, int exact, int wld) {
    static char text[8];
    EvaluationType info;
    int square;
    generate_all(mover);
    if (move_count[disks_played] == 0) return "pass";
    remove_coeffs(disks_played);
    clear_panic_abort();
    start_move(UNLIMITED, 0, disks_played + 4);
    determine_move_time(UNLIMITED, 0, disks_played + 4);
    square = compute_move(mover, TRUE, UNLIMITED, 0, FALSE, FALSE, mid, exact, wld, FALSE, &info);
    sprintf(text, "%c%c", 'a' + square % 10 - 1, '0' + square / 10);
    return text;
}

int main(int argc, char **argv) {
    int mid, exact, wld;
    char line[512];
    /* It prints what it thinks: that goes to the standard error. */
    FILE *out = fdopen(dup(1), "w");
    if (argc != 2 || sscanf(argv[1], "%d %d %d", &mid, &exact, &wld) != 3 || mid < 1 || exact < 0 || wld < exact) {
        fprintf(stderr, "expected in one argument: plies, empty squares for the exact score and, no fewer, for who wins\n");
        return 2;
    }
    dup2(2, 1);
    echo = FALSE;
    display_pv = FALSE;
    global_setup(FALSE, 20);
    init_osf(FALSE);
    my_srandom(1);
    toggle_human_openings(FALSE);
    begin();
    while (fgets(line, sizeof line, stdin)) {
        char *word = strtok(line, " \t\r\n"), *first, *second, *c;
        const char *good = "", *bad = NULL;
        static char number[32];
        number[0] = 0;
        if (word && strspn(word, "0123456789") == strlen(word)) {
            strncpy(number, word, sizeof number - 1);
            word = strtok(NULL, " \t\r\n");
        }
        if (!word) continue;
        first = strtok(NULL, " \t\r\n");
        second = strtok(NULL, " \t\r\n");
        if (!strcmp(word, "protocol_version")) good = "2";
        else if (!strcmp(word, "name")) good = "Zebra";
        else if (!strcmp(word, "version")) { static char v[64]; sprintf(v, "%d %d %d", mid, exact, wld); good = v; }
        else if (!strcmp(word, "list_commands")) good = "protocol_version\nname\nversion\nboardsize\nclear_board\nkomi\nplay\ngenmove\nquit";
        else if (!strcmp(word, "boardsize")) { if (!first || strcmp(first, "8")) bad = "unacceptable size"; }
        else if (!strcmp(word, "clear_board")) begin();
        else if (!strcmp(word, "komi") || !strcmp(word, "time_settings") || !strcmp(word, "quit")) {}
        else if (!strcmp(word, "play") || !strcmp(word, "genmove")) {
            int colour = !first ? -1 : tolower(first[0]) == 'b' ? BLACKSQ : tolower(first[0]) == 'w' ? WHITESQ : -1;
            if (second) for (c = second; *c; c++) *c = tolower(*c);
            if (colour < 0) bad = "expected a colour";
            else if (colour != mover) bad = "wrong colour";
            else if (!strcmp(word, "play")) { if (!second || !play(second)) bad = "illegal move"; }
            else { good = answer(mid, exact, wld); play(good); }
        } else bad = "unknown command";
        fprintf(out, "%s%s %s\n\n", bad ? "?" : "=", number, bad ? bad : good);
        fflush(out);
        if (!strcmp(word, "quit")) break;
    }
    return 0;
}
