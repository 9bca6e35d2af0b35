// Egaroucid's web engine (Othello 8x8) behind the part of GTP that a referee needs. Of its level it takes the time it takes.
//
//     g++ -std=c++17 -O3 -march=native -I EGAROUCID/src tools/opponents/egaroucid_gtp.cpp -o egaroucid -pthread
//     ./egaroucid LEVEL
//
// EGAROUCID is a checkout of https://github.com/Nyanyan/Egaroucid; its opening book is not used.

#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>

// It is written for WebAssembly, where both are one type.
static inline uint64_t max(unsigned long long a, unsigned long b) { return a > b ? a : b; }

#include "web/ai.hpp"

struct Game {
    Board board;
    int mover = BLACK;

    Game() { clear(); }

    void clear() {
        board.reset();
        mover = BLACK;
    }

    void pass() {
        board.pass();
        mover = 1 - mover;
    }

    // Squares are counted from h8 here.
    bool play(const std::string &move) {
        if (move == "pass") {
            if (board.get_legal() != 0) return false;
            pass();
            return true;
        }
        if (move.size() != 2 || move[0] < 'a' || move[0] > 'h' || move[1] < '1' || move[1] > '8') return false;
        int square = HW2_M1 - ((move[1] - '1') * HW + (move[0] - 'a'));
        if (!(board.get_legal() >> square & 1)) return false;
        Flip flip;
        calc_flip(&flip, &board, (uint_fast8_t)square);
        board.move_board(&flip);
        mover = 1 - mover;
        return true;
    }
};

static int colour(const std::string &word) {
    if (word == "b" || word == "black" || word == "B") return BLACK;
    if (word == "w" || word == "white" || word == "W") return WHITE;
    return -1;
}

int main(int argc, char **argv) {
    int level = argc > 1 ? std::atoi(argv[1]) : 10;
    if (level < 0 || level >= N_LEVEL) {
        std::cerr << "levels are 0 to " << N_LEVEL - 1 << std::endl;
        return 2;
    }
    std::ostream out(std::cout.rdbuf());
    std::cout.rdbuf(std::cerr.rdbuf());
    board_init();
    mobility_init();
    stability_init();
    parent_transpose_table.first_init();
    child_transpose_table.first_init();
    evaluate_init();
    Game game;
    std::string line;
    while (std::getline(std::cin, line)) {
        std::istringstream words(line);
        std::string number, command, first, second;
        words >> command;
        if (!command.empty() && command.find_first_not_of("0123456789") == std::string::npos) {
            number = command;
            command.clear();
            words >> command;
        }
        words >> first >> second;
        if (command.empty()) continue;
        std::string good, bad;
        if (command == "protocol_version") good = "2";
        else if (command == "name") good = "Egaroucid for Web";
        else if (command == "version") good = "level " + std::to_string(level);
        else if (command == "list_commands") good = "protocol_version\nname\nversion\nboardsize\nclear_board\nkomi\nplay\ngenmove\nquit";
        else if (command == "boardsize") { if (first != "8") bad = "unacceptable size"; }
        else if (command == "clear_board") game.clear();
        else if (command == "komi" || command == "time_settings" || command == "quit") {}
        else if (command == "play" || command == "genmove") {
            int player = colour(first);
            for (char &c : second) c = (char)std::tolower(c);
            if (player < 0) bad = "expected a colour";
            else if (player != game.mover) bad = "wrong colour";
            else if (command == "play") { if (!game.play(second)) bad = "illegal move"; }
            else if (game.board.get_legal() == 0) { good = "pass"; game.play(good); }
            else { good = idx_to_coord(ai(game.board, level, false, false, false).policy); game.play(good); }
        } else bad = "unknown command";
        out << (bad.empty() ? "=" : "?") << number << " " << (bad.empty() ? good : bad) << "\n\n" << std::flush;
        if (command == "quit") break;
    }
    return 0;
}
