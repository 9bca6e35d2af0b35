package treeline.ludii;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;

/**
 * Plays random games in Ludii and the engine side by side and compares the legal moves of every position and the
 * results. In Kalah Ludii plays on where the side that has just moved is left without seeds: such games count apart.
 */
public final class RulesCheck {
    private static final String[] VARIANTS = {"breakthrough size=5", "breakthrough size=8", "connect-four",
        "draughts draw-rules=off length=300", "hex size=5 swap=on", "hex size=11", "kalah",
        "lines-of-action repetition=off", "lines-of-action both-connected=mover repetition=off", "othello size=6",
        "othello", "othello size=10"};

    private final Engine engine;
    private final boolean kalah;
    private final Random random;
    private long positions;
    private int alone;
    private int otherwise;

    private RulesCheck(Engine engine, boolean kalah, long seed) {
        this.engine = engine;
        this.kalah = kalah;
        random = new Random(seed);
    }

    public static void main(String[] arguments) throws Exception {
        int games = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 20;
        String[] variants = arguments.length > 1 ? new String[] {arguments[1]} : VARIANTS;
        int differences = 0;
        for (String variant : variants) {
            differences += check(variant, games);
        }
        System.exit(differences == 0 ? 0 : 1);
    }

    private static int check(String variant, int games) throws IOException, LudiiGame.Rejected {
        String[] words = variant.split(" ");
        Map<String, String> keys = new HashMap<>();
        for (int i = 1; i < words.length; i++) {
            keys.put(words[i].split("=")[0], words[i].split("=")[1]);
        }
        LudiiGame ludii = LudiiGame.open(words[0], keys);
        int differences = 0;
        try (Engine engine = new Engine(Settings.load().command)) {
            engine.call("set_game " + variant);
            RulesCheck check = new RulesCheck(engine, words[0].equals("kalah"), 1);
            for (int game = 0; game < games; game++) {
                String difference = check.game(ludii);
                if (difference != null) {
                    differences += 1;
                    System.err.println(variant + ": " + difference);
                }
            }
            System.out.println(variant + ": " + games + " games, " + check.positions + " positions, " + differences
                + " games with a difference, " + check.alone + " went on in Ludii alone, " + check.otherwise
                + " of them to another result");
        }
        return differences;
    }

    /** The first difference of a random game, or null. */
    private String game(LudiiGame ludii) throws LudiiGame.Rejected {
        ludii.clear();
        engine.call("clear_board");
        StringBuilder line = new StringBuilder();
        while (true) {
            String side = engine.call("side_to_move");
            if (side.equals("none") || ludii.sideToMove().equals("none")) {
                return ended(ludii, line.toString());
            }
            TreeSet<String> mine = new TreeSet<>(ludii.legalMoves());
            TreeSet<String> theirs = new TreeSet<>();
            for (String move : engine.call("legal_moves").split(" ")) {
                theirs.add(move);
            }
            positions += 1;
            if (!side.equals(ludii.sideToMove()) || !same(mine, theirs)) {
                return "Ludii has " + ludii.sideToMove() + " " + mine + ", the engine " + side + " " + theirs + " after"
                    + line;
            }
            String move = pick(theirs);
            line.append(' ').append(move);
            engine.call("play " + side + " " + move);
            ludii.play(side, move);
        }
    }

    /** The engine leaves out the squares of pieces taken where the ends of a capture tell it. */
    private static boolean same(TreeSet<String> ludii, TreeSet<String> engine) {
        Map<String, Integer> ends = new HashMap<>();
        for (String move : ludii) {
            ends.merge(shortened(move), 1, Integer::sum);
        }
        TreeSet<String> written = new TreeSet<>();
        for (String move : ludii) {
            written.add(ends.get(shortened(move)) == 1 ? shortened(move) : move);
        }
        return written.equals(engine);
    }

    private static String shortened(String move) {
        String[] squares = move.split("x");
        return squares.length > 2 ? squares[0] + "x" + squares[1] : move;
    }

    private String pick(TreeSet<String> moves) {
        return new java.util.ArrayList<>(moves).get(random.nextInt(moves.size()));
    }

    /** Compares the results; a game that is over for the engine alone is played on in Ludii. */
    private String ended(LudiiGame ludii, String line) throws LudiiGame.Rejected {
        String result = engine.call("game_result");
        if (result.equals("none")) {
            return "over in Ludii alone (" + ludii.result() + ") after" + line;
        }
        boolean isAlone = ludii.result().equals("none");
        while (ludii.result().equals("none")) {
            List<String> moves = ludii.legalMoves();
            ludii.play(ludii.sideToMove(), moves.get(random.nextInt(moves.size())));
        }
        boolean same = result.equals(ludii.result());
        alone += isAlone ? 1 : 0;
        otherwise += isAlone && !same ? 1 : 0;
        return same || isAlone && kalah ? null : "the engine says " + result + ", Ludii " + ludii.result() + " after" + line;
    }
}
