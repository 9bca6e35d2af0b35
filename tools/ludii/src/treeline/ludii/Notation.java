package treeline.ludii;

import game.Game;
import game.types.board.SiteType;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.TreeSet;
import other.action.Action;
import other.action.ActionType;
import other.context.Context;
import other.move.Move;
import other.topology.TopologyElement;

/**
 * Moves both ways between a game of Ludii and the engine's text.
 *
 * <p>Ludii counts what the engine does not: each hop of a capture in draughts is a move, and so is the pass of a side
 * that cannot move. Where a swap exchanges the players in Ludii and leaves the stone, the engine mirrors the stone and
 * leaves the players, so that afterwards every cell is mirrored and every colour exchanged.
 */
final class Notation {
    /** A move of the engine and whose it is. */
    static final class Play {
        final String colour;
        final String text;

        Play(String colour, String text) {
            this.colour = colour;
            this.text = text;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Play && toString().equals(other.toString());
        }

        @Override
        public int hashCode() {
            return toString().hashCode();
        }

        @Override
        public String toString() {
            return colour + " " + text;
        }
    }

    private static final String SWAP = "swap-pieces";

    private final String game;
    private final int size;

    Notation(Variant variant) {
        game = variant.game;
        size = variant.size;
    }

    // ---- from Ludii ----

    /** The engine's moves that lead to this position; a capture in progress is not among them. */
    List<Play> plays(Context context) {
        List<Move> moves = context.trial().generateRealMovesList();
        List<Play> plays = new ArrayList<>();
        boolean swapped = false;
        Capture capture = null;
        for (int i = 0; i < moves.size(); i++) {
            Move move = moves.get(i);
            String colour = colour(move.mover(), swapped);
            if (move.isSwap()) {
                plays.add(new Play(colour, SWAP));
                swapped = true;
            } else if (move.isPass()) {
                // The last two passes of Reversi are none in Othello: the game is over before.
                if (game.equals("othello") && i + 1 < moves.size() && !moves.get(i + 1).isPass()
                    || game.equals("othello") && i + 1 == moves.size() && canMove(context)) {
                    plays.add(new Play(colour, "pass"));
                }
            } else if (hasHops()) {
                capture = capture == null ? new Capture(move) : capture.then(move);
                if (!goesOn(context, moves, i)) {
                    plays.add(new Play(colour, capture.text(this)));
                    capture = null;
                }
            } else {
                plays.add(new Play(colour, text(context, move, swapped)));
            }
        }
        return plays;
    }

    /** Whether the same player goes on with the capture of move i. */
    private static boolean goesOn(Context context, List<Move> moves, int i) {
        int mover = moves.get(i).mover();
        if (i + 1 < moves.size()) {
            return moves.get(i + 1).mover() == mover;
        }
        return !context.trial().over() && context.state().mover() == mover;
    }

    /** The hops of a capture in progress, or null. */
    private Capture inProgress(Context context) {
        if (!hasHops() || context.trial().over()) {
            return null;
        }
        List<Move> moves = context.trial().generateRealMovesList();
        int first = moves.size();
        while (first > 0 && moves.get(first - 1).mover() == context.state().mover()) {
            first -= 1;
        }
        Capture capture = null;
        for (Move move : moves.subList(first, moves.size())) {
            capture = capture == null ? new Capture(move) : capture.then(move);
        }
        return capture;
    }

    private static boolean canMove(Context context) {
        return legal(context).stream().anyMatch(move -> !move.isPass());
    }

    /** Whose turn it is, as the engine says it. */
    String mover(Context context) {
        return colour(context.state().mover(), swapped(context));
    }

    static boolean swapped(Context context) {
        return context.state().playerToAgent(1) != 1;
    }

    private static String colour(int player, boolean swapped) {
        return player == 1 != swapped ? "b" : "w";
    }

    /** The engine's text for a move that is a whole turn. */
    private String text(Context context, Move move, boolean swapped) {
        switch (game) {
            case "kalah":
                return Integer.toString(move.mover() == 1 ? move.from() : 2 * size + 1 - move.from());
            case "connect-four":
                return column(move.to() % size);
            case "hex":
                // Player one joins column A with the last; neighbours are those whose row and column grow together.
                TopologyElement cell = element(context, move.to());
                int across = size - 1 - cell.col();
                return swapped ? column(across) + (cell.row() + 1) : column(cell.row()) + (across + 1);
            case "othello":
                TopologyElement square = element(context, move.to());
                return column(square.col()) + (size - square.row());
            default:
                return square(context, move.from()) + square(context, move.to());
        }
    }

    private static String square(Context context, int site) {
        TopologyElement square = element(context, site);
        return column(square.col()) + (square.row() + 1);
    }

    private static TopologyElement element(Context context, int site) {
        SiteType type = context.board().defaultSite();
        return context.board().topology().getGraphElements(type).get(site);
    }

    private static String column(int column) {
        return String.valueOf((char) ('a' + column));
    }

    /** What Ludii lets the mover do; never empty while the game goes on. */
    static List<Move> legal(Context context) {
        List<Move> moves = new ArrayList<>();
        for (Move move : context.game().moves(context).moves()) {
            moves.add(move);
        }
        if (moves.isEmpty() && !context.trial().over()) {
            moves.add(Game.createPassMove(context, true));
        }
        return moves;
    }

