package treeline.ludii;

import game.Game;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import other.AI;
import other.context.Context;
import other.move.Move;
import other.trial.Trial;
import treeline.ludii.Variant.Unsupported;

/** A game in Ludii that is played in the engine's notation. */
public final class LudiiGame {
    /** What was asked for cannot be done; the message is a sentence. */
    public static final class Rejected extends Exception {
        private static final long serialVersionUID = 1L;

        Rejected(String message) {
            super(message);
        }
    }

    /** Of a turn's time, what each further hop of a capture gets at least. */
    private static final double SHARE_OF_A_HOP = 0.05;
    /** Compiling a game of Ludii takes seconds, and a referee asks for the same one again and again. */
    private static final Map<String, Game> LOADED = new HashMap<>();

    private final Game game;
    private final Notation notation;
    private final boolean passes;
    private Context context;
    /** The moves as Ludii offered them; its own record has them with their consequences. */
    private final List<Move> applied = new ArrayList<>();
    /** The number of those before each of the engine's. */
    private final List<Integer> marks = new ArrayList<>();

    private LudiiGame(Game game) throws Unsupported {
        this.game = game;
        Variant variant = Variant.of(game);
        notation = new Notation(variant);
        passes = variant.game.equals("othello");
        clear();
    }

    /** The game that `set_game` names, at its start. */
    public static LudiiGame open(String name, Map<String, String> keys) throws Rejected {
        String key = name + " " + new java.util.TreeMap<>(keys);
        try {
            if (!LOADED.containsKey(key)) {
                LOADED.put(key, Variant.open(name, keys));
            }
            return new LudiiGame(LOADED.get(key));
        } catch (Unsupported reason) {
            throw new Rejected(reason.getMessage());
        }
    }

    public Game game() {
        return game;
    }

    public void clear() {
        context = new Context(game, new Trial(game));
        game.start(context);
        applied.clear();
        marks.clear();
    }

    private void apply(Move move) {
        applied.add(move);
        game.apply(context, move);
    }

    /** Passes that the engine does not have: of sides that cannot move, everywhere but in Othello. */
    private void skipPasses() {
        while (!passes && !context.trial().over()) {
            List<Move> legal = Notation.legal(context);
            if (legal.size() != 1 || !legal.get(0).isPass()) {
                return;
            }
            apply(legal.get(0));
        }
    }

    public String sideToMove() {
        return context.trial().over() ? "none" : notation.mover(context);
    }

    /** `b`, `w`, `draw`, or `none` while the game goes on. */
    public String result() {
        if (!context.trial().over()) {
            return "none";
        }
        int winner = context.trial().status().winner();
        return winner == 0 ? "draw" : winner == 1 != Notation.swapped(context) ? "b" : "w";
    }

    public List<String> legalMoves() {
        return context.trial().over() ? new ArrayList<>() : notation.turns(context);
    }

    public void expect(String colour) throws Rejected {
        if (context.trial().over()) {
            throw new Rejected("the game is over");
        }
        if (!notation.mover(context).equals(colour)) {
            throw new Rejected("it is the turn of " + notation.mover(context));
        }
    }

    public void play(String colour, String text) throws Rejected {
        expect(colour);
        String wanted = text.equals("swap") ? "swap-pieces" : text;
        List<Move> moves = notation.find(context, wanted.toLowerCase(java.util.Locale.ROOT));
        if (moves.isEmpty()) {
            throw new Rejected("illegal move: '" + text + "'; legal are " + String.join(" ", legalMoves()));
        }
        marks.add(applied.size());
        for (Move move : moves) {
            apply(offered(move));
        }
        skipPasses();
    }

    /** Lets an agent play a turn; its text. */
    public String genmove(AI ai, double seconds, int iterations, int depth) {
        Context before = new Context(context);
        int mark = applied.size();
        try {
            List<Move> played = turn(ai, seconds, iterations, depth);
            marks.add(mark);
            skipPasses();
            return notation.turn(before, played);
        } catch (RuntimeException failure) {
            context = before;
            applied.subList(mark, applied.size()).clear();
            throw failure;
        }
    }

    private List<Move> turn(AI ai, double seconds, int iterations, int depth) {
        long begin = System.nanoTime();
        List<Move> played = new ArrayList<>();
        double budget = seconds;
        Context last;
        do {
            last = new Context(context);
            List<Move> legal = Notation.legal(context);
            Move move = legal.size() == 1 ? legal.get(0)
                : ai.selectAction(game, ai.copyContext(context), budget, iterations, depth);
            if (move == null) {
                throw new IllegalStateException(ai.friendlyName() + " gave no move");
            }
            played.add(move);
            apply(move);
            double left = seconds - (System.nanoTime() - begin) / 1e9;
            budget = seconds < 0 ? -1 : Math.max(left, seconds * SHARE_OF_A_HOP);
        } while (notation.hasHops() && Notation.isSameTurn(last, context));
        return played;
    }

    /** Takes the last play or genmove back; false if there is none. */
    public boolean undo() {
        if (marks.isEmpty()) {
            return false;
        }
        List<Move> kept = new ArrayList<>(applied.subList(0, marks.remove(marks.size() - 1)));
        List<Integer> keptMarks = new ArrayList<>(marks);
        clear();
        marks.addAll(keptMarks);
        for (Move move : kept) {
            apply(offered(move));
        }
        return true;
    }

    /** The move as this position offers it. */
    private Move offered(Move wanted) {
        for (Move move : Notation.legal(context)) {
            if (Notation.isSame(move, wanted)) {
                return move;
            }
        }
        throw new IllegalStateException("Ludii no longer allows " + wanted);
    }

    /** The squares and what is on them, a row a line from the highest. */
    public String board() {
        return Board.text(context) + "\n" + (context.trial().over() ? "result: " + result() : sideToMove() + " to move");
    }
}