    /** Every turn of the mover as the engine would write it; in draughts with all squares of pieces taken. */
    List<String> turns(Context context) {
        TreeSet<String> turns = new TreeSet<>();
        boolean swapped = swapped(context);
        for (Move move : legal(context)) {
            if (move.isSwap()) {
                turns.add(SWAP);
            } else if (move.isPass()) {
                turns.add("pass");
            } else if (hasHops()) {
                captures(context, move, inProgress(context), turns);
            } else {
                turns.add(text(context, move, swapped));
            }
        }
        return new ArrayList<>(turns);
    }

    private void captures(Context context, Move hop, Capture before, TreeSet<String> turns) {
        Capture capture = before == null ? new Capture(hop) : before.then(hop);
        Context after = after(context, hop);
        if (isSameTurn(context, after)) {
            legal(after).forEach(next -> captures(after, next, capture, turns));
        } else {
            turns.add(capture.text(this));
        }
    }

    // ---- to Ludii ----

    /** The moves of Ludii that make up the engine's move, in order; empty if there are none. */
    List<Move> find(Context context, String wanted) {
        if (hasHops()) {
            List<Move> path = hops(context, wanted, inProgress(context));
            return path == null ? Collections.emptyList() : path;
        }
        boolean swapped = swapped(context);
        for (Move move : legal(context)) {
            String text = move.isSwap() ? SWAP : move.isPass() ? "pass" : text(context, move, swapped);
            if (text.equals(wanted)) {
                return Collections.singletonList(move);
            }
        }
        return Collections.emptyList();
    }

    /** How `plays` writes the turn of these moves. */
    String turn(Context context, List<Move> moves) {
        Move first = moves.get(0);
        if (first.isSwap() || first.isPass()) {
            return first.isSwap() ? SWAP : "pass";
        }
        if (!hasHops()) {
            return text(context, first, swapped(context));
        }
        Capture capture = inProgress(context);
        for (Move move : moves) {
            capture = capture == null ? new Capture(move) : capture.then(move);
        }
        return capture.text(this);
    }

    /** Whether a turn may have several moves of Ludii. */
    boolean hasHops() {
        return game.equals("draughts");
    }

    private List<Move> hops(Context context, String wanted, Capture before) {
        for (Move hop : legal(context)) {
            Capture capture = before == null ? new Capture(hop) : before.then(hop);
            if (hop.isPass() || !capture.canBecome(this, wanted)) {
                continue;
            }
            Context after = after(context, hop);
            if (!isSameTurn(context, after)) {
                if (capture.is(this, wanted)) {
                    return Collections.singletonList(hop);
                }
                continue;
            }
            List<Move> rest = hops(after, wanted, capture);
            if (rest != null) {
                List<Move> path = new ArrayList<>();
                path.add(hop);
                path.addAll(rest);
                return path;
            }
        }
        return null;
    }

    private static Context after(Context context, Move move) {
        Context after = new Context(context);
        after.game().apply(after, move);
        return after;
    }

    static boolean isSameTurn(Context before, Context after) {
        return !after.trial().over() && after.state().mover() == before.state().mover();
    }

    /** The same move among the legal ones of a position, or null. */
    static Move same(Context context, Move wanted) {
        return legal(context).stream().filter(move -> isSame(move, wanted)).findFirst().orElse(null);
    }

    /** Whether two moves that Ludii offers are the same. */
    static boolean isSame(Move one, Move other) {
        return one.isPass() == other.isPass() && one.isSwap() == other.isSwap() && one.from() == other.from()
            && one.to() == other.to() && taken(one).equals(taken(other));
    }

    private static TreeSet<Integer> taken(Move move) {
        TreeSet<Integer> taken = new TreeSet<>();
        for (Action action : move.actions()) {
            if (action.actionType() == ActionType.Remove) {
                taken.add(action.to());
            }
        }
        return taken;
    }

    /** The number of a dark square of draughts; row 0 is player one's. */
    private int number(int site) {
        int row = site / size;
        return (size - 1 - row) * size / 2 + site % size / 2 + 1;
    }

    /** A turn of draughts: a step, or hops so far. */
    private static final class Capture {
        private final int from;
        private final int to;
        private final TreeSet<Integer> taken;

        Capture(Move move) {
            this(move.from(), move.to(), Notation.taken(move));
        }

        private Capture(int from, int to, TreeSet<Integer> taken) {
            this.from = from;
            this.to = to;
            this.taken = taken;
        }

        Capture then(Move hop) {
            TreeSet<Integer> all = Notation.taken(hop);
            all.addAll(taken);
            return new Capture(from, hop.to(), all);
        }

        /** From, to and the pieces taken in increasing order. */
        String text(Notation notation) {
            String ends = ends(notation);
            StringBuilder text = new StringBuilder(ends);
            numbers(notation).forEach(number -> text.append('x').append(number));
            return text.toString();
        }

        private String ends(Notation notation) {
            return notation.number(from) + (taken.isEmpty() ? "-" : "x") + notation.number(to);
        }

        private TreeSet<Integer> numbers(Notation notation) {
            TreeSet<Integer> numbers = new TreeSet<>();
            taken.forEach(site -> numbers.add(notation.number(site)));
            return numbers;
        }

        boolean is(Notation notation, String wanted) {
            // The short form stands for every order of the same captures.
            return ends(notation).equals(wanted) || text(notation).equals(wanted);
        }

        /** A cheap test that keeps the search for a path short. */
        boolean canBecome(Notation notation, String wanted) {
            String[] squares = wanted.split("[-x]");
            if (!squares[0].equals(Integer.toString(notation.number(from)))) {
                return false;
            }
            TreeSet<String> allowed = new TreeSet<>();
            Collections.addAll(allowed, squares);
            return squares.length <= 2
                || numbers(notation).stream().allMatch(number -> allowed.contains(number.toString()));
        }
    }
}
